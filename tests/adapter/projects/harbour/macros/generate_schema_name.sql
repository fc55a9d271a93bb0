{# One schema for each layer; deploy_* build beside them. #}
{% macro generate_schema_name(custom_schema_name, node) -%}
  {%- set suffix = '_dbt_deploy' if var('deploy', False) and custom_schema_name != 'ingest' else '' -%}
  {%- if custom_schema_name is none -%}
    {{ target.schema }}{{ suffix }}
  {%- else -%}
    {{ target.schema }}_{{ custom_schema_name | trim }}{{ suffix }}
  {%- endif -%}
{%- endmacro %}
