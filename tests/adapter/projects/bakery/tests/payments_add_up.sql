select 1 as differs
where (select sum(amount) from {{ ref('stg_payments') }}) <> (select sum(amount) from {{ ref('fct_orders') }})
