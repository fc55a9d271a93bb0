{# What is maintained by the runtime, and so is only touched when its definition changed. #}

{# The model's query: of a config `dialect`, what that means in PostgreSQL's SQL. A `ref` in a string is the place of what is staged. #}
{% macro ptvc__query(sql) -%}
  {{ return(adapter.literals_in_place(adapter.translated(sql, model))) }}
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
  {{ return(ptvc__maintain(this.incorporate(type='source'), sql)) }}
{% endmaterialization %}

{% materialization sink, adapter='ptvc' %}
  {% set upstream = ptvc__single_relation(sql) %}
  {% set body = sql if upstream is none else 'select * from ' ~ upstream %}
  {% set existing = ptvc__sink_in_production(body) %}
  {% if existing is not none %}{{ return(ptvc__leave_sink(existing)) }}{% endif %}
  {{ return(ptvc__maintain(this.incorporate(type='sink'), body)) }}
{% endmaterialization %}

{# dbt-materialize makes a table of one of the streams of a source; here a source has one, and is read itself. #}
{% materialization source_table, adapter='ptvc' %}
  {{ exceptions.raise_compiler_error(
      "`materialized: source_table` of " ~ this.render() ~ " is not supported: a source has one stream here, and is read like a "
      "table. Write the columns, the format and the envelope into the `source` model, and make this one a `view` on it "
      "(`select * from` a ref), or have the other models read the source."
  ) }}
{% endmaterialization %}
