select
    payment_id,
    hash(payment_id) as h,
    initcap('a b') as q
from {{ ref('stg_payments') }}
