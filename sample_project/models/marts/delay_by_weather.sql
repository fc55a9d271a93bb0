-- A view over a view: how the weather delays departures.
select
    origin,
    conditions,
    count(*) as flights,
    round(avg(dep_delay), 2) as average_delay,
    max(dep_delay) as worst_delay
from {{ ref('flights_enriched') }}
group by origin, conditions
