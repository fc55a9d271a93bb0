-- Joined to a seed, which no topic has.
{{ config(materialized='materialized_view') }}
select a.carrier, a.name, count(*) as late_flights
from {{ ref('flights_topic') }} as f
join {{ ref('airlines') }} as a on a.carrier = f.carrier
where f.arr_delay > 15
group by a.carrier, a.name
