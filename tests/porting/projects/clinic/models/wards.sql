{{ config(materialized='table', sort='ward', dist='ward') }}
select
    nvl(ward, 'none') as ward,
    decode(nvl(ward, 'none'), 'A', 'acute', 'B', 'burns', 'other') as kind,
    count(*) as visits,
    listagg(patient, ',') within group (order by patient) as patients,
    max(dateadd(day, 7, day)) as next_week,
    sum(minutes) / 60 as hours
from {{ ref('visits') }}
group by 1, 2
