select
    year,
    month,
    day,
    hour,
    time_hour,
    carrier,
    flight,
    tailnum,
    origin,
    dest,
    sched_dep_time,
    dep_delay,
    arr_delay,
    distance,
    air_time,
    arr_delay is not null as has_landed
from {{ ref('flights') }}
where dep_time is not null
