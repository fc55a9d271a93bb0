{% set methods = ['a', 'b'] %}
select order_id
    {% for m in methods %}
    , sum(iff(status = '{{ m }}', amount, 0)) as {{ m }}_amount
    {% endfor %}
from {{ ref('stg_payments') }}
group by 1
