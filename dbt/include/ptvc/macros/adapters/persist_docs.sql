{% macro ptvc__alter_relation_comment(relation, comment) -%}
  comment on {{ relation.sql_kind }} {{ relation.render() }} is {{ ptvc__literal(comment) }}
{%- endmacro %}

{% macro ptvc__alter_column_comment(relation, column_dict) -%}
  {% set existing = adapter.get_columns_in_relation(relation) | map(attribute='name') | list %}
  {%- for name in column_dict if column_dict[name]['description'] is not none -%}
    {%- set column = column_dict[name]['name'] -%}
    {%- set column = column if column in existing else (column | lower) -%}
    comment on column {{ relation.render() }}.{{ adapter.quote(column) }} is {{ ptvc__literal(column_dict[name]['description']) }};
  {% endfor -%}
{%- endmacro %}
