"""The functions that read and write the values of types, as PostgreSQL numbers them in pg_proc.

Clients find types by these: an array is what `array_in` reads, and a driver knows how a type travels by its receive
function.  They are shown only, and cannot be called.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from .types import Kind, ScalarType


class TypeFunction(NamedTuple):
    """`result` and `arguments` are OIDs of types; `volatility` is provolatile."""

    oid: int
    name: str
    result: int
    arguments: tuple[int, ...]
    volatility: str


TYPE_FUNCTIONS: Final = tuple(
    TypeFunction(*row)
    for row in (
        (31, "byteaout", 2275, (17,), "i"),
        (33, "charout", 2275, (18,), "i"),
        (34, "namein", 19, (2275,), "i"),
        (35, "nameout", 2275, (19,), "i"),
        (38, "int2in", 21, (2275,), "i"),
        (39, "int2out", 2275, (21,), "i"),
        (40, "int2vectorin", 22, (2275,), "i"),
        (41, "int2vectorout", 2275, (22,), "i"),
        (42, "int4in", 23, (2275,), "i"),
        (43, "int4out", 2275, (23,), "i"),
        (44, "regprocin", 24, (2275,), "s"),
        (45, "regprocout", 2275, (24,), "s"),
        (46, "textin", 25, (2275,), "i"),
        (47, "textout", 2275, (25,), "i"),
        (54, "oidvectorin", 30, (2275,), "i"),
        (55, "oidvectorout", 2275, (30,), "i"),
        (200, "float4in", 700, (2275,), "i"),
        (201, "float4out", 2275, (700,), "i"),
        (214, "float8in", 701, (2275,), "i"),
        (215, "float8out", 2275, (701,), "i"),
        (321, "json_in", 114, (2275,), "i"),
        (322, "json_out", 2275, (114,), "i"),
        (323, "json_recv", 114, (2281,), "i"),
        (324, "json_send", 17, (114,), "i"),
        (460, "int8in", 20, (2275,), "i"),
        (461, "int8out", 2275, (20,), "i"),
        (750, "array_in", 2277, (2275, 26, 23), "s"),
        (751, "array_out", 2275, (2277,), "s"),
        (1044, "bpcharin", 1042, (2275, 26, 23), "i"),
        (1045, "bpcharout", 2275, (1042,), "i"),
        (1046, "varcharin", 1043, (2275, 26, 23), "i"),
        (1047, "varcharout", 2275, (1043,), "i"),
        (1084, "date_in", 1082, (2275,), "s"),
        (1085, "date_out", 2275, (1082,), "s"),
        (1143, "time_in", 1083, (2275, 26, 23), "s"),
        (1144, "time_out", 2275, (1083,), "i"),
        (1150, "timestamptz_in", 1184, (2275, 26, 23), "s"),
        (1151, "timestamptz_out", 2275, (1184,), "s"),
        (1160, "interval_in", 1186, (2275, 26, 23), "s"),
        (1161, "interval_out", 2275, (1186,), "s"),
        (1242, "boolin", 16, (2275,), "i"),
        (1243, "boolout", 2275, (16,), "i"),
        (1244, "byteain", 17, (2275,), "i"),
        (1245, "charin", 18, (2275,), "i"),
        (1312, "timestamp_in", 1114, (2275, 26, 23), "s"),
        (1313, "timestamp_out", 2275, (1114,), "s"),
        (1701, "numeric_in", 1700, (2275, 26, 23), "i"),
        (1702, "numeric_out", 2275, (1700,), "i"),
        (1798, "oidin", 26, (2275,), "i"),
        (1799, "oidout", 2275, (26,), "i"),
        (2290, "record_in", 2249, (2275, 26, 23), "s"),
        (2291, "record_out", 2275, (2249,), "s"),
        (2298, "void_in", 2278, (2275,), "i"),
        (2299, "void_out", 2275, (2278,), "i"),
        (2400, "array_recv", 2277, (2281, 26, 23), "s"),
        (2401, "array_send", 17, (2277,), "s"),
        (2402, "record_recv", 2249, (2281, 26, 23), "s"),
        (2403, "record_send", 17, (2249,), "s"),
        (2404, "int2recv", 21, (2281,), "i"),
        (2405, "int2send", 17, (21,), "i"),
        (2406, "int4recv", 23, (2281,), "i"),
        (2407, "int4send", 17, (23,), "i"),
        (2408, "int8recv", 20, (2281,), "i"),
        (2409, "int8send", 17, (20,), "i"),
        (2410, "int2vectorrecv", 22, (2281,), "i"),
        (2411, "int2vectorsend", 17, (22,), "i"),
        (2412, "bytearecv", 17, (2281,), "i"),
        (2413, "byteasend", 17, (17,), "i"),
        (2414, "textrecv", 25, (2281,), "s"),
        (2415, "textsend", 17, (25,), "s"),
        (2418, "oidrecv", 26, (2281,), "i"),
        (2419, "oidsend", 17, (26,), "i"),
        (2420, "oidvectorrecv", 30, (2281,), "i"),
        (2421, "oidvectorsend", 17, (30,), "i"),
        (2422, "namerecv", 19, (2281,), "s"),
        (2423, "namesend", 17, (19,), "s"),
        (2424, "float4recv", 700, (2281,), "i"),
        (2425, "float4send", 17, (700,), "i"),
        (2426, "float8recv", 701, (2281,), "i"),
        (2427, "float8send", 17, (701,), "i"),
        (2430, "bpcharrecv", 1042, (2281, 26, 23), "s"),
        (2431, "bpcharsend", 17, (1042,), "s"),
        (2432, "varcharrecv", 1043, (2281, 26, 23), "s"),
        (2433, "varcharsend", 17, (1043,), "s"),
        (2434, "charrecv", 18, (2281,), "i"),
        (2435, "charsend", 17, (18,), "i"),
        (2436, "boolrecv", 16, (2281,), "i"),
        (2437, "boolsend", 17, (16,), "i"),
        (2444, "regprocrecv", 24, (2281,), "i"),
        (2445, "regprocsend", 17, (24,), "i"),
        (2460, "numeric_recv", 1700, (2281, 26, 23), "i"),
        (2461, "numeric_send", 17, (1700,), "i"),
        (2468, "date_recv", 1082, (2281,), "i"),
        (2469, "date_send", 17, (1082,), "i"),
        (2470, "time_recv", 1083, (2281, 26, 23), "i"),
        (2471, "time_send", 17, (1083,), "i"),
        (2474, "timestamp_recv", 1114, (2281, 26, 23), "i"),
        (2475, "timestamp_send", 17, (1114,), "i"),
        (2476, "timestamptz_recv", 1184, (2281, 26, 23), "i"),
        (2477, "timestamptz_send", 17, (1184,), "i"),
        (2478, "interval_recv", 1186, (2281, 26, 23), "i"),
        (2479, "interval_send", 17, (1186,), "i"),
        (2903, "intervaltypmodin", 23, (1263,), "i"),
        (2904, "intervaltypmodout", 2275, (23,), "i"),
        (2905, "timestamptypmodin", 23, (1263,), "i"),
        (2906, "timestamptypmodout", 2275, (23,), "i"),
        (2907, "timestamptztypmodin", 23, (1263,), "i"),
        (2908, "timestamptztypmodout", 2275, (23,), "i"),
        (2909, "timetypmodin", 23, (1263,), "i"),
        (2910, "timetypmodout", 2275, (23,), "i"),
        (2913, "bpchartypmodin", 23, (1263,), "i"),
        (2914, "bpchartypmodout", 2275, (23,), "i"),
        (2915, "varchartypmodin", 23, (1263,), "i"),
        (2916, "varchartypmodout", 2275, (23,), "i"),
        (2917, "numerictypmodin", 23, (1263,), "i"),
        (2918, "numerictypmodout", 2275, (23,), "i"),
        (2952, "uuid_in", 2950, (2275,), "i"),
        (2953, "uuid_out", 2275, (2950,), "i"),
        (2961, "uuid_recv", 2950, (2281,), "i"),
        (2962, "uuid_send", 17, (2950,), "i"),
        (3120, "void_recv", 2278, (2281,), "i"),
        (3121, "void_send", 17, (2278,), "i"),
        (3803, "jsonb_send", 17, (3802,), "i"),
        (3804, "jsonb_out", 2275, (3802,), "i"),
        (3805, "jsonb_recv", 3802, (2281,), "i"),
        (3806, "jsonb_in", 3802, (2275,), "i"),
        (3816, "array_typanalyze", 16, (2281,), "s"),
        (3834, "range_in", 3831, (2275, 26, 23), "s"),
        (3835, "range_out", 2275, (3831,), "s"),
        (3836, "range_recv", 3831, (2281, 26, 23), "s"),
        (3837, "range_send", 17, (3831,), "s"),
        (3916, "range_typanalyze", 16, (2281,), "s"),
        (6098, "jsonb_subscript_handler", 2281, (2281,), "i"),
        (6179, "array_subscript_handler", 2281, (2281,), "i"),
        (6180, "raw_array_subscript_handler", 2281, (2281,), "i"),
    )
)  # fmt: skip

BY_NAME: Final = {function.name: function.oid for function in TYPE_FUNCTIONS}
_OIDS = pa.array([0, *(function.oid for function in TYPE_FUNCTIONS)], pa.int64())
_NAMES = pa.array(["-", *(function.name for function in TYPE_FUNCTIONS)], pa.string())

_UNDERSCORED = frozenset(
    {
        Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMPTZ, Kind.INTERVAL, Kind.NUMERIC, Kind.JSON, Kind.JSONB,
        Kind.UUID, Kind.RECORD,
    }
)  # fmt: skip
"""Kinds whose functions are called `date_in`, and not `datein`."""

_SUBSCRIPTED = {Kind.NAME: "raw_array_subscript_handler", Kind.JSONB: "jsonb_subscript_handler"}


def functions_of(type_: ScalarType) -> dict[str, int]:
    """The columns of pg_type that say how values of the type are read and written; 0 where there is no such function."""
    stem = _stem(type_)
    declared = type_.leaf.kind.value
    found = {
        "typinput": f"{stem}in",
        "typoutput": f"{stem}out",
        "typreceive": f"{stem}recv",
        "typsend": f"{stem}send",
        "typmodin": "" if type_.is_vector else f"{declared}typmodin",
        "typmodout": "" if type_.is_vector else f"{declared}typmodout",
        "typanalyze": "" if type_.is_vector else f"{stem}typanalyze",
        "typsubscript": "array_subscript_handler"
        if type_.kind is Kind.ARRAY
        else _SUBSCRIPTED.get(type_.kind, ""),
    }
    return {column: BY_NAME.get(name, 0) for column, name in found.items()}


def _stem(type_: ScalarType) -> str:
    if type_.kind is Kind.ARRAY and not type_.is_vector:
        return "array_"
    if type_.is_range:
        return "range_"
    if type_.is_vector or type_.is_function:
        return str(type_)
    return f"{type_.kind.value}_" if type_.kind in _UNDERSCORED else type_.kind.value


def regproc_text(array: pa.Array) -> pa.Array:
    """OIDs as regproc prints them: a function's name, `-` for none, and the number of one that has no name here."""
    return pc.coalesce(_NAMES.take(pc.index_in(array, _OIDS)), array.cast(pa.string()))
