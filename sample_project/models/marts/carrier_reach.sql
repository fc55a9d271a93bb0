-- Distinct counts: planes seen and places served, by carrier.
select
    carrier,
    count(distinct tailnum) as planes,
    count(distinct dest) as destinations
from {{ ref('stg_flights') }}
group by carrier
