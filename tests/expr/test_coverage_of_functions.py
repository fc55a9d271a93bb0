"""How much of PostgreSQL's functions of text, numbers, bytea, uuid and arrays there is, family by family.

The families are those of its manual (9.3 to 9.8, 9.14, 9.19).  What is not here is refused as such (0A000), never said
not to exist; the counts are printed with `pytest -s`.
"""

from __future__ import annotations

import psycopg
import pytest
from ptvc.expr.registry import FUNCTIONS, KNOWN_ELSEWHERE
from ptvc.expr.tables.table_functions import NAMES

FAMILIES = {
    "numbers": """abs cbrt ceil ceiling degrees div erf erfc exp factorial floor gamma gcd lcm lgamma ln log log10 min_scale
        mod pi pow power radians round scale sign sqrt trim_scale trunc width_bucket random random_normal setseed""",
    "trigonometry": """acos acosd asin asind atan atand atan2 atan2d cos cosd cot cotd sin sind tan tand sinh cosh tanh
        asinh acosh atanh""",
    "text": """ascii bit_length btrim casefold char_length character_length chr concat concat_ws format initcap
        is_normalized left length lower lpad ltrim md5 normalize octet_length overlay parse_ident position quote_ident
        quote_literal quote_nullable repeat replace reverse right rpad rtrim split_part starts_with string_to_array
        string_to_table strpos substr substring to_ascii to_bin to_hex to_oct translate unicode_assigned unistr upper""",
    "patterns": """regexp_count regexp_instr regexp_like regexp_match regexp_matches regexp_replace
        regexp_split_to_array regexp_split_to_table regexp_substr similar_to_escape""",
    "bytea": """bit_count convert convert_from convert_to crc32 crc32c decode encode get_bit get_byte set_bit set_byte
        sha224 sha256 sha384 sha512""",
    "uuid": "gen_random_uuid uuidv4 uuidv7 uuid_extract_timestamp uuid_extract_version",
    "arrays": """array_append array_cat array_dims array_fill array_length array_lower array_ndims array_position
        array_positions array_prepend array_remove array_replace array_reverse array_sample array_shuffle array_sort
        array_to_string array_upper cardinality trim_array unnest""",
    "formatting": "to_char to_number",
    "others": "num_nulls num_nonnulls pg_input_error_info pg_input_is_valid pg_size_pretty pg_size_bytes",
}
HERE = FUNCTIONS.keys() | NAMES


@pytest.mark.parametrize("family", list(FAMILIES))
def test_every_function_is_here_or_refused(oracle: psycopg.Connection, family: str) -> None:
    names = set(FAMILIES[family].split())
    rows = oracle.execute(
        "SELECT DISTINCT proname FROM pg_proc WHERE proname = ANY (%s)", (sorted(names),)
    ).fetchall()
    assert {name for (name,) in rows} == names
    refused = names - HERE
    print(
        f"\n{family}: {len(names) - len(refused)} of {len(names)}; refused: {', '.join(sorted(refused)) or 'none'}"
    )
    assert refused <= KNOWN_ELSEWHERE


def test_nothing_is_both_here_and_refused() -> None:
    assert not FUNCTIONS.keys() & KNOWN_ELSEWHERE
