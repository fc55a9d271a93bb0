{{
    config(
        materialized='incremental',
        unique_key='payment_id',
        cluster_by=['day'],
        query_tag='x'
    )
}}

select
    p.payment_id,
    datediff(day, o.ordered_at, p.day) as days,
    p.amount,
    p.day,
    dateadd('month', 1, p.day) as due
from {{ ref('stg_payments') }} p
left join {{ ref('stg_orders') }} o using (order_id)
{% if is_incremental() %}
where p.day > (select dateadd('day', -3, max(day)) from {{ this }})
{% endif %}
qualify row_number() over (partition by p.payment_id order by p.day desc) = 1
