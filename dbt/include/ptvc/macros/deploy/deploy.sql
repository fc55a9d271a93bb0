{#
  Blue/green deployment of the schemas and clusters that the variable `deployment` names for the target:

    dbt run-operation deploy_init
    dbt run --vars 'deploy: true'
    dbt run-operation deploy_await
    dbt run-operation deploy_promote
    dbt run-operation deploy_cleanup
#}

{# Make the deployment's schemas and clusters, with the options and privileges of production's. #}
{% macro deploy_init(ignore_existing_objects=False, dry_run=False) -%}
  {% do adapter.deploy('init', ptvc__deployment(), target.name,
      ignore_existing_objects=ignore_existing_objects, dry_run=dry_run) %}
{%- endmacro %}

{# Wait, looking every `poll_interval` seconds, until all of the deployment is hydrated and at most `lag_threshold` behind. #}
{% macro deploy_await(poll_interval=15, lag_threshold='1s') -%}
  {% do adapter.deploy('wait', ptvc__deployment(), target.name,
      poll_interval=poll_interval, lag_threshold=lag_threshold) %}
{%- endmacro %}

{# Swap production with the deployment, sinks cut over, in one transaction. #}
{% macro deploy_promote(wait=False, poll_interval=15, lag_threshold='1s', dry_run=False) -%}
  {% if wait and not dry_run %}
    {% do deploy_await(poll_interval, lag_threshold) %}
  {% endif %}
  {% do adapter.deploy('promote', ptvc__deployment(), target.name, dry_run=dry_run) %}
{%- endmacro %}

{# Swap back. #}
{% macro deploy_rollback(dry_run=False) -%}
  {% do adapter.deploy('promote', ptvc__deployment(), target.name, dry_run=dry_run, back=true) %}
{%- endmacro %}

{# Drop what is not production: the deployment before it is promoted, what was production after. #}
{% macro deploy_cleanup(dry_run=False) -%}
  {% do adapter.deploy('cleanup', ptvc__deployment(), target.name, dry_run=dry_run) %}
{%- endmacro %}
