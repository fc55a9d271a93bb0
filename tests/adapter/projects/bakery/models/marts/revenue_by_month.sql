with months as (

    select generate_series(date '2026-01-01', date '2026-03-01', interval '1 month')::date as month

)

select
    m.month,
    to_char(m.month, 'Mon YYYY') as label,
    coalesce(sum(o.amount), 0) as revenue,
    coalesce(sum(o.amount), 0) - lag(coalesce(sum(o.amount), 0)) over (order by m.month) as growth
from months m
left join {{ ref('fct_orders') }} o on o.order_month = m.month
group by m.month
