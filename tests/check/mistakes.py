"""A project of which every model of the folder `wrong` has one mistake, in a line that is known."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FILES = {
    "dbt_project.yml": """\
name: shop
version: "1.0.0"
config-version: 2
profile: shop
flags: {send_anonymous_usage_stats: false}
models: {shop: {+materialized: view}}
seeds: {shop: {+quote_columns: false}}
""",
    "profiles.yml": "shop: {target: here, outputs: {here: {type: ptvc, host: 127.0.0.1, port: 1, schema: public}}}\n",
    "seeds/countries.csv": "code,name,population\nAT,Austria,9000000\nCN,China,1400000000\nIN,India,4400000000\n",
    "macros/macros.sql": "{% macro cents(column) %}round({{ column }} * 100){% endmacro %}\n",
    "models/sources.yml": """\
sources:
  - name: raw
    schema: raw
    tables:
      - name: orders
        columns:
          - {name: id, data_type: bigint}
          - {name: customer, data_type: integer}
          - {name: country, data_type: text}
          - {name: status, data_type: text}
          - {name: amount, data_type: "numeric(12, 2)"}
          - {name: placed_at, data_type: timestamp}
          - {name: tags, data_type: "text[]"}
          - {name: document, data_type: jsonb}
""",
    "models/orders.sql": "select *, placed_at::date as day from {{ source('raw', 'orders') }}\n",
    "models/totals.sql": """\
{{ config(materialized='materialized_view') }}
select customer, day, sum(amount) as total from {{ ref('orders') }} group by customer, day
""",
    "models/recent.sql": "{{ config(materialized='ephemeral') }}\nselect * from {{ ref('orders') }} where amount > 0\n",
}


@dataclass(frozen=True)
class Mistake:
    """`line` and `column` of the file, from 1; column 0: only the line is known."""

    name: str
    sql: str
    line: int
    column: int
    message: str


MV = "{{ config(materialized='materialized_view') }}\n"
ORDERS = "from {{ ref('orders') }}"

MISTAKES = [
    Mistake("column", f"select\n    id,\n    custmer\n{ORDERS}", 3, 5, 'column "custmer" does not exist'),
    Mistake("qualified", f"select\n    o.id,\n    o.nope\n{ORDERS} as o", 3, 5, "column o.nope does not exist"),
    Mistake("alias", f"select x.id\n{ORDERS} as o", 1, 8, 'missing FROM-clause entry for table "x"'),
    Mistake("relation", "select *\nfrom public.nothing", 2, 6, 'relation "public.nothing" does not exist'),
    Mistake("schema", "select *\nfrom nowhere.orders", 2, 6, 'relation "nowhere.orders" does not exist'),
    Mistake("cte", f"with a as (select id {ORDERS})\nselect b.id\nfrom b", 3, 6, 'relation "b" does not exist'),
    Mistake("cte_column", f"with a as (\n    select id {ORDERS}\n)\nselect\n    amount\nfrom a", 5, 5, '"amount" does not exist'),
    Mistake("compared", f"select id\n{ORDERS}\nwhere customer = country", 3, 16, "operator does not exist: integer = text"),
    Mistake(
        "joined",
        "select o.id\nfrom {{ ref('orders') }} as o\njoin {{ ref('countries') }} as c\n    on o.id = c.name",
        4, 13, "operator does not exist: bigint = text",
    ),
    Mistake("added", f"select\n    amount + day\n{ORDERS}", 2, 12, "operator does not exist: numeric + date"),
    Mistake("concatenated", f"select\n    id || customer\n{ORDERS}", 2, 8, "operator does not exist"),
    Mistake("function", f"select\n    coalesc(country, '')\n{ORDERS}", 2, 5, "function coalesc(text, unknown) does not exist"),
    Mistake("arguments", f"select\n    round(country)\n{ORDERS}", 2, 5, "function round(text) does not exist"),
    Mistake("grouping", f"select\n    customer,\n    country,\n    count(*)\n{ORDERS}\ngroup by customer", 3, 5, "must appear in the GROUP BY clause"),
    Mistake("aggregate_in_where", f"select id\n{ORDERS}\nwhere sum(amount) > 1", 3, 7, "aggregate functions are not allowed in WHERE"),
    Mistake("window_in_where", f"select id\n{ORDERS}\nwhere row_number() over () = 1", 3, 7, "window functions are not allowed in WHERE"),
    Mistake("nested_aggregate", f"select\n    sum(count(*))\n{ORDERS}", 2, 9, "aggregate function calls cannot be nested"),
    Mistake("ambiguous", "select\n    id\nfrom {{ ref('orders') }} as a\njoin {{ ref('orders') }} as b on a.id = b.id", 2, 5, 'column reference "id" is ambiguous'),
    Mistake("twice", "select 1 as one\nfrom {{ ref('orders') }}\njoin {{ ref('orders') }} on true", 3, 6, "specified more than once"),
    Mistake("syntax", f"select\n    id,\n    customer,\n{ORDERS}", 4, 1, 'syntax error at or near "from"'),
    Mistake("unclosed", f"select\n    (id + 1\n{ORDERS}", 3, 1, "syntax error"),
    Mistake("keyword", f"selct id\n{ORDERS}", 1, 1, "syntax error"),
    Mistake("quote", f"select\n    'it\n{ORDERS}", 2, 5, "unterminated quoted string"),
    Mistake("union_columns", f"select id, country {ORDERS}\nunion all\nselect id {ORDERS}", 3, 8, "must have the same number of columns"),
    Mistake("union_types", f"select id {ORDERS}\nunion all\nselect country {ORDERS}", 3, 8, "UNION types bigint and text cannot be matched"),
    Mistake("case_types", f"select\n    case when id = 1\n        then amount\n        else day\n    end as c\n{ORDERS}", 3, 14, "CASE types"),
    Mistake("coalesce_types", f"select\n    coalesce(id, country)\n{ORDERS}", 2, 18, "COALESCE types"),
    Mistake("subquery", f"select id\n{ORDERS}\nwhere customer in (select id, customer {ORDERS})", 3, 16, "subquery has too many columns"),
    Mistake("condition", f"select id\n{ORDERS}\nwhere amount", 3, 7, "argument of WHERE must be type boolean"),
    Mistake("having", f"select customer\n{ORDERS}\ngroup by customer\nhaving day > '2024-01-01'", 4, 8, "must appear in the GROUP BY clause"),
    Mistake("order", f"select distinct customer\n{ORDERS}\norder by day", 3, 10, "for SELECT DISTINCT, ORDER BY expressions must appear in select list"),
    Mistake("literal", f"select\n    id\n{ORDERS}\nwhere day > 'tomorow'", 4, 13, "invalid input syntax for type date"),
    Mistake("cast", f"select\n    day::integer\n{ORDERS}", 2, 8, "cannot cast type date to integer"),
    Mistake("type", f"select\n    id::strng\n{ORDERS}", 2, 9, 'type "strng" does not exist'),
    Mistake("now", f"{MV}select\n    id,\n    now() as at\n{ORDERS}", 4, 5, "now is not allowed in a materialized view"),
    Mistake("age", f"{MV}select id\n{ORDERS}\nwhere day > current_date - 7", 4, 13, "current_date"),
    Mistake("random", f"{MV}select\n    random() as r\n{ORDERS}", 3, 5, "random"),
    Mistake("system", MV + "select *\nfrom mz_catalog.mz_objects", 3, 6, "system relation"),
    Mistake("columns_twice", f"select\n    id,\n    customer as id\n{ORDERS}", 3, 17, 'column "id" specified more than once'),
    Mistake("array", f"select\n    tags[1][2]\n{ORDERS}", 2, 12, "arrays of several dimensions"),
    Mistake("behind_a_macro", f"select\n    {{{{ cents('amount') }}}} as cents,\n    {{{{ cents('amount') }}}} + missing as more\n{ORDERS}", 3, 29, '"missing" does not exist'),
    Mistake("in_a_macro", f"select\n    id,\n    {{{{ cents('prise') }}}} as cents\n{ORDERS}", 3, 5, '"prise" does not exist'),
    Mistake("behind_a_loop", "select\n{% for name in ['id', 'day'] %}\n    {{ name }},\n{% endfor %}\n    amout\n" + ORDERS, 5, 5, '"amout" does not exist'),
    Mistake("in_a_loop", "select\n    {% for name in ['id', 'dey'] %}\n    {{ name }}{{ ',' if not loop.last }}\n    {% endfor %}\n" + ORDERS, 3, 5, '"dey" does not exist'),
    Mistake("over_ephemeral", "select\n    id,\n    nothing\nfrom {{ ref('recent') }}", 3, 5, '"nothing" does not exist'),
    Mistake("seed_column", "select\n    population,\n    area\nfrom {{ ref('countries') }}", 3, 5, '"area" does not exist'),
    Mistake("using", "select id\nfrom {{ ref('orders') }}\njoin {{ ref('countries') }} using (code)", 3, 1, 'column "code" specified in USING clause does not exist in left table'),
    Mistake("lateral", "select o.id\nfrom {{ ref('orders') }} as o,\n    unnest(o.amount) as t", 3, 5, "function unnest(numeric) does not exist"),
    Mistake("no_macro", f"select\n    {{{{ cent('amount') }}}}\n{ORDERS}", 2, 8, "'cent' is undefined"),
]  # fmt: skip

DECLARED = """\
models:
  - name: promised
    config: {contract: {enforced: true}}
    columns:
      - {name: id, data_type: integer}
      - {name: customer, data_type: integer}
      - {name: note, data_type: text}
      - {name: day, data_type: dat}
  - name: totals
    columns:
      - name: customer
        data_tests: [not_null]
      - name: totl
        data_tests:
          - not_null
unit_tests:
  - name: adds_up
    model: totals
    given:
      - input: ref('orders')
        rows:
          - {customer: 1, day: 2024-01-01, amount: 5}
    expect:
      rows: [{customer: 1, total: 5}]
"""
PROMISED = "select id, customer, day, country from {{ ref('orders') }}\n"
SINGULAR = "select customer\nfrom {{ ref('totals') }}\nwhere summe < 0\n"

IN_DECLARATIONS = [
    ("models/wrong/declared.yml", 5, "is of type bigint, its contract says integer"),
    ("models/wrong/declared.yml", 7, 'promises column "note" (text)'),
    ("models/wrong/declared.yml", 8, 'type "dat" does not exist'),
    ("models/wrong/declared.yml", 2, 'column "country" (text) of "promised" is not in its contract'),
    ("models/wrong/declared.yml", 13, 'has no column "totl", which is documented'),
    ("models/wrong/declared.yml", 15, 'column "totl" does not exist'),
    ("tests/singular.sql", 3, 'column "summe" does not exist'),
]


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def write_mistakes(root: Path) -> None:
    write(root, FILES)
    write(root, {f"models/wrong/{mistake.name}.sql": mistake.sql + "\n" for mistake in MISTAKES})
    write(
        root,
        {
            "models/wrong/declared.yml": DECLARED,
            "models/wrong/promised.sql": PROMISED,
            "tests/singular.sql": SINGULAR,
        },
    )
