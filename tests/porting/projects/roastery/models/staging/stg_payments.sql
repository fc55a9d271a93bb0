select
    id as payment_id,
    order_id,
    -- cents
    round(amount / 100, 2) as amount,
    created::date as day,
    status,
    zeroifnull(amount) as z,
    {{ dbt.hash('order_id') }} as sk
from {{ source('raw', 'payments') }}
where status != 'failed'
