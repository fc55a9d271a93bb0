{{ config(materialized='source') }}
(
    year integer not null,
    month integer not null,
    day integer not null,
    dep_time integer,
    sched_dep_time integer not null,
    dep_delay integer,
    arr_time integer,
    sched_arr_time integer,
    arr_delay integer,
    carrier text not null,
    flight integer not null,
    tailnum text,
    origin text not null,
    dest text not null,
    air_time integer,
    distance integer,
    hour integer,
    minute integer,
    time_hour timestamp
)
from file '{{ data_dir() }}/flights'
format json
key (year, month, day, carrier, flight, origin, dest, sched_dep_time)
envelope upsert
