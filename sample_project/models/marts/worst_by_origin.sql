-- Top 3: the latest arrivals of each airport.
select
    origin,
    year,
    month,
    day,
    carrier,
    flight,
    dest,
    arr_delay
from (
    select
        origin,
        year,
        month,
        day,
        carrier,
        flight,
        dest,
        arr_delay,
        row_number() over (
            partition by origin
            order by arr_delay desc, year, month, day, carrier, flight, dest, sched_dep_time
        ) as place
    from {{ ref('stg_flights') }}
    where has_landed
) as ranked
where place <= 3
