{{ config(materialized='materialized_view', cluster='harbour_compute') }}

select count(*) as pulses, max(counter) as latest from {{ ref('pulses') }}
