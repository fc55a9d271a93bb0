"""A descriptor set of the tests' own, and messages of it."""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, timestamp_pb2, wrappers_pb2
from google.protobuf.message_factory import GetMessageClass

F = descriptor_pb2.FieldDescriptorProto
_TYPES = {
    "bool": F.TYPE_BOOL,
    "int32": F.TYPE_INT32,
    "sint64": F.TYPE_SINT64,
    "uint32": F.TYPE_UINT32,
    "fixed64": F.TYPE_FIXED64,
    "float": F.TYPE_FLOAT,
    "double": F.TYPE_DOUBLE,
    "string": F.TYPE_STRING,
    "bytes": F.TYPE_BYTES,
}


def field(
    message: Any, name: str, type_: str, *, label: int = F.LABEL_OPTIONAL, default: str | None = None
) -> Any:
    """Adds a field; the type of a message or an enum is its full name, with a dot in front."""
    added = message.field.add(name=name, number=len(message.field) + 1, label=label)
    if type_ in _TYPES:
        added.type = _TYPES[type_]
    elif type_.endswith("Color"):
        added.type, added.type_name = F.TYPE_ENUM, type_
    else:
        added.type, added.type_name = F.TYPE_MESSAGE, type_
    if default is not None:
        added.default_value = default
    return added


def file(name: str, syntax: str = "proto3") -> Any:
    return descriptor_pb2.FileDescriptorProto(name=name, package="p", syntax=syntax)


def set_of(*files: Any, well_known: bool = False) -> bytes:
    found = descriptor_pb2.FileDescriptorSet()
    if well_known:
        for module in (timestamp_pb2, wrappers_pb2):
            module.DESCRIPTOR.CopyToProto(found.file.add())
    found.file.extend(files)
    return found.SerializeToString()


def message_class(descriptor_set: bytes, name: str) -> Any:
    """Made by the library alone."""
    pool = descriptor_pool.DescriptorPool()
    found = descriptor_pb2.FileDescriptorSet.FromString(descriptor_set)
    present = {entry.name for entry in found.file}
    for module in (timestamp_pb2, wrappers_pb2):
        if module.DESCRIPTOR.name not in present:
            pool.AddSerializedFile(module.DESCRIPTOR.serialized_pb)
    for entry in found.file:
        pool.AddSerializedFile(entry.SerializeToString())
    return GetMessageClass(pool.FindMessageTypeByName(name))


def everything() -> Any:
    """A file of proto3: `p.First`, `p.Outer` with `p.Outer.Inner`, and an enum."""
    found = file("everything.proto")
    found.dependency.extend(["google/protobuf/timestamp.proto", "google/protobuf/wrappers.proto"])
    color = found.enum_type.add(name="Color")
    for number, name in enumerate(("RED", "GREEN")):
        color.value.add(name=name, number=number)
    field(found.message_type.add(name="First"), "x", "int32")
    outer = found.message_type.add(name="Outer")
    inner = outer.nested_type.add(name="Inner")
    field(inner, "word", "string")
    field(inner, "numbers", "sint64", label=F.LABEL_REPEATED)
    field(outer.nested_type.add(name="Empty"), "unused", "bool")
    for name in ("bool", "int32", "sint64", "uint32", "fixed64", "float", "double", "string", "bytes"):
        field(outer, f"a_{name}", name)
    field(outer, "color", ".p.Color")
    maybe = field(outer, "maybe", "int32")
    maybe.proto3_optional, maybe.oneof_index = True, 0
    outer.oneof_decl.add(name="_maybe")
    field(outer, "words", "string", label=F.LABEL_REPEATED)
    field(outer, "inner", ".p.Outer.Inner")
    field(outer, "inners", ".p.Outer.Inner", label=F.LABEL_REPEATED)
    entry = outer.nested_type.add(name="CountsEntry")
    entry.options.map_entry = True
    field(entry, "key", "string")
    field(entry, "value", ".p.Outer.Inner")
    field(outer, "counts", ".p.Outer.CountsEntry", label=F.LABEL_REPEATED)
    field(outer, "at", ".google.protobuf.Timestamp")
    field(outer, "wrapped", ".google.protobuf.Int64Value")
    return found
