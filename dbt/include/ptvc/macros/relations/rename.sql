{% macro ptvc__get_rename_sql(relation, new_name) -%}
  alter {{ relation.sql_kind }} {{ relation.render() }} rename to {{ adapter.quote(new_name) }}
{%- endmacro %}

{% macro ptvc__rename_relation(from_relation, to_relation) -%}
  {% call statement('rename_relation') -%}
    {{ ptvc__rename_to(from_relation, to_relation) }}
  {%- endcall %}
{%- endmacro %}

{# The new name is quoted, or not, as the project's `quoting` says. #}
{% macro ptvc__rename_to(from_relation, to_relation) -%}
  alter {{ from_relation.sql_kind }} {{ from_relation.render() }} rename to {{ to_relation.include(database=False, schema=False) }}
{%- endmacro %}

{# To another schema, under another name. Call it by `adapter.move_relation`. #}
{% macro ptvc__move_relation(from_relation, to_relation) -%}
  {% call statement('move_relation') -%}
    alter {{ from_relation.sql_kind }} {{ from_relation.render() }} set schema {{ to_relation.rendered_schema }};
    {{ ptvc__rename_to(from_relation.in_schema(to_relation.schema), to_relation) }}
  {%- endcall %}
{%- endmacro %}

{# One query of several statements is one transaction. Call it by `adapter.take_place`, which tells dbt's cache. #}
{% macro ptvc__take_place(existing, successor, target) -%}
  {% call statement('take_place') -%}
    {{ ptvc__get_drop_sql(existing) }};
    {{ ptvc__rename_to(successor, target) }}
  {%- endcall %}
{%- endmacro %}

{# The sink goes on in its target with what has taken the place of what it reads. #}
{% macro ptvc__cut_over(sink, upstream) -%}
  {% call statement('cut_over') -%}
    alter sink {{ sink.render() }} set from {{ upstream.render() }}
  {%- endcall %}
{%- endmacro %}
