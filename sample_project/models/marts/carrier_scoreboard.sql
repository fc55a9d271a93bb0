-- A view over a view, joined to a seed: one line a carrier.
select
    a.carrier,
    a.name,
    sum(d.flights) as flights,
    sum(d.total_delay) as total_delay,
    sum(d.late_flights) as late_flights
from {{ ref('delay_by_carrier_hour') }} as d
join {{ ref('airlines') }} as a on a.carrier = d.carrier
group by a.carrier, a.name
