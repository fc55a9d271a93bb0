{# A temporary relation has no schema: it lives in the session's own, pg_temp_<n>. Of an array PostgreSQL's data_type does not say of what. #}
{% macro ptvc__get_columns_in_relation(relation) -%}
  {% call statement('get_columns_in_relation', fetch_result=True, auto_begin=False) %}
    select
      column_name,
      case data_type when 'ARRAY' then substr(udt_name, 2) || '[]' else data_type end as data_type,
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

{# One statement an action: a DROP COLUMN stands alone. #}
{% macro ptvc__alter_relation_add_remove_columns(relation, add_columns, remove_columns) -%}
  {% set actions = [] %}
  {% for column in add_columns or [] %}
    {% do actions.append('add column ' ~ column.quoted ~ ' ' ~ column.expanded_data_type) %}
  {% endfor %}
  {% for column in remove_columns or [] %}
    {% do actions.append('drop column ' ~ column.quoted) %}
  {% endfor %}
  {% for action in actions %}
    {% do run_query('alter table ' ~ relation.render() ~ ' ' ~ action) %}
  {% endfor %}
{%- endmacro %}
