"""Pieces of a json's text: what the standard library reads there, as it was written."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from ptvc.expr.datetimes.datetime_input import InputError
from ptvc.expr.text.json_text import at_path, elements, get, get_text, kind_of, members
from ptvc.expr.text.text_format import from_text
from ptvc.repr.types import JSON

_STRINGS = ["", "a", "b", "x y", 'q"uote', "back\\slash", "[{,:}]", "\n", "ä€😀", "\u0001"]
_SPACES = ["", " ", "\n\t", "  "]


def written(random: Random, depth: int = 0) -> str:
    """A text with any white space, keys that repeat, and numbers and escapes in several spellings."""

    def space() -> str:
        return random.choice(_SPACES)

    def string() -> str:
        return json.dumps(random.choice(_STRINGS), ensure_ascii=random.random() < 0.5)

    kind = random.randrange(7 if depth < 4 else 5)
    if kind == 5:
        items = [space() + written(random, depth + 1) + space() for _ in range(random.randrange(4))]
        return f"[{','.join(items) or space()}]"
    if kind == 6:
        pairs = [
            f"{space()}{string()}{space()}:{space()}{written(random, depth + 1)}{space()}"
            for _ in range(random.randrange(4))
        ]
        return f"{{{','.join(pairs) or space()}}}"
    return (
        string(),
        "null",
        random.choice(["true", "false"]),
        random.choice(["1", "-0.50", "1e5", "2E-3"]),
        string(),
    )[kind]


def _pairs(text: str) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = json.loads(text, object_pairs_hook=lambda pairs: pairs)
    return found


@pytest.mark.parametrize("seed", range(60))
def test_parts_are_what_the_text_says(seed: int) -> None:
    random = Random(seed)
    for _ in range(20):
        text = random.choice(_SPACES) + written(random) + random.choice(_SPACES)
        _check(text)


def _check(text: str) -> None:
    value = json.loads(text)
    match kind_of(text):
        case "array":
            found = list(elements(text))
            assert [json.loads(part) for part in found] == value
            for place in range(-len(found) - 1, len(found) + 1):
                inside = -len(found) <= place < len(found)
                assert get(text, place) == (found[place] if inside else None)
                assert at_path(text, [str(place)]) == get(text, place)
            assert get(text, "a") is None
        case "object":
            pairs = list(members(text))
            assert [key for key, _ in pairs] == [key for key, _ in _pairs(text)]
            assert all(part in text for _, part in pairs)
            for key, part in value.items():
                assert json.loads(get(text, key) or "") == part
                shown = get_text(text, key)
                assert shown == (part if isinstance(part, str) else None if part is None else get(text, key))
            assert get(text, 0) is None
        case kind:
            assert get(text, 0) is None
            assert get(text, "a") is None
            assert kind == (
                "null" if value is None else {bool: "boolean", str: "string"}.get(type(value), "number")
            )


def test_a_text_stays_or_is_refused() -> None:
    texts = [' {"a" : 1} ', "[1,]", "nul", None, "1.50", "NaN", '"\\ud800"', "[" * 300 + "]" * 300]
    read = from_text(pa.array(texts), JSON)
    assert read.values.to_pylist() == [texts[0], None, None, None, "1.50", None, texts[6], None]
    assert read.errors is not None
    assert dict(zip(read.errors.indices.tolist(), read.errors.sqlstates.to_pylist(), strict=True)) == {
        1: "22P02", 2: "22P02", 5: "22P02", 7: "54001",
    }  # fmt: skip


@pytest.mark.parametrize(("text", "state"), [('{"a": "\\u0000"}', "22P05"), ('["\\ud800", 1]', "22P02")])
def test_escapes_that_no_text_can_hold(text: str, state: str) -> None:
    for step in ("a", 1):
        with pytest.raises(InputError) as caught:
            get(text, step)
        assert caught.value.sqlstate == state
