"""Arguments that functions need to be sensible: templates, units, patterns, names of encodings.

Used by regenerate.py in the place of values.py's.
"""

from __future__ import annotations

from typing import Final

_UNITS = (
    "'microseconds'", "'second'", "'minute'", "'hour'", "'day'", "'week'", "'month'", "'quarter'", "'year'", "'decade'",
    "'century'", "'millennium'", "'dow'", "'nonsense'",
)  # fmt: skip
_PATTERNS = ("'l+'", "'(W)(o)'", "'^[a-z]+$'", "'('")
_PATHS = ("'$'", "'$.a'", "'$.b[*]'", "'strict $[5]'", "'$ ? (@.a == 1)'", "'$['")

ARGUMENTS: Final[dict[tuple[str, int], tuple[str, ...]]] = {
    ("date_trunc", 0): _UNITS,
    ("date_trunc", 2): ("'Europe/Zurich'", "'UTC'", "'Nowhere'"),
    ("date_part", 0): (*_UNITS[:12], "'dow'", "'isodow'", "'doy'", "'epoch'", "'julian'", "'isoyear'", "'nonsense'"),
    ("date_add", 2): ("'Europe/Zurich'", "'Nowhere'"),
    ("date_subtract", 2): ("'Europe/Zurich'", "'Nowhere'"),
    ("date_bin", 0): ("'15 minutes'::interval", "'1 day'::interval", "'0'::interval", "'1 mon'::interval"),
    ("timezone", 0): ("'UTC'", "'America/New_York'", "'Nowhere'", "'2 hours'::interval"),
    ("encode", 1): ("'hex'", "'base64'", "'escape'", "'nonsense'"),
    ("decode", 0): ("'6162'", "'YWI='", "'a\\000b'", "'6162'"),
    ("decode", 1): ("'escape'", "'hex'", "'base64'", "'nonsense'"),
    ("convert_from", 1): ("'UTF8'", "'LATIN1'", "'nonsense'"),
    ("convert_to", 1): ("'UTF8'", "'LATIN1'", "'nonsense'"),
    ("normalize", 1): ("'NFC'", "'NFKD'", "'nonsense'"),
    ("is_normalized", 1): ("'NFC'",),
    ("regexp_match", 1): _PATTERNS,
    ("regexp_matches", 1): _PATTERNS,
    ("regexp_replace", 1): _PATTERNS,
    ("regexp_split_to_array", 1): _PATTERNS,
    ("regexp_split_to_table", 1): _PATTERNS,
    ("regexp_count", 1): _PATTERNS,
    ("regexp_instr", 1): _PATTERNS,
    ("regexp_like", 1): _PATTERNS,
    ("regexp_substr", 1): _PATTERNS,
    ("regexp_match", 2): ("'i'", "'q'", "'z'"),
    ("regexp_matches", 2): ("'i'", "'g'", "'z'"),
    ("regexp_split_to_array", 2): ("'i'", "'z'"),
    ("regexp_split_to_table", 2): ("'i'", "'z'"),
    ("regexp_like", 2): ("'i'", "'g'", "'z'"),
    ("jsonb_path_query", 1): _PATHS,
    ("string_to_array", 1): ("' '", "'l'", "''", "NULL"),
    ("string_to_table", 1): ("' '", "'l'", "''", "NULL"),
    ("split_part", 1): ("' '", "'l'", "''"),
    ("split_part", 2): ("1", "-1", "2", "0", "99"),
    ("lpad", 1): ("6", "2", "0", "-1"),
    ("rpad", 1): ("6", "2", "0", "-1"),
    ("repeat", 1): ("2", "0", "-3"),
    ("chr", 0): ("65", "8364", "0", "-1", "1114112"),
    ("factorial", 0): ("5::int8", "0::int8", "'-1'::int8"),
    ("make_date", 0): ("2024", "-44", "0", "2023"),
    ("make_date", 1): ("2", "12", "13"),
    ("make_date", 2): ("29", "31", "1"),
    ("make_time", 0): ("12", "24", "0"),
    ("make_time", 1): ("30", "60", "0"),
    ("make_time", 2): ("5.25", "60", "0"),
    ("make_timestamp", 0): ("2024", "2023", "-1"),
    ("make_timestamp", 1): ("2", "12"),
    ("make_timestamp", 2): ("29", "28"),
    ("make_timestamp", 3): ("12", "24"),
    ("make_timestamp", 4): ("30", "59"),
    ("make_timestamp", 5): ("5.25", "60", "61"),
    ("make_timestamptz", 0): ("2024", "2023", "-1"),
    ("make_timestamptz", 1): ("2", "12"),
    ("make_timestamptz", 2): ("29", "28"),
    ("make_timestamptz", 3): ("12", "3"),
    ("make_timestamptz", 4): ("30", "59"),
    ("make_timestamptz", 5): ("5.25", "60", "61"),
    ("make_timestamptz", 6): ("'Europe/Zurich'", "'Nowhere'"),
    ("generate_series", 1): ("8", "-7"),
    ("generate_series", 2): ("2", "-5", "0"),
    ("array_fill", 1): ("array[3]", "array[0]", "array[-1]"),
    ("array_fill", 2): ("array[1]", "array[2]"),
    ("array_length", 1): ("1", "2", "0"),
    ("array_lower", 1): ("1", "2"),
    ("array_upper", 1): ("1", "2"),
    ("generate_subscripts", 1): ("1", "2"),
    ("array_to_string", 1): ("','", "''", "NULL"),
    ("trim_array", 1): ("1", "0", "9", "-1"),
    ("get_bit", 1): ("1::int8", "0::int8", "99::int8", "'-1'::int8"),
    ("get_byte", 1): ("1", "0", "99", "-1"),
    ("set_bit", 1): ("1::int8", "9::int8", "99::int8"),
    ("set_bit", 2): ("1", "0", "2"),
    ("set_byte", 1): ("1", "0", "99"),
    ("set_byte", 2): ("65", "256", "-1"),
    ("jsonb_set", 1): ("'{a}'::text[]", "'{b,0}'::text[]", "'{x,y}'::text[]", "'{}'::text[]"),
    ("jsonb_insert", 1): ("'{z}'::text[]", "'{b,0}'::text[]", "'{a}'::text[]"),
    ("jsonb_object", 0): ("'{a,1,b,2}'::text[]", "'{a,b,c}'::text[]", "'{}'::text[]"),
    ("jsonb_object", 1): ("'{1,2,3}'::text[]", "'{x,y,z,w}'::text[]"),
    ("jsonb_extract_path", 1): ("'{b,1}'::text[]", "'{a}'::text[]", "'{}'::text[]"),
    ("jsonb_extract_path_text", 1): ("'{b,1}'::text[]", "'{a}'::text[]", "'{}'::text[]"),
    ("format", 0): ("'%s-%I-%L'", "'%1$s %2$10s|'", "'%%'", "'%y'", "'%s %s %s %s'"),
    ("to_hex", 0): ("255", "-1", "0"),
    ("to_timestamp", 1): ("'YYYY-MM-DD HH24:MI:SS'", "'DD Mon YYYY'"),
    ("to_date", 1): ("'YYYY-MM-DD'", "'DD Mon YYYY'"),
    ("pg_size_pretty", 0): ("10239::int8", "10240::int8", "'-123456789'::int8", "9223372036854775807"),
    ("translate", 1): ("'lo'", "'abc'"),
    ("translate", 2): ("'01'", "''"),
    ("format_type", 0): ("23::oid", "1043::oid", "1700::oid", "1007::oid", "0::oid"),
    ("format_type", 1): ("-1", "68", "NULL"),
    ("width_bucket", 1): ("0", "10"),
    ("width_bucket", 3): ("5", "1", "0"),
    ("round", 1): ("1", "0", "-1", "-3", "5"),
    ("trunc", 1): ("1", "0", "-1", "5"),
    ("to_jsonb", 0): (
        "1", "'x'::text", "1.50::numeric", "true", "'2024-02-29'::date", "array[1, 2]", "'{\"a\": 1}'::jsonb", "NULL::int",
        "'2024-02-29 12:00'::timestamp", "'2024-02-29 12:00+02'::timestamptz", "'1 day'::interval", "'NaN'::float8",
        "'\\x61'::bytea", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid", "1e300::float8", "array['a', NULL]",
        "'12:00'::time", "'infinity'::date", "0.1::float4",
    ),
}  # fmt: skip

HUGE: Final = frozenset(
    (
        "repeat",
        "lpad",
        "rpad",
        "factorial",
        "array_fill",
        "generate_series",
        "to_char",
        "gamma",
        "lgamma",
        "make_interval",
    )
)
"""Functions in which an extreme integer asks for gigabytes, or minutes."""

_NUMBERS = (
    "1234.567",
    "-1234.567",
    "0",
    "0.5",
    "12::int4",
    "-12345678901::int8",
    "1.5::float8",
    "-0.1::float4",
    "1e10::float8",
)
_NUMBER_TEMPLATES = (
    "'9999.99'", "'0000.000'", "'FM9,999.99'", "'S9999.9'", "'9999.9MI'", "'9999PR'", "'FMRN'", "'9.99EEEE'", "'L9999'",
    "'999'", "'99V99'", "'FM990.0'", "'\"n=\"9999'", "'9999th'", "'SG9999'", "''", "'x'",
)  # fmt: skip
_TIMES = (
    "'2024-02-29 15:04:05.678901'::timestamp", "'1999-12-31 00:00:00'::timestamp", "'0044-03-15 12:00 BC'::timestamp",
    "'2024-07-01 09:08:07+02'::timestamptz", "'2024-02-29'::date", "'1 mon 2 days 03:04:05'::interval", "'infinity'::timestamp",
)  # fmt: skip
_TIME_TEMPLATES = (
    "'YYYY-MM-DD HH24:MI:SS.US'", "'Day, DD Month YYYY'", "'FMDay, FMDD FMMonth'", "'HH12:MI AM'", "'IYYY-IW-ID'", "'Q CC J'",
    "'DDD D WW W'", "'Mon DY'", "'MS SSSS'", "'YYY YY Y'", "'DDth'", "'\"at\" HH24'", "'RM'", "'TZ OF'", "'Y,YYY'", "'BC'",
)  # fmt: skip

SPECIAL: Final[dict[str, tuple[str, ...]]] = {
    "to_char": tuple(
        f"{value}, {template}"
        for values, templates in ((_NUMBERS, _NUMBER_TEMPLATES), (_TIMES, _TIME_TEMPLATES))
        for i, value in enumerate(values)
        for template in templates[i % 2 :: 2]
    ),
    "to_date": (
        "'29/02/2024', 'DD/MM/YYYY'", "'20240229', 'YYYYMMDD'", "'2024-366', 'YYYY-DDD'", "'Feb 29 24', 'Mon DD YY'",
        "'2023-02-29', 'YYYY-MM-DD'", "'x', 'YYYY'", "'2024-02', 'YYYY-MM'", "'29 february 2024', 'DD month YYYY'",
        "'2024-13-01', 'YYYY-MM-DD'", "'', 'YYYY'", "'5 BC', 'Y BC'",
    ),
    "to_timestamp": (
        "0", "1709210096.789", "'-1.5'::float8", "'infinity'::float8", "'NaN'::float8", "'2024-02-29 12:34', 'YYYY-MM-DD HH24:MI'",
        "'29 Feb 2024 3 PM', 'DD Mon YYYY HH PM'", "'2024-02-29 25:00', 'YYYY-MM-DD HH24:MI'", "'12:34:56.789', 'HH24:MI:SS.MS'",
        "'2024-02-29 12:34:56+02', 'YYYY-MM-DD HH24:MI:SSTZH'", "1e18",
    ),
    "make_interval": ("1, 2, 3, 4, 5, 6, 7.5", "years => 1", "days => 10, hours => 3", "secs => 1e30", "", "months => NULL"),
    "concat": ("1, 'a', NULL, true, 1.50", "'a'", "NULL", "array[1, 2], 'x'", "VARIADIC array['a', 'b']", "'2024-01-01'::date, 1.5::float8"),
    "concat_ws": ("',', 1, NULL, 'b'", "NULL, 1", "'-', true, '1 day'::interval", "','", "',', VARIADIC array[1, 2]"),
    "format": ("'%s', NULL", "'%L', NULL", "'%I', 'a b'", "'%I', NULL", "'%-5s|', 'a'", "'%*s', 5, 'a'", "'%3$s', 1", "'a'", "NULL", "'%s', array[1]"),
    "greatest": ("1, 2.5, NULL", "'a', 'b'", "1, 'x'", "NULL, NULL", "'2024-01-01'::date, '2024-01-01 12:00'::timestamp", "true, false", "1"),
    "least": ("1, 2.5::float8", "'b', 'a', NULL", "1, '0'", "'1 day'::interval, '24:00:00'", "1, true"),
    "coalesce": ("NULL, 1", "NULL, NULL", "1, 2.5", "NULL, 'x', 'y'", "1, 'x'", "1, 1 / 0", "'2024-01-01'::date, '2024-01-01'::timestamp"),
    "nullif": ("1, 1", "1, 2", "'a', 'b'", "1, NULL", "NULL, 1", "1, 1.0", "1, 'x'", "true, 1"),
    "extract": tuple(
        f"{field} FROM {value}"
        for field in ("year", "month", "day", "hour", "minute", "second", "epoch", "dow", "isodow", "doy", "week", "isoyear", "quarter",
                      "decade", "century", "millennium", "milliseconds", "microseconds", "julian", "timezone", "nonsense")
        for value in (_TIMES[0], _TIMES[3], _TIMES[4], _TIMES[5], "'12:34:56.5'::time")
    ),
    "substring": ("'Hello' FROM 2", "'Hello' FROM 2 FOR 2", "'Hello' FOR 3", "'Hello' FROM -1 FOR 3", "'Hello' FROM 'l+'", "'Hello' FROM 2 FOR -1", "'Hello' FROM '(l)o'", "'\\x616263'::bytea FROM 2", "'Hello' SIMILAR '%#\"l+#\"o' ESCAPE '#'"),
    "position": ("'l' IN 'Hello'", "'' IN 'a'", "'x' IN 'a'", "'\\x62'::bytea IN '\\x6162'", "NULL IN 'a'"),
    "overlay": ("'Hello' PLACING 'xx' FROM 2", "'Hello' PLACING 'xx' FROM 2 FOR 3", "'Hello' PLACING 'xx' FROM 0", "'Hello' PLACING '' FROM 99"),
    "trim": ("'  a '", "BOTH 'x' FROM 'xax'", "LEADING FROM '  a '", "TRAILING 'ab' FROM 'xabab'", "'x' FROM 'xax'", "BOTH FROM NULL", "'\\x00'::bytea FROM '\\x006100'::bytea"),
    "jsonb_path_exists": ("'{\"a\": 1}', '$.a'", "'{\"a\": 1}', 'strict $.b'", "'[1,2]', '$[*] ? (@ > $x)', '{\"x\": 1}'", "'[1]', 'strict $.b', '{}', true", "NULL, '$'"),
    "jsonb_path_match": ("'{\"a\": 1}', '$.a == 1'", "'{\"a\": 1}', '$.a'", "'{\"a\": 1}', 'exists($.a)'"),
    "jsonb_path_query_array": ("'[1, [2]]', '$[*]'", "'[1, [2]]', '$.**'", "'[1.5, -2]', '$[*].abs()'"),
    "jsonb_path_query_first": ("'[1, 2]', '$[1]'", "'[1, 2]', '$[last]'", "'[]', '$[0]'"),
    "jsonb_build_object": ("", "'a', 1, 'b', NULL", "'a'", "NULL, 1", "1, 2, true, 'x'", "'a', array[1, 2], 'd', '2024-01-01'::date"),
    "jsonb_build_array": ("", "1, 'a', NULL, 1.50, true", "array[1], '{\"a\": 1}'::jsonb", "VARIADIC array[1, 2]"),
    "array_append": ("array[1], 2", "array['a'], NULL", "NULL, 1", "array[1], 2.5", "'{1}', 2", "array[1], 'x'"),
    "array_prepend": ("1, array[2]", "NULL, array['a']", "1, NULL"),
    "array_cat": ("array[1], array[2]", "NULL, array[1]", "array[1], '{2}'", "array[1], array['a']"),
    "array_position": ("array[1, 2, 1], 1", "array['a', 'b'], 'c'", "array[1, NULL], NULL", "array[1, 2, 1], 1, 2"),
    "num_nulls": ("1, NULL, 'a'", "VARIADIC array[1, NULL]", ""),
    "num_nonnulls": ("1, NULL, 'a'", "NULL"),
    "overlaps": ("SELECT ('2024-01-01'::date, '2024-01-10'::date) OVERLAPS ('2024-01-09'::date, '2024-02-01'::date)",),
    "similar_to_escape": ("'a%'",),
    "current_schema": ("",),
    "current_schemas": ("false",),
    "current_setting": ("'TimeZone'", "'no.such', true", "'nosuch'"),
    "pg_typeof": ("1", "1.5", "'x'", "'x'::text", "NULL", "array[1]", "now()", "1::int2 + 1::int8", "'1 day'::interval"),
    "to_number": ("'1,234.5', '9,999.9'",),
    "json_build_object": ("'a', 1",),
    "row_to_json": ("ROW(1, 'a')",),
    "version": (),
}  # fmt: skip
"""Whole argument lists of functions with a syntax, or a liberty, of their own."""
