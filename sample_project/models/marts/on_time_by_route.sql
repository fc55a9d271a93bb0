-- A group-by with a share: of the flights that landed, how many did so within 15 minutes of the plan.
select
    origin,
    dest,
    count(*) as flights,
    sum(case when arr_delay <= 15 then 1 else 0 end) as on_time,
    round(100.0 * sum(case when arr_delay <= 15 then 1 else 0 end) / count(*), 2) as on_time_percent
from {{ ref('stg_flights') }}
where has_landed
group by origin, dest
