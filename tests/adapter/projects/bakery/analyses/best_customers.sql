select display_name from {{ ref('dim_customers') }} order by lifetime_value desc limit 3
