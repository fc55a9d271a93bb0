{# Where a run with `--vars 'deploy: true'` builds: beside production. #}

{% macro ptvc__deployment() -%}
  {{ return(var('deployment', {})) }}
{%- endmacro %}

{% macro ptvc__deploying() -%}
  {{ return((var('deploy', false) | string | lower) in ('true', '1', 'yes')) }}
{%- endmacro %}

{% macro ptvc__generate_schema_name(custom_schema_name, node) -%}
  {{ return(ptvc__deployed_schema(default__generate_schema_name(custom_schema_name, node))) }}
{%- endmacro %}

{# For projects that have a generate_schema_name of their own: what it would have returned goes through this. #}
{% macro ptvc__deployed_schema(name) -%}
  {% set name = name | trim %}
  {{ return(adapter.deployed_schema(name, ptvc__deployment(), target.name) if ptvc__deploying() else name) }}
{%- endmacro %}

{# The cluster of an object: a config's, or none, which is the profile's. #}
{% macro ptvc__cluster(name=none) -%}
  {% set name = ptvc__generated_cluster(name or config.get('cluster')) %}
  {% if not ptvc__deploying() %}{{ return(name) }}{% endif %}
  {{ return(adapter.deployed_cluster(name, target.get('cluster'), ptvc__deployment(), target.name)) }}
{%- endmacro %}

{# What the project's `generate_cluster_name` makes of it. Where that leaves the profile's cluster alone, none need be named. #}
{% macro ptvc__generated_cluster(name) -%}
  {% set asked = name or target.get('cluster') %}
  {% if not asked %}{{ return(none) }}{% endif %}
  {% set generated = generate_cluster_name(asked) | trim %}
  {{ return(generated if name or generated != asked else none) }}
{%- endmacro %}

{# A project may have one of its own, as it may have a generate_schema_name. #}
{% macro generate_cluster_name(custom_cluster_name) -%}
  {{ custom_cluster_name }}
{%- endmacro %}

{# For such a macro: the name in a deployment. What it leaves as it is gets there all the same. #}
{% macro generate_deploy_cluster_name(custom_cluster_name) -%}
  {{ adapter.deployed_cluster(custom_cluster_name, none, ptvc__deployment(), target.name)
     if ptvc__deploying() else custom_cluster_name }}
{%- endmacro %}

{#
  A sink that production has already, into the same target: it stays, and is cut over by deploy_promote. None if there is none,
  and the deployment has one of its own.
#}
{% macro ptvc__sink_in_production(sql) -%}
  {% if not ptvc__deploying() %}{{ return(none) }}{% endif %}
  {% set existing = adapter.get_relation(this.database, adapter.schema_in_production(this.schema), this.identifier) %}
  {% if existing is none or not existing.is_sink %}{{ return(none) }}{% endif %}
  {% if existing.definition_hash == adapter.definition_hash('sink', sql, ptvc__definition_options(), existing) %}
    {{ return(existing) }}
  {% elif existing.schema == this.schema %}
    {{ exceptions.raise_compiler_error(
        "sink " ~ this.render() ~ " changed and is not part of the deployment: it would be dropped and read what is not "
        "promoted. Change it in a run of its own (`dbt run --select " ~ model.name ~ "`), or give the new one another name.") }}
  {% endif %}
  {{ return(none) }}
{%- endmacro %}

{% macro ptvc__leave_sink(existing) -%}
  {{ log(existing.render() ~ ' stays, and reads the new relation after deploy_promote') }}
  {% do store_raw_result(name='main', message='STAYS IN PRODUCTION', code='SKIP', rows_affected='-1') %}
  {{ return({'relations': [existing]}) }}
{%- endmacro %}
