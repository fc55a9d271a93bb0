{{ config(
    indexes=[{'columns': ['quay', 'berth'], 'cluster': 'harbour_serving'}, {'default': True}],
    retain_history='1h'
) }}

select b.quay, b.berth, count(m.mooring) as moorings, max(s.length_m) as longest_m
from {{ ref('berths') }} b
left join {{ ref('stg_moorings') }} m on m.berth = b.berth
left join {{ ref('stg_ships') }} s on s.ship = m.ship
group by b.quay, b.berth
