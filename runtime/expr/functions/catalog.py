"""Kernels, one module per family, and the catalog of all of them.

A family gives whole functions (`FUNCTIONS`) or overloads by name (`OVERLOADS`); overloads of several families
under one name (`add` on numbers and on dates) make one function.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..tree.function import Function, Overload
from .comparison import assertions, boolean, comparison, nulls
from .containers import arrays, containment, lists, maps, range_operators, ranges, records
from .datetimes import (
    datetime,
    extract,
    interval_arithmetic,
    interval_functions,
    make_datetime,
    monotonic_timestamps,
    mz_timestamps,
    overlaps,
    to_char,
    zones,
)
from .json import json, jsonb, jsonb_build, jsonb_keys, jsonb_path
from .numbers import (
    arithmetic,
    bits,
    math,
    number_format,
    number_input,
    number_theory,
    numeric,
    numeric_powers,
    trigonometry,
)
from .strings import (
    binary,
    format_string,
    hashes,
    identifiers,
    like,
    pattern,
    quantified_patterns,
    splitting,
    strings,
    unicode,
)
from .system import attempted_casts, input_checks, random_values, relation_names, system, type_names

_WHOLE = (
    arrays, assertions, attempted_casts, binary, bits, boolean, comparison, containment, extract, format_string, hashes, identifiers, input_checks, json, jsonb, jsonb_build, jsonb_keys, jsonb_path,
    like, lists, maps, monotonic_timestamps, nulls, number_theory, pattern, quantified_patterns, random_values, range_operators, ranges, records, relation_names, splitting, strings, system,
    trigonometry, type_names, unicode,
)  # fmt: skip
_ADDED = (
    binary.OVERLOADS,
    json.OVERLOADS,
    number_format.OVERLOADS,
    number_input.OVERLOADS,
    pattern.OVERLOADS,
    ranges.OVERLOADS,
    range_operators.OVERLOADS,
)
"""Overloads for functions that another family defines, and for none of their aliases."""
_SHARED = (
    arithmetic, datetime, interval_arithmetic, interval_functions, jsonb, make_datetime, math, mz_timestamps, numeric, numeric_powers,
    overlaps, to_char, zones,
)  # fmt: skip


def _catalog() -> Mapping[str, Function]:
    catalog = {function.name: function for family in _WHOLE for function in family.FUNCTIONS}
    overloads: dict[str, list[Overload]] = {}
    for family in _SHARED:
        for name, added in family.OVERLOADS.items():
            overloads.setdefault(name, []).extend(added)
    overlap = catalog.keys() & overloads.keys()
    assert not overlap, f"defined twice: {sorted(overlap)}"
    for name, merged in overloads.items():
        catalog[name] = Function(name, tuple(merged), arithmetic.SIGNS.get(name))
    for alias, name in _ALIASES.items():
        catalog[alias] = Function(alias, catalog[name].overloads, None, catalog[name].resolver)
    for added_family in _ADDED:
        for name, more in added_family.items():
            known = catalog.get(name) or Function(name, ())
            taken = {overload.params for overload in known.overloads}
            assert not any(overload.params in taken for overload in more), name
            catalog[name] = Function(name, (*known.overloads, *more), known.operator, known.resolver)
    return catalog


_ALIASES = {
    "casefold": "lower",
    "ceiling": "ceil",
    "pow": "power",
    "mod": "modulo",
    "char_length": "length",
    "character_length": "length",
    "strpos": "position",
    "substr": "substring",
    "trim": "btrim",
}

CATALOG: Mapping[str, Function] = _catalog()
