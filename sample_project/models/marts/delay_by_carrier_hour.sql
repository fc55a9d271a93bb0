-- A group-by: how late each carrier leaves, by hour of the day.
select
    carrier,
    hour,
    count(*) as flights,
    sum(dep_delay) as total_delay,
    round(avg(dep_delay), 2) as average_delay,
    count(*) filter (where dep_delay > 15) as late_flights
from {{ ref('stg_flights') }}
group by carrier, hour
