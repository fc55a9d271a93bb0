"""Parameters as text."""

from __future__ import annotations

from random import Random

import pyarrow as pa
import pytest
from ptvc.errors import PtvcError
from ptvc.expr.text.text_format import from_text
from ptvc.pgwire.types import parse_one
from ptvc.repr.types import INT2, INT8, TEXT, ScalarType, array_of

TYPES = pytest.mark.parametrize("type_", [array_of(INT2), array_of(INT8), array_of(TEXT)], ids=str)


def read(text: str, type_: ScalarType) -> object:
    """As an input of any type is read."""
    found = from_text(pa.array([text], pa.string()), type_)
    if found.errors is not None:
        return found.errors.messages[0].as_py()
    return found.values[0].as_py()


def parsed(text: str, type_: ScalarType) -> object:
    try:
        return parse_one(text, type_)
    except PtvcError as error:
        return error.message


@TYPES
@pytest.mark.parametrize(
    "text",
    [
        *(
            "{}",
            "{ }",
            "{1}",
            "{1,2,-3}",
            " {1}",
            "{1} ",
            "{ 1 , -2 }",
            "{-0}",
            "{007}",
            "{+1}",
            "{--1}",
            "{1-}",
            "{- 1}",
            "{-}",
        ),
        *(
            "{1,}",
            "{,1}",
            "{1,,2}",
            "{1 2}",
            "{1.5}",
            "{1e3}",
            "{1,NULL}",
            "{null}",
            "{true}",
            "{[1]}",
            "{{1}}",
            "1",
            "{1",
            "1}",
        ),
        *(
            "{32767,-32768}",
            "{32768}",
            "{-32769}",
            "{9223372036854775807,-9223372036854775808}",
            "{9223372036854775808}",
        ),
        "{" + "9" * 5_000 + "}",
        "{\t1}",
        '{"1"}',
    ],
)
def test_arrays_are_read_as_any_other_input(text: str, type_: ScalarType) -> None:
    assert parsed(text, type_) == read(text, type_)


@TYPES
@pytest.mark.parametrize("seed", range(50))
def test_arrays_of_random_characters(seed: int, type_: ScalarType) -> None:
    random = Random(seed)
    for _ in range(40):
        text = "{" + "".join(random.choices("0123456789,,,, -", k=random.randint(0, 12))) + "}"
        assert parsed(text, type_) == read(text, type_), text
