select * from {{ ref('stg_loans') }} where ifnull(days, 0) < 0
