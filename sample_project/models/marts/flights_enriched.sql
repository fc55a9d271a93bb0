-- Joins: each flight with the weather at its hour of departure, and with its plane where that is known.
select
    f.year,
    f.month,
    f.day,
    f.carrier,
    f.flight,
    f.origin,
    f.dest,
    f.sched_dep_time,
    f.dep_delay,
    f.arr_delay,
    w.conditions,
    w.temp,
    w.wind_speed,
    p.manufacturer,
    p.seats
from {{ ref('stg_flights') }} as f
join {{ ref('stg_weather') }} as w on w.origin = f.origin and w.time_hour = f.time_hour
left join {{ ref('stg_planes') }} as p on p.tailnum = f.tailnum
