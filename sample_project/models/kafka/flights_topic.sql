-- The same flights as `flights`, from a topic: the last message of a key holds, one without a value deletes.
{{ config(materialized='source') }}
(
    year integer,
    month integer,
    day integer,
    carrier text,
    flight integer,
    origin text,
    dest text,
    sched_dep_time integer,
    dep_time integer,
    dep_delay integer,
    arr_delay integer,
    primary key (year, month, day, carrier, flight, origin, dest, sched_dep_time)
)
from kafka connection {{ target.schema }}.flights_kafka (topic '{{ var("kafka_flights", "flights") }}')
key format json value format json
include partition, offset
envelope upsert
