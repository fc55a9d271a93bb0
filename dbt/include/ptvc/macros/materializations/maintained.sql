{# What is maintained by the runtime, and so is only touched when its definition changed. #}

{# The model's query: of a config `dialect`, what that means in PostgreSQL's SQL. A `ref` in a string is the place of what is staged.
   A model in Python has none. #}
{% macro ptvc__query(sql) -%}
  {% set query = adapter.translated(sql, model) %}
  {{ return(none if query is none else adapter.literals_in_place(query)) }}
{%- endmacro %}

{% materialization view, adapter='ptvc' %}
  {{ return(ptvc__maintain(this.incorporate(type='view'), ptvc__query(sql))) }}
{% endmaterialization %}

{% materialization materialized_view, adapter='ptvc' %}
  {{ return(ptvc__maintain(this.incorporate(type='materialized_view'), ptvc__query(sql))) }}
{% endmaterialization %}

{# As dbt-materialize called it once. #}
{% materialization materializedview, adapter='ptvc' %}
  {{ exceptions.warn("the materialization of " ~ this.render() ~ " is called `materialized_view` now: `materializedview` is the old word for it.") }}
  {{ return(ptvc__maintain(this.incorporate(type='materialized_view'), ptvc__query(sql))) }}
{% endmaterialization %}

{% materialization source, adapter='ptvc' %}
  {% if adapter.is_of_source(sql) %}
    {{ exceptions.raise_compiler_error(
        model.name ~ " is a table of a source, not a source: set `materialized='source_table'`.") }}
  {% endif %}
  {{ return(ptvc__maintain(this.incorporate(type='source'), sql)) }}
{% endmaterialization %}

{% materialization sink, adapter='ptvc' %}
  {% set upstream = ptvc__single_relation(sql) %}
  {% set body = sql if upstream is none else 'select * from ' ~ upstream %}
  {% set existing = ptvc__sink_in_production(body) %}
  {% if existing is not none %}{{ return(ptvc__leave_sink(existing)) }}{% endif %}
  {{ return(ptvc__maintain(this.incorporate(type='sink'), body)) }}
{% endmaterialization %}

{# One of the tables that a source offers, which the source writes: the body is `from source {{ ref(...) }} (reference ...)`. #}
{% materialization source_table, adapter='ptvc' %}
  {{ return(ptvc__maintain(this.incorporate(type='table'), sql)) }}
{% endmaterialization %}
