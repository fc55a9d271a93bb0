{# Where flights arrive and changes are written: `--vars '{data_dir: ...}'`, PTVC_SAMPLE_DATA, or `data/` here. #}
{% macro data_dir() -%}
  {%- set folder = var('data_dir', none) or env_var('PTVC_SAMPLE_DATA', '') -%}
  {%- if not folder -%}
    {%- set folder = (invocation_args_dict.get('project_dir') or '') ~ '/data' -%}
  {%- endif -%}
  {%- if execute and not folder.startswith('/') -%}
    {{ exceptions.raise_compiler_error(
        "data_dir '" ~ folder ~ "' is not an absolute path, and the runtime has a working directory of its own. "
        ~ "Run dbt inside the project, or give --vars '{data_dir: /absolute/path}'.") }}
  {%- endif -%}
  {{ return(folder | replace("'", "''")) }}
{%- endmacro %}
