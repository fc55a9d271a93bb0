-- one row a loan
select
    id as loan_id,
    copy_id as book_id,
    lent_on,
    returned_on,
    coalesce(fee, 0)::double as fee,
    datediff('day', lent_on, coalesce(returned_on, date '2023-04-15')) as days, /* so far */
    date_trunc('month', lent_on)::date as month,
    returned_on is null as is_out
from {{ ref('loans') }}
where lent_on >= '{{ var("since") }}'
