{# Snapshots are dbt's own; here MERGE is an UPDATE and an INSERT, which one query of two statements commits together. #}

{% macro ptvc__snapshot_merge_sql(target, source, insert_cols) -%}
  {%- set columns = config.get('snapshot_table_column_names') or get_snapshot_table_column_names() -%}
  {%- set names = insert_cols | join(', ') -%}
  {%- set current = config.get('dbt_valid_to_current') -%}
  update {{ target.render() }} as dbt_internal_dest
  set {{ columns.dbt_valid_to }} = dbt_internal_source.{{ columns.dbt_valid_to }}
  from {{ source }} as dbt_internal_source
  where dbt_internal_source.{{ columns.dbt_scd_id }} = dbt_internal_dest.{{ columns.dbt_scd_id }}
    and dbt_internal_source.dbt_change_type in ('update', 'delete')
    {% if current -%}
    and (dbt_internal_dest.{{ columns.dbt_valid_to }} = {{ current }} or dbt_internal_dest.{{ columns.dbt_valid_to }} is null)
    {%- else -%}
    and dbt_internal_dest.{{ columns.dbt_valid_to }} is null
    {%- endif %};
  insert into {{ target.render() }} ({{ names }})
  select {{ names }} from {{ source }} as dbt_internal_source
  where dbt_internal_source.dbt_change_type = 'insert'
{%- endmacro %}

{% macro ptvc__snapshot_get_time() -%}
  cast(now() as timestamp)
{%- endmacro %}

{% macro ptvc__snapshot_string_as_time(timestamp) -%}
  {{ return("cast('" ~ timestamp ~ "' as timestamp)") }}
{%- endmacro %}

{# A `ref` in a string is the place of what is staged. #}
{% macro ptvc__build_snapshot_table(strategy, sql) -%}
  {{ return(default__build_snapshot_table(strategy, adapter.literals_in_place(sql))) }}
{%- endmacro %}

{% macro ptvc__snapshot_staging_table(strategy, source_sql, target_relation) -%}
  {{ return(default__snapshot_staging_table(strategy, adapter.literals_in_place(source_sql), target_relation)) }}
{%- endmacro %}
