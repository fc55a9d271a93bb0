{# Clusters have a prefix in CI. #}
{% macro generate_cluster_name(custom_cluster_name) -%}
  {%- if custom_cluster_name and target.name == 'ci' -%}
    ci_{{ custom_cluster_name }}
  {%- elif custom_cluster_name -%}
    {{ generate_deploy_cluster_name(custom_cluster_name) }}
  {%- else -%}
    {{ target.cluster }}
  {%- endif -%}
{%- endmacro %}
