with customer_orders as (

    select
        customer_id,
        min(order_date) as first_order,
        max(order_date) as most_recent_order,
        count(*) as number_of_orders,
        sum(amount) filter (where status <> 'returned') as lifetime_value
    from {{ ref('fct_orders') }}
    group by 1

)

select
    c.customer_id,
    c.display_name,
    o.first_order,
    o.most_recent_order,
    coalesce(o.number_of_orders, 0) as number_of_orders,
    coalesce(o.lifetime_value, 0) as lifetime_value,
    {{ dbt.datediff('o.first_order', 'o.most_recent_order', 'day') }} as days_as_customer
from {{ ref('stg_customers') }} c
left join customer_orders o using (customer_id)
