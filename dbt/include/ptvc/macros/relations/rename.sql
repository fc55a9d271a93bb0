{% macro ptvc__get_rename_sql(relation, new_name) -%}
  alter {{ relation.sql_kind }} {{ relation.render() }} rename to {{ adapter.quote(new_name) }}
{%- endmacro %}

{# The new name is quoted, or not, as the project's `quoting` says. #}
{% macro ptvc__rename_relation(from_relation, to_relation) -%}
  {% call statement('rename_relation') -%}
    alter {{ from_relation.sql_kind }} {{ from_relation.render() }} rename to {{ to_relation.include(database=False, schema=False) }}
  {%- endcall %}
{%- endmacro %}
