select
    id as order_id,
    user_id as customer_id,
    order_date,
    {{ dbt.date_trunc('month', 'order_date') }}::date as order_month,
    status,
    updated_at
from {{ ref('raw_orders') }}
