{{ config(materialized='materialized_view') }}
select
    origin,
    count(*) as flights,
    count(arr_delay) as landed,
    sum(arr_delay)::bigint as total_delay
from {{ ref('flights_topic') }}
where dep_time is not null
group by origin
