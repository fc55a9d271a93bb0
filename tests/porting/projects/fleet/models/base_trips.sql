{{ config(materialized='ephemeral') }}
select `id`, truck, started, km, litres from {{ ref('trips') }}
