{{ config(materialized='incremental', unique_key='book_id') }}

select book_id, max(lent_on) as last_lent, arg_max(loan_id, lent_on) as last_loan
from {{ ref('stg_loans') }}
{% if is_incremental() %}
where lent_on >= (select max(last_lent) from {{ this }})
{% endif %}
group by book_id
