{{ config(materialized='table', format='parquet') }}

with lent as (

    select
        b.author,
        l.month,
        count(*) as loans,
        count(*) filter (where l.is_out) as out,  -- not back
        sum(l.days) as days,
        max(l.fee) as most
    from {{ ref('stg_loans') }} l
    join {{ ref('stg_books') }} b using (book_id)
    group by all

)

select
    *,
    row_number() over (partition by author order by month desc) as recent,
    days / loans as days_each
from lent
where days >= {{ var('least_days') }}
qualify recent <= 2
