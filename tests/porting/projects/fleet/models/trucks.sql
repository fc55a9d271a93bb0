{{ config(materialized='streaming_table', liquid_clustered_by='truck', tblproperties={'delta.appendOnly': 'true'}) }}
select
  truck,
  sum(km) as km,
  try_divide(sum(litres) * 100, sum(km)) as per_100,
  date_trunc('MONTH', max(started)) as month,
  max(started) as last
from {{ ref('base_trips') }}
group by truck
