{# Where flights arrive and changes are written: `--vars '{data_dir: ...}'`, PTVC_SAMPLE_DATA, or `data/` here. #}
{% macro data_dir() -%}
  {%- set folder = var('data_dir', none) or env_var('PTVC_SAMPLE_DATA', '') or (flags.PROJECT_DIR | string) ~ '/data' -%}
  {{ return(folder | replace("'", "''")) }}
{%- endmacro %}
