"""Descriptor sets, as `protoc --include_imports --descriptor_set_out` writes them: files of messages, each behind those that it imports."""

from __future__ import annotations

from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import DecodeError

from ....errors import InvalidParameter, UndefinedObject


def message_of(descriptor_set: bytes, name: str) -> Descriptor:
    """The message of that full name.  Raises InvalidParameter or UndefinedObject."""
    files = _files(descriptor_set)
    pool = descriptor_pool.DescriptorPool()
    for file in files:
        try:
            pool.AddSerializedFile(file.SerializeToString())
        except TypeError as error:
            raise InvalidParameter(
                f'file "{file.name}" of the descriptor set cannot be used',
                detail=" ".join(str(error).split())[:500],
                hint="protoc --include_imports writes what a file imports in front of it.",
            ) from None
    name = name.removeprefix(".")
    try:
        found: Descriptor = pool.FindMessageTypeByName(name)
    except KeyError:
        known = [
            f"{file.package}.{message.name}".removeprefix(".")
            for file in files
            if not file.name.startswith("google/protobuf/")
            for message in file.message_type
        ]
        raise UndefinedObject(
            f'the descriptor set has no message "{name}"',
            detail=f"It has: {', '.join(known[:20])}.",
            hint="A message is named with its package: 'package.Message'.",
        ) from None
    return found


def _files(descriptor_set: bytes) -> list[descriptor_pb2.FileDescriptorProto]:
    """Those of the set, in front of which are the well-known ones that it leaves out."""
    found = descriptor_pb2.FileDescriptorSet()
    try:
        found.ParseFromString(descriptor_set)
    except DecodeError:
        found.Clear()
    if not found.file:
        raise InvalidParameter(
            "the schema is no descriptor set of Protocol Buffers",
            hint="protoc --include_imports --descriptor_set_out=FILE writes one; give it in hexadecimal.",
        )
    files = list(found.file)
    present = {file.name for file in files}
    wanted = [name for file in files for name in file.dependency if name not in present]
    return [*_well_known(wanted), *files]


def _well_known(names: list[str]) -> list[descriptor_pb2.FileDescriptorProto]:
    from google.protobuf import duration_pb2, timestamp_pb2, wrappers_pb2

    modules = (duration_pb2, timestamp_pb2, wrappers_pb2)
    known = {module.DESCRIPTOR.name: module.DESCRIPTOR for module in modules}
    found = []
    for name in dict.fromkeys(names):
        if name in known:
            file = descriptor_pb2.FileDescriptorProto()
            known[name].CopyToProto(file)
            found.append(file)
    return found


def indexes_of(message: Descriptor) -> tuple[int, ...]:
    """The place of the message among those of its file, or of the message that it is declared in, from the outermost on."""
    outer = message.containing_type
    if outer is None:
        return (list(message.file.message_types_by_name.values()).index(message),)
    return (*indexes_of(outer), list(outer.nested_types).index(message))
