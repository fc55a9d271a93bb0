{# Functions in SQL, Python and JavaScript: CREATE OR REPLACE, which changes nothing where the function is what it was. What is over a function has
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

{# Its body is text, and holds the names that are there when the run has ended. #}
{% macro ptvc__scalar_function_body_sql() -%}
  $$
     {{ adapter.in_place(model.compiled_code) }}
  $$ LANGUAGE SQL
{%- endmacro %}

{% macro ptvc__scalar_function_sql(target_relation) -%}
  {%- if model.config.get('language') == 'javascript' -%}
    {{ ptvc__javascript_function('FUNCTION', target_relation) }}
  {%- else -%}
    {{ default__scalar_function_sql(target_relation) }}
  {%- endif -%}
{%- endmacro %}

{# An expression over aggregates of the arguments. #}
{% macro ptvc__aggregate_function_sql(target_relation) -%}
  {%- if model.config.get('language') == 'javascript' -%}
    {{ ptvc__javascript_function('AGGREGATE FUNCTION', target_relation) }}
  {%- else -%}
    {{ get_aggregate_function_create_replace_signature(target_relation) }}
    {{ scalar_function_body_sql() }};
  {%- endif -%}
{%- endmacro %}

{% macro aggregate_function_sql(target_relation) -%}
  {{ return(adapter.dispatch('aggregate_function_sql', 'dbt')(target_relation)) }}
{%- endmacro %}

{% macro ptvc__scalar_function_python(target_relation) -%}
  {{ ptvc__python_function('FUNCTION', target_relation) }}
{%- endmacro %}

{# A class with accumulate(value, ...) and finish(). #}
{% macro ptvc__aggregate_function_python(target_relation) -%}
  {{ ptvc__python_function('AGGREGATE FUNCTION', target_relation) }}
{%- endmacro %}

{# The source stands as it was written: its indentation means something. #}
{% macro ptvc__python_function(kind, target_relation) -%}
  {%- set packages = model.config.get('packages') or [] -%}
  {%- set literals = [] -%}
  {%- for package in packages -%}
    {%- do literals.append("'" ~ package | replace("'", "''") ~ "'") -%}
  {%- endfor -%}
  {%- set timeout = model.config.get('timeout') -%}
  CREATE OR REPLACE {{ kind }} {{ target_relation.render() }} ({{ formatted_scalar_function_args_sql() }})
  RETURNS {{ model.returns.data_type }}
  LANGUAGE PYTHON
  {{ scalar_function_volatility_sql() | trim }}
  RUNTIME_VERSION = '{{ model.config.get('runtime_version') }}'
  HANDLER = '{{ model.config.get('entry_point') }}'
  {% if literals -%} PACKAGES = ({{ literals | join(', ') }}) {%- endif %}
  {% if timeout is not none -%} TIMEOUT = '{{ timeout }}' {%- endif %}
  AS $python$
{{ model.compiled_code }}
$python$;
{%- endmacro %}

{# dbt 1.11 knows no files in JavaScript, so such a function is an .sql file whose config says `language: javascript`. It is the body of
   a function; of an aggregate a module that exports initialState(), aggregate(state, value, ...) and finalize(state). Names of
   arguments are quoted: JavaScript tells their case apart. #}
{% macro ptvc__javascript_function(kind, target_relation) -%}
  {%- set timeout = model.config.get('timeout') -%}
  {%- set args = [] -%}
  {%- for arg in model.arguments -%}
    {%- set default = arg.get('default_value') -%}
    {%- do args.append(adapter.quote(arg.name) ~ ' ' ~ arg.data_type ~ (' DEFAULT ' ~ default if default is not none else '')) -%}
  {%- endfor -%}
  CREATE OR REPLACE {{ kind }} {{ target_relation.render() }} ({{ args | join(', ') }})
  RETURNS {{ model.returns.data_type }}
  LANGUAGE javascript
  {{ scalar_function_volatility_sql() | trim }}
  {% if timeout is not none -%} TIMEOUT = '{{ timeout }}' {%- endif %}
  AS $javascript$
{{ model.compiled_code }}
$javascript$;
{%- endmacro %}
