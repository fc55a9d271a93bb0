{{ config(cluster='harbour_serving', indexes=[{'columns': 'ship_name', 'name': 'fees_by_ship_idx'}]) }}

select ship_name, sum(fee) as owed, count(*) as stays
from {{ ref('fees') }}
group by ship_name
