{{ config(materialized='table', transient=true) }}
select payment_id, day, status
from {{ ref('stg_payments') }}
where status ilike 'paid' and amount is not null
