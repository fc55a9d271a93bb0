with source as (

    select * from {{ ref('raw_customers') }}

),

renamed as (

    select
        id as customer_id,
        first_name,
        last_name,
        first_name || ' ' || left(last_name, 1) || '.' as display_name
    from source

)

select * from renamed
