select * from {{ ref('fct_payments') }} where zeroifnull(amount) < 0
