"""A dbt project of any size, as a team would have it: sources, staging views, joins, marts, contracts, tests, macros."""

from __future__ import annotations

import json
from pathlib import Path

PROJECT = """\
name: generated
version: "1.0.0"
config-version: 2
profile: generated
flags: {send_anonymous_usage_stats: false}
models:
  generated:
    staging: {+materialized: view}
    marts: {+materialized: materialized_view}
"""
PROFILES = (
    "generated: {target: here, outputs: {here: {type: ptvc, host: 127.0.0.1, port: 1, schema: public}}}\n"
)
MACROS = """\
{% macro cents(column) %}round({{ column }} * 100){% endmacro %}

{% macro columns_but(relation, left_out) -%}
  {%- for column in adapter.get_columns_in_relation(relation) if column.name not in left_out %}
    {{ column.name }}{{ "," if not loop.last }}
  {%- endfor %}
{%- endmacro %}
"""

STAGING = """\
-- Orders of one shop, renamed and cleaned.
with source as (
    select * from {{{{ source('shop', 'orders_{n}') }}}}
)

select
    id as order_id,
    customer as customer_id,
    trim(status) as status,
    amount,
    {{{{ cents('amount') }}}} as cents,
    placed_at,
    placed_at::date as day
from source
where status <> 'test'
"""
JOINED = """\
select
    o.order_id,
    o.customer_id,
    o.amount,
    o.day,
    c.amount as other_amount,
    coalesce(c.status, 'none') as other_status
from {{{{ ref('{left}') }}}} as o
left join {{{{ ref('{right}') }}}} as c
    on c.customer_id = o.customer_id and c.day = o.day
where o.amount > 0
"""
RANKED = """\
select {{{{ columns_but(ref('{read}'), ['other_status']) }}}},
    row_number() over (partition by customer_id order by day desc, order_id) as place
from {{{{ ref('{read}') }}}}
"""
TOTALS = """\
select
    customer_id,
    day,
    count(*) as orders,
    sum(amount) as total,
    max(case when amount > 100 then 1 else 0 end) as has_large
from {{{{ ref('{read}') }}}}
group by customer_id, day
having count(*) > 0
"""


def write_project(root: Path, models: int) -> list[str]:
    """The project's files in `root`; the names of its models, each after those that it reads."""
    for folder in ("models/staging", "models/marts", "macros"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "dbt_project.yml").write_text(PROJECT)
    (root / "profiles.yml").write_text(PROFILES)
    (root / "macros" / "macros.sql").write_text(MACROS)
    names: list[str] = []
    sources, documented = [], []
    for group in range((models + 4) // 5):
        other = max(group - 1, 0)
        made = {
            f"stg_{group}": STAGING.format(n=group),
            f"joined_{group}": JOINED.format(left=f"stg_{group}", right=f"stg_{other}"),
            f"ranked_{group}": RANKED.format(read=f"joined_{group}"),
            f"totals_{group}": TOTALS.format(read=f"joined_{group}"),
            f"again_{group}": TOTALS.format(read=f"ranked_{group}"),
        }
        for name, text in made.items():
            if len(names) == models:
                break
            folder = "staging" if name.startswith("stg_") else "marts"
            (root / "models" / folder / f"{name}.sql").write_text(text)
            names.append(name)
        sources.append(_SOURCE.format(n=group))
        documented.append(_DOCUMENTED.format(n=group))
    (root / "models" / "sources.yml").write_text(
        "sources:\n  - name: shop\n    schema: raw\n    tables:\n" + "".join(sources)
    )
    listed = [text for group, text in enumerate(documented) if f"totals_{group}" in names]
    if listed:
        (root / "models" / "marts" / "schema.yml").write_text("models:\n" + "".join(listed))
    return names


_SOURCE = """\
      - name: orders_{n}
        columns:
          - {{name: id, data_type: bigint}}
          - {{name: customer, data_type: integer}}
          - {{name: status, data_type: text}}
          - {{name: amount, data_type: "numeric(12, 2)"}}
          - {{name: placed_at, data_type: timestamp}}
"""
_DOCUMENTED = """\
  - name: totals_{n}
    config: {{contract: {{enforced: true}}}}
    columns:
      - {{name: customer_id, data_type: integer, data_tests: [not_null]}}
      - {{name: day, data_type: date}}
      - {{name: orders, data_type: bigint}}
      - {{name: total, data_type: numeric}}
      - {{name: has_large, data_type: integer}}
"""


def write_compiled(root: Path) -> Path:
    """The project's manifest as `dbt compile` would write it."""
    from ptvc.check.run import of_project

    manifest = root / "target" / "manifest.json"
    with of_project(root, ["--profiles-dir", str(root)]) as subject:
        subject.check()  # macros look at the columns of what was checked before
        compiled = {
            id_: subject.rendered(node)
            for id_, node in subject.project.nodes.items()
            if node.type in ("model", "test") and node.raw
        }
    document = json.loads(manifest.read_text())
    for id_, code in compiled.items():
        document["nodes"][id_]["compiled_code"] = code
    written = root / "compiled.json"
    written.write_text(json.dumps(document))
    return written
