with order_payments as (

    select
        order_id,
        {% for method in var('payment_methods') -%}
        sum(case when payment_method = '{{ method }}' then amount else 0 end) as {{ method }}_amount,
        {% endfor -%}
        sum(amount) as total_amount
    from {{ ref('stg_payments') }}
    group by order_id

)

select
    o.order_id,
    o.customer_id,
    o.order_date,
    o.order_month,
    o.status,
    {% for method in var('payment_methods') -%}
    p.{{ method }}_amount,
    {% endfor -%}
    p.total_amount as amount,
    row_number() over (partition by o.customer_id order by o.order_date, o.order_id) as customer_order_number
from {{ ref('stg_orders') }} o
left join order_payments p using (order_id)
