{{ config(contract={'enforced': true}) }}

select
  m.mooring,
  s.name as ship_name,
  round(s.length_m * 2.5 * greatest(extract(day from m.until - m.since), 1), 2)::numeric(12, 2) as fee
from {{ ref('stg_moorings') }} m
join {{ ref('stg_ships') }} s using (ship)
where m.until is not null
