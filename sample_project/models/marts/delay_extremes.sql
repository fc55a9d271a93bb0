-- Minimum and maximum, under corrections and cancellations too.
select
    origin,
    month,
    min(dep_delay) as earliest_departure,
    max(dep_delay) as latest_departure,
    max(arr_delay) as latest_arrival
from {{ ref('stg_flights') }}
group by origin, month
