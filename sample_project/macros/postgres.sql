{# Where PostgreSQL is: `--vars '{postgres_host: ...}'` or PTVC_SAMPLE_POSTGRES_HOST; as dbt_project.yml has it, which enables models/postgres. #}
{% macro postgres_host() -%}
  {{ return(var('postgres_host', env_var('PTVC_SAMPLE_POSTGRES_HOST', '')) | replace("'", "''")) }}
{%- endmacro %}

{# Says what is left out without one, and how to have it; on-run-start. #}
{% macro say_postgres() %}
  {% if execute and not postgres_host() %}
    {{ log("models/postgres is left out: there is no database. Name its host by --vars '{postgres_host: ...}' or PTVC_SAMPLE_POSTGRES_HOST, "
           ~ "and run `dbt run-operation make_postgres_connection` first.", info=True) }}
  {% endif %}
{% endmacro %}

{# Once, before the models: `dbt --log-level-file none run-operation make_postgres_connection`, so that no log has the password. #}
{% macro make_postgres_connection() %}
  {% if not postgres_host() %}
    {{ exceptions.raise_compiler_error("There is no database: name its host by --vars '{postgres_host: ...}' or PTVC_SAMPLE_POSTGRES_HOST.") }}
  {% endif %}
  {% set given = {'port': env_var('PTVC_SAMPLE_POSTGRES_PORT', '5432'), 'database': env_var('PTVC_SAMPLE_POSTGRES_DATABASE', 'postgres'),
                  'user': env_var('PTVC_SAMPLE_POSTGRES_USER', 'postgres')} %}
  {% set asked %}
    host '{{ postgres_host() }}'
    {%- for name, value in given.items() %}, {{ name }} '{{ value | replace("'", "''") }}'{% endfor -%}
    , password secret {{ target.schema }}.flights_postgres_password
  {% endset %}
  {% set password = env_var('PTVC_SAMPLE_POSTGRES_PASSWORD') | replace("'", "''") %}
  {% do run_query("create schema if not exists " ~ target.schema) %}
  {% do run_query("create secret if not exists " ~ target.schema ~ ".flights_postgres_password as '" ~ password ~ "'") %}
  {% do run_query("create connection if not exists " ~ target.schema ~ ".flights_postgres to postgres (" ~ asked ~ ")") %}
{% endmacro %}
