{# The columns of the contract. A not_null constraint of the model is one of its columns'. #}
{% macro ptvc__contracted_columns() -%}
  {{ return(adapter.columns_with_not_null(model.columns, model.constraints or [])) }}
{%- endmacro %}

{% macro ptvc__get_table_columns_and_constraints() -%}
  {%- set columns = adapter.render_raw_columns_constraints(raw_columns=ptvc__contracted_columns()) -%}
  {%- set constraints = adapter.render_raw_model_constraints(raw_constraints=model.constraints or []) -%}
  ({{ (columns + constraints) | join(', ') }})
{%- endmacro %}

{# Names and definitions of what a table enforces. NOT NULL has the name of its column. #}
{% macro ptvc__get_constraints(relation) -%}
  {% call statement('constraints', fetch_result=True, auto_begin=False) -%}
    with named as (
      select c.oid
      from pg_catalog.pg_class c
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      where n.nspname = {{ ptvc__literal(relation.schema) }} and c.relname = {{ ptvc__literal(relation.identifier) }}
    )
    select conname, pg_catalog.pg_get_constraintdef(pg_constraint.oid)
    from pg_catalog.pg_constraint join named on named.oid = conrelid
    where contype in ('c', 'u', 'p')
    union all
    select attname, 'NOT NULL'
    from pg_catalog.pg_attribute join named on named.oid = attrelid
    where attnotnull and attnum > 0
  {%- endcall %}
  {{ return(load_result('constraints').table) }}
{%- endmacro %}

{% macro ptvc__alter_constraints(relation, actions) -%}
  {% if actions %}
    {{ log('constraints of ' ~ relation.render() ~ ': ' ~ actions | join(', '), info=true) }}
    {% do run_query('alter table ' ~ relation.render() ~ ' ' ~ actions | join(', ')) %}
  {% endif %}
{%- endmacro %}

{#
  Bring the constraints of a table that stays to those of its contract, in one statement. Rows that are there already and break a new one
  are an error, and the table is left as it was. `pattern` is where a table with the wanted constraints may be made.
#}
{% macro ptvc__apply_contract(relation, pattern) -%}
  {% set contract = config.get('contract') %}
  {% if contract and contract.enforced %}
    {% do run_query('create table ' ~ pattern.render() ~ ' ' ~ get_table_columns_and_constraints()) %}
    {% set changes = adapter.constraint_changes(relation, pattern) %}
    {% do adapter.drop_relation(pattern) %}
    {% do ptvc__alter_constraints(relation, changes.drop + changes.add) %}
  {% endif %}
{%- endmacro %}

{# dbt says that views have no constraints at all; here is which of them a materialized view does without. #}
{% macro ptvc__warn_of_unenforced(relation) -%}
  {% set contract = config.get('contract') %}
  {% if contract and contract.enforced and relation.is_materialized_view %}
    {% set missing = [] %}
    {% for column in model.columns.values() %}
      {% for constraint in column.get('constraints') or [] %}
        {% if constraint.type != 'not_null' and constraint.get('warn_unsupported', true) %}
          {% do missing.append(constraint.type ~ ' of ' ~ column['name']) %}
        {% endif %}
      {% endfor %}
    {% endfor %}
    {% for constraint in model.constraints or [] if constraint.type != 'not_null' and constraint.get('warn_unsupported', true) %}
      {% do missing.append(constraint.get('name') or constraint.type) %}
    {% endfor %}
    {% if missing %}
      {{ exceptions.warn(
          "materialized view " ~ relation.render() ~ " enforces not_null of its contract (as ASSERT NOT NULL), but not: "
          ~ missing | join(', ') ~ ". Check it with a data test, which `store_failures_as: materialized_view` keeps up to "
          "date, or make the model a table. `warn_unsupported: false` on the constraint silences this."
      ) }}
    {% endif %}
  {% endif %}
{%- endmacro %}
