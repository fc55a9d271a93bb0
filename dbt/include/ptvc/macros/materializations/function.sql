{# Functions in SQL: CREATE OR REPLACE, which changes nothing where the function is what it was. What is over a function has
   its body in it, so another body is refused while there is such; --full-refresh drops that, and what is over it. #}

{% macro ptvc__formatted_scalar_function_args_sql() -%}
  {%- set args = [] -%}
  {%- for arg in model.arguments -%}
    {%- set default = arg.get('default_value') -%}
    {%- do args.append(arg.name ~ ' ' ~ arg.data_type ~ (' DEFAULT ' ~ default if default is not none else '')) -%}
  {%- endfor -%}
  {{ args | join(', ') }}
{%- endmacro %}

{% macro ptvc__function_execute_build_sql(build_sql, existing_relation, target_relation) -%}
  {% if existing_relation is not none and should_full_refresh() %}
    {% do adapter.drop_relation(existing_relation) %}
  {% endif %}
  {{ return(default__function_execute_build_sql(build_sql, existing_relation, target_relation)) }}
{%- endmacro %}

{# An expression over aggregates of the arguments. #}
{% macro ptvc__aggregate_function_sql(target_relation) -%}
  {{ get_aggregate_function_create_replace_signature(target_relation) }}
  {{ scalar_function_body_sql() }};
{%- endmacro %}

{% macro aggregate_function_sql(target_relation) -%}
  {{ return(adapter.dispatch('aggregate_function_sql', 'dbt')(target_relation)) }}
{%- endmacro %}
