{% macro ptvc__get_drop_sql(relation) -%}
  drop {{ relation.sql_kind }} if exists {{ relation.render() }}{{ '' if relation.is_sink or relation.is_index else ' cascade' }}
{%- endmacro %}
