-- A filter: flights that landed more than two hours late.
select
    year,
    month,
    day,
    carrier,
    flight,
    origin,
    dest,
    sched_dep_time,
    dep_delay,
    arr_delay
from {{ ref('stg_flights') }}
where arr_delay > 120
