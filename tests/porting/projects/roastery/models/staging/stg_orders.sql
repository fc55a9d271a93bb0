{{ config(materialized='view', transient=true) }}

with source as (

    select * from {{ ref('raw_orders') }}

),

renamed as (

    select
        id as order_id,
        customer_id,
        ordered_at::timestamp_ntz as ordered_at, -- when
        iff(status = 'placed', true, false) as is_open,
        amount / 2 as half
    from source
    where ordered_at >= '{{ var("start_date") }}'

)

select * from renamed
