{# Where Kafka is: `--vars '{kafka_broker: host:port}'` or PTVC_SAMPLE_KAFKA; as dbt_project.yml has it, which enables models/kafka. #}
{% macro kafka_broker() -%}
  {{ return(var('kafka_broker', env_var('PTVC_SAMPLE_KAFKA', '')) | replace("'", "''")) }}
{%- endmacro %}

{# Says what is left out without a broker, and how to have it; on-run-start. #}
{% macro say_kafka() %}
  {% if execute and not kafka_broker() %}
    {{ log("models/kafka is left out: there is no broker. Name one by --vars '{kafka_broker: host:port}' or PTVC_SAMPLE_KAFKA, "
           ~ "and run `dbt run-operation make_kafka_connection` first.", info=True) }}
  {% endif %}
{% endmacro %}

{# Once, before the models: `dbt --log-level-file none run-operation make_kafka_connection`, so that no log has the password.
   PTVC_SAMPLE_KAFKA_USER and PTVC_SAMPLE_KAFKA_PASSWORD are for brokers that ask; PTVC_SAMPLE_KAFKA_PROTOCOL is SASL_SSL unless
   given then, and else PLAINTEXT. #}
{% macro make_kafka_connection() %}
  {% if not kafka_broker() %}
    {{ exceptions.raise_compiler_error("There is no broker: name one by --vars '{kafka_broker: host:port}' or PTVC_SAMPLE_KAFKA.") }}
  {% endif %}
  {% set user = env_var('PTVC_SAMPLE_KAFKA_USER', '') | replace("'", "''") %}
  {% set protocol = env_var('PTVC_SAMPLE_KAFKA_PROTOCOL', 'SASL_SSL' if user else 'PLAINTEXT') | replace("'", "''") %}
  {% set asked %}
    brokers ('{{ kafka_broker().split(',') | map('trim') | join("', '") }}'), security protocol '{{ protocol }}'
    {%- if user -%}
      , sasl mechanisms '{{ env_var('PTVC_SAMPLE_KAFKA_MECHANISM', 'SCRAM-SHA-512') | replace("'", "''") }}'
      , sasl username '{{ user }}', sasl password secret {{ target.schema }}.flights_kafka_password
    {%- endif -%}
  {% endset %}
  {% do run_query("create schema if not exists " ~ target.schema) %}
  {% if user %}
    {% set password = env_var('PTVC_SAMPLE_KAFKA_PASSWORD') | replace("'", "''") %}
    {% do run_query("create secret if not exists " ~ target.schema ~ ".flights_kafka_password as '" ~ password ~ "'") %}
  {% endif %}
  {% do run_query("create connection if not exists " ~ target.schema ~ ".flights_kafka to kafka (" ~ asked ~ ")") %}
{% endmacro %}
