-- Every change, as a message of its key; a message without a value where the row has gone.
{{ config(materialized='sink') }}
from {{ ref('delay_by_origin') }}
into kafka connection {{ target.schema }}.flights_kafka (topic '{{ var("kafka_delays", "delay_by_origin") }}')
key (origin) format json envelope upsert
