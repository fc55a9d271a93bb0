{% macro ptvc__get_rename_sql(relation, new_name) -%}
  alter {{ relation.sql_kind }} {{ relation.render() }} rename to {{ adapter.quote(new_name) }}
{%- endmacro %}

{% macro ptvc__rename_relation(from_relation, to_relation) -%}
  {% call statement('rename_relation') -%}
    {{ get_rename_sql(from_relation, to_relation.identifier) }}
  {%- endcall %}
{%- endmacro %}
