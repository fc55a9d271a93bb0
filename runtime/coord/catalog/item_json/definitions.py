"""Functions, secrets, connections and types as JSON."""

from __future__ import annotations

from ....repr.schema import Column, Schema
from ....sql.syntax.function_definition import FunctionDefinition
from ....storage.connections.options import ConnectionOptions
from ..items import Connection, Function, NamedType, Secret
from .fields import Json, read_identity


def function_fields(item: Function) -> Json:
    return {"function": item.definition.to_json()}


def read_function(v: Json) -> Function:
    return Function(**read_identity(v), definition=FunctionDefinition.from_json(v["function"]))


def secret_fields(item: Secret) -> Json:
    return {"sealed": item.sealed}


def read_secret(v: Json) -> Secret:
    return Secret(**read_identity(v), sealed=v["sealed"])


def connection_fields(item: Connection) -> Json:
    return {"connection": item.options.to_json()}


def read_connection(v: Json) -> Connection:
    return Connection(**read_identity(v), options=ConnectionOptions.from_json(v["connection"]))


def named_type_fields(item: NamedType) -> Json:
    return {"schema": Schema((Column("", item.type),)).to_json()}


def read_named_type(v: Json) -> NamedType:
    return NamedType(**read_identity(v), type=Schema.from_json(v["schema"])[0].type)
