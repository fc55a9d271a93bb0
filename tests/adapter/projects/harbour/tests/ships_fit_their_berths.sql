select m.mooring, s.length_m as ship_m, b.length_m as berth_m
from {{ ref('stg_moorings') }} m
join {{ ref('stg_ships') }} s using (ship)
join {{ ref('berths') }} b using (berth)
where s.length_m > b.length_m
