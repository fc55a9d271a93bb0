-- A transaction of the database is one time here: counted from the flights, it is what the database says, at every time.
{{ config(materialized='materialized_view') }}
select
    c.carrier,
    c.flights,
    coalesce(f.flights, 0) - c.flights as difference,
    f.late_flights
from {{ ref('carriers_table') }} as c
left join (
    select carrier, count(*) as flights, count(*) filter (where arr_delay > 15) as late_flights
    from {{ ref('flights_table') }}
    group by carrier
) as f on f.carrier = c.carrier
