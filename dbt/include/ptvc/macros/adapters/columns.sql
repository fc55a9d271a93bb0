{# A temporary relation has no schema: it lives in the session's own, pg_temp_<n>. #}
{% macro ptvc__get_columns_in_relation(relation) -%}
  {% call statement('get_columns_in_relation', fetch_result=True, auto_begin=False) %}
    select
      column_name,
      data_type,
      character_maximum_length,
      numeric_precision,
      numeric_scale
    from information_schema.columns
    where table_name = {{ ptvc__literal(relation.identifier) }}
      {% if relation.schema -%}
      and table_schema = {{ ptvc__literal(relation.schema) }}
      {%- else -%}
      and table_schema like 'pg_temp%'
      {%- endif %}
    order by ordinal_position
  {% endcall %}
  {{ return(sql_convert_columns_in_relation(load_result('get_columns_in_relation').table)) }}
{%- endmacro %}
