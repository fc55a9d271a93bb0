"""FORMAT PROTOBUF: messages that the library has made, framed and not, and what is none."""

from __future__ import annotations

import datetime
from random import Random
from typing import Any

import pytest
from ptvc.errors import InvalidParameter, UndefinedObject, Unsupported
from ptvc.storage.decode import WHOLE_RECORD
from ptvc.storage.formats.contract import DecodedPayloads
from ptvc.storage.formats.protobuf.format import ProtobufFormat

from ..avro.cases import binary
from .messages import F, everything, field, file, message_class, set_of


@pytest.fixture(scope="module", params=[False, True], ids=["bare", "with imports"])
def descriptor_set(request: pytest.FixtureRequest) -> bytes:
    return set_of(everything(), well_known=request.param)


def rows(found: DecodedPayloads) -> list[tuple[Any, ...]]:
    return list(zip(*(column.to_pylist() for column in found.columns), strict=True))


def failures(found: DecodedPayloads) -> list[tuple[int, int, str, str]]:
    errors = found.errors
    parts = errors.rows.tolist(), errors.columns.tolist()
    return list(zip(*parts, errors.sqlstates.to_pylist(), errors.reasons.to_pylist(), strict=True))


def test_columns(descriptor_set: bytes) -> None:
    assert [(c.name, str(c.type), c.nullable) for c in ProtobufFormat(descriptor_set, "p.Outer").schema] == [
        ("a_bool", "boolean", False),
        ("a_int32", "integer", False),
        ("a_sint64", "bigint", False),
        ("a_uint32", "uint4", False),
        ("a_fixed64", "uint8", False),
        ("a_float", "real", False),
        ("a_double", "double precision", False),
        ("a_string", "text", False),
        ("a_bytes", "bytea", False),
        ("color", "text", False),
        ("maybe", "integer", True),
        ("words", "text list", False),
        ("inner", "jsonb", True),
        ("inners", "jsonb list", False),
        ("counts", "map[text=>jsonb]", False),
        ("at", "timestamp with time zone", True),
        ("wrapped", "bigint", True),
    ]


def test_values(descriptor_set: bytes) -> None:
    outer = message_class(descriptor_set, "p.Outer")
    full = outer(
        a_bool=True,
        a_int32=-(1 << 31),
        a_sint64=-(1 << 63),
        a_uint32=(1 << 32) - 1,
        a_fixed64=(1 << 64) - 1,
        a_float=0.5,
        a_double=1e300,
        a_string="ä",
        a_bytes=b"\xff",
        color=1,
        maybe=0,
        words=["a", ""],
        inner={"word": 'x"', "numbers": [1, -2]},
        inners=[{}, {"word": "y"}],
        counts={"b": {}, "a": {"word": "z"}},
        wrapped={"value": 0},
    )
    full.at.FromDatetime(datetime.datetime(2024, 1, 2, 3, 4, 5, 6))
    format_ = ProtobufFormat(descriptor_set, "p.Outer")
    found = format_.decode(binary([full.SerializeToString(), b""]))
    assert [column.type for column in found.columns] == [c.type.arrow for c in format_.schema]
    assert failures(found) == []
    assert rows(found) == [
        (
            *(True, -(1 << 31), -(1 << 63), (1 << 32) - 1, (1 << 64) - 1, 0.5, 1e300, "ä", b"\xff"),
            *("GREEN", 0, ["a", ""], '{"word": "x\\"", "numbers": [1, -2]}'),
            ['{"word": "", "numbers": []}', '{"word": "y", "numbers": []}'],
            [
                {"f0": "a", "f1": '{"word": "z", "numbers": []}'},
                {"f0": "b", "f1": '{"word": "", "numbers": []}'},
            ],
            datetime.datetime(2024, 1, 2, 3, 4, 5, 6, datetime.UTC),
            0,
        ),
        (False, 0, 0, 0, 0, 0.0, 0.0, "", b"", "RED", None, [], None, [], [], None, None),
    ]


def test_values_that_do_not_fit(descriptor_set: bytes) -> None:
    outer = message_class(descriptor_set, "p.Outer")
    messages = [
        outer(color=7),
        outer(a_string="a\0b"),
        outer(words=["a", "\0"]),
        outer(inner={"word": "\0"}),
        outer(at={"seconds": 1 << 60}),
        outer(counts={"\0": {}}),
        outer(a_int32=5),
    ]
    format_ = ProtobufFormat(descriptor_set, "p.Outer")
    found = format_.decode(binary([message.SerializeToString() for message in messages]))
    zero = 'invalid byte sequence for encoding "UTF8": 0x00'
    assert failures(found) == [
        (0, 9, "22P02", '7 is no value of enum "p.Color"'),
        (1, 7, "22021", zero),
        (2, 11, "22021", zero),
        (3, 12, "22021", zero),
        (4, 15, "22008", "timestamp out of range"),
        (5, 14, "22021", zero),
    ]
    assert rows(found)[6][1] == 5


def test_what_is_no_message(descriptor_set: bytes) -> None:
    format_ = ProtobufFormat(descriptor_set, "p.First")
    found = format_.decode(binary([b"\x08\x05", b"\xff\xff", b"\x08", b"\x08\x06"]))
    assert rows(found) == [(5,), (None,), (None,), (6,)]
    assert [failure[:3] for failure in failures(found)] == [
        (1, WHOLE_RECORD, "22P03"),
        (2, WHOLE_RECORD, "22P03"),
    ]


def test_random_bytes_are_read_or_in_error(descriptor_set: bytes) -> None:
    """Of each alone as of all together."""
    random = Random(5)
    outer = message_class(descriptor_set, "p.Outer")
    sound = outer(a_string="abc", inner={"word": "x"}, words=["a"], maybe=3).SerializeToString()
    payloads = []
    for _ in range(300):
        at = random.randrange(len(sound))
        payloads.append(sound[:at] + random.randbytes(random.randint(0, 2)) + sound[at + 1 :])
    format_ = ProtobufFormat(descriptor_set, "p.Outer")
    found = format_.decode(binary(payloads))
    errors = failures(found)
    assert 0 < len(errors) < 300
    for number, payload in enumerate(payloads):
        alone = format_.decode(binary([payload]))
        assert repr(rows(alone)[0]) == repr(rows(found)[number])
        assert [f[1:] for f in failures(alone)] == [f[1:] for f in errors if f[0] == number]


def test_a_registrys_frame(descriptor_set: bytes) -> None:
    header = b"\0\0\0\0\x07"
    body = b"\x08\x05"
    first = ProtobufFormat(descriptor_set, "p.First")
    found = first.decode(binary([header + index + body for index in (b"\0", b"\2\0", b"\1\0")]))
    assert rows(found) == [(5,)] * 3
    # The second message of its file; the first message that is declared in it.
    outer = ProtobufFormat(descriptor_set, "p.Outer")
    assert rows(outer.decode(binary([header + b"\2\2" + body])))[0][0] is True
    inner = ProtobufFormat(descriptor_set, "p.Outer.Inner")
    assert rows(inner.decode(binary([header + b"\4\2\0" + b"\x0a\1x", header + b"\2\1\0" + b"\x0a\1x"]))) == [
        ("x", []),
        ("x", []),
    ]
    found = first.decode(binary([header + b"\2\2" + body, b"\0", header]))
    assert [failure[:3] for failure in failures(found)] == [(row, WHOLE_RECORD, "22P03") for row in range(3)]
    assert "framed as another message" in failures(found)[0][3]


def test_proto2() -> None:
    old = file("old.proto", "proto2")
    message = old.message_type.add(name="Old")
    field(message, "must", "int32", label=F.LABEL_REQUIRED)
    field(message, "may", "string")
    field(message, "has", "string", default="x")
    descriptor_set = set_of(old)
    format_ = ProtobufFormat(descriptor_set, "p.Old")
    assert [(c.name, c.nullable) for c in format_.schema] == [("must", False), ("may", True), ("has", False)]
    found = format_.decode(binary([b"\x08\x01", b"", b"\x08\x02\x12\x01y\x1a\x00", b"\x08\x03\x12\x01\xff"]))
    assert rows(found)[0] == (1, None, "x")
    assert rows(found)[2] == (2, "y", "")
    assert failures(found)[0][:3] == (1, WHOLE_RECORD, "22P03")
    assert "lacks required fields: must" in failures(found)[0][3]
    assert failures(found)[1:] == [(3, 1, "22021", 'invalid byte sequence for encoding "UTF8": 0xff')]


def test_what_cannot_be_columns() -> None:
    tree = file("tree.proto")
    node = tree.message_type.add(name="Node")
    field(node, "next", ".p.Node")
    indirect = tree.message_type.add(name="Top")
    field(indirect, "node", ".p.Node")
    tree.message_type.add(name="Nothing")
    descriptor_set = set_of(tree)
    with pytest.raises(Unsupported, match=r'field "next" is of message "p\.Node", which contains itself'):
        ProtobufFormat(descriptor_set, "p.Node")
    with pytest.raises(Unsupported, match=r'field "node.next" is of message "p.Node"'):
        ProtobufFormat(descriptor_set, "p.Top")
    with pytest.raises(Unsupported, match="has no fields"):
        ProtobufFormat(descriptor_set, "p.Nothing")


def test_messages_that_multiply() -> None:
    bomb = file("bomb.proto")
    for number in range(40):
        message = bomb.message_type.add(name=f"M{number}")
        for name in ("a", "b"):
            field(message, name, f".p.M{number - 1}" if number else "int32")
    with pytest.raises(Unsupported, match="more than 20000 fields"):
        ProtobufFormat(set_of(bomb), "p.M39")


def test_what_is_no_descriptor_set() -> None:
    for nonsense in (b"", b"nonsense", b"\xff"):
        with pytest.raises(InvalidParameter, match="no descriptor set"):
            ProtobufFormat(nonsense, "p.M")
    with pytest.raises(UndefinedObject, match='no message "Outer"') as failed:
        ProtobufFormat(set_of(everything()), "Outer")
    assert failed.value.detail == "It has: p.First, p.Outer."
    missing = file("missing.proto")
    missing.dependency.append("elsewhere.proto")
    field(missing.message_type.add(name="M"), "x", "int32")
    with pytest.raises(InvalidParameter, match=r"missing\.proto.* cannot be used"):
        ProtobufFormat(set_of(missing), "p.M")
