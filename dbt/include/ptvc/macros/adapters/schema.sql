{% macro ptvc__create_schema(relation) -%}
  {{ adapter.verify_database(relation.database) }}
  {%- call statement('create_schema') -%}
    create schema if not exists {{ relation.without_identifier().include(database=False) }}
  {%- endcall -%}
{%- endmacro %}

{% macro ptvc__drop_schema(relation) -%}
  {{ adapter.verify_database(relation.database) }}
  {%- call statement('drop_schema') -%}
    drop schema if exists {{ relation.without_identifier().include(database=False) }} cascade
  {%- endcall -%}
{%- endmacro %}
