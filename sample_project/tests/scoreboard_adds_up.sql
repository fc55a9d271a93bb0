-- The scoreboard counts every flight that has left once: rows here are a failure.
select scoreboard.flights, departures.flights as expected
from (select sum(flights) as flights from {{ ref('carrier_scoreboard') }}) as scoreboard
cross join (select count(*) as flights from {{ ref('stg_flights') }}) as departures
where coalesce(scoreboard.flights, 0) <> departures.flights
