{# One verb each: the statement that creates an object. `relation.definition_hash` goes into the text as a comment. #}

{% macro ptvc__definition_marker(relation) -%}
  {%- if relation.definition_hash -%}{{ adapter.definition_marker(relation.definition_hash) }}{%- endif -%}
{%- endmacro %}

{% macro ptvc__get_create_sql(relation, sql) -%}
  {%- if relation.is_source -%}
    {{ ptvc__get_create_source_sql(relation, sql) }}
  {%- elif relation.is_sink -%}
    {{ ptvc__get_create_sink_sql(relation, sql) }}
  {%- elif config.get('materialized') == 'source_table' -%}
    create table {{ relation.render() }} {{ ptvc__definition_marker(relation) }}
    {{ sql }}
  {%- else -%}
    {{ default__get_create_sql(relation, sql) }}
  {%- endif -%}
{%- endmacro %}

{% macro ptvc__create_table_as(temporary, relation, sql) -%}
  {%- set contract = config.get('contract') -%}
  {{ config.get('sql_header') or '' }}
  {%- if contract.enforced and not temporary %}
  {{ get_assert_columns_equivalent(sql) }}
  create table {{ relation.render() }} {{ get_table_columns_and_constraints() }};
  insert into {{ relation.render() }} ({{ adapter.dispatch('get_column_names', 'dbt')() }})
  (
    {{ get_select_subquery(sql) }}
  );
  {%- else %}
  create {% if temporary %}temporary {% endif -%}
  table {{ relation.include(database=False, schema=(not temporary)) }} as
  {{ sql }}
  {%- endif %}
{%- endmacro %}

{% macro ptvc__create_view_as(relation, sql) -%}
  {%- set contract = config.get('contract') -%}
  {{ config.get('sql_header') or '' }}
  {%- if contract.enforced %}{{ get_assert_columns_equivalent(sql) }}{% endif %}
  create view {{ relation.render() }} as
  {{ adapter.marked_query(sql, relation.definition_hash) }}
{%- endmacro %}

{% macro ptvc__get_create_materialized_view_as_sql(relation, sql) -%}
  {%- set contract = config.get('contract') -%}
  {%- if contract and contract.enforced %}{{ get_assert_columns_equivalent(sql) }}{% endif -%}
  create materialized view {{ relation.render() }}
  {{ ptvc__in_cluster() }}
  {{ ptvc__materialized_view_options() }}
  as
  {{ adapter.marked_query(sql, relation.definition_hash) }}
{%- endmacro %}

{# The new definition of `existing`, built beside it. #}
{% macro ptvc__get_create_replacement_sql(relation, existing, sql) -%}
  {%- set contract = config.get('contract') -%}
  {%- if contract and contract.enforced %}{{ get_assert_columns_equivalent(sql) }}{% endif -%}
  create replacement materialized view {{ relation.render() }} for {{ existing.render() }}
  {{ ptvc__in_cluster() }}
  {{ ptvc__materialized_view_options() }}
  as
  {{ adapter.marked_query(sql, relation.definition_hash) }}
{%- endmacro %}

{# The body of a source is the clause that follows the name: columns, FROM connector, format, envelope. #}
{% macro ptvc__get_create_source_sql(relation, sql) -%}
  create source {{ relation.render() }} {{ ptvc__definition_marker(relation) }}
  {{ adapter.source_clause(sql, ptvc__in_cluster()) }}
{%- endmacro %}

{# The body of a sink is the clause that follows the name, or a `select * from` one relation. #}
{% macro ptvc__get_create_sink_sql(relation, sql) -%}
  {%- set upstream = ptvc__single_relation(sql) -%}
  create sink {{ relation.render() }} {{ ptvc__definition_marker(relation) }}
  {{ ptvc__in_cluster() }}
  {% if upstream is none -%}
  {{ sql }}
  {%- else -%}
  {%- if not config.get('connector') -%}
    {{ exceptions.raise_compiler_error(
        "sink " ~ relation.render() ~ " selects from " ~ upstream ~ " but says not where to: set `connector`, for "
        "instance \"file '/data/out'\", or write the clause that follows CREATE SINK name as the body."
    ) }}
  {%- endif -%}
  from {{ adapter.in_place(upstream) }}
  {%- set of_rows = config.get('connector').split()[0] | lower == 'postgres' %}
  into {{ config.get('connector') }}
  {%- if not of_rows %}
  format {{ config.get('format') or 'json' }}
  {%- endif %}
  {%- if config.get('key') %}
  key ({{ config.get('key') | join(', ') }})
  {%- endif %}
  envelope {{ config.get('envelope') or ('upsert' if config.get('key') else ('none' if of_rows else 'debezium')) }}
  {%- endif %}
{%- endmacro %}
