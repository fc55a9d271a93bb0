{% snapshot customers_snapshot %}
{{ config(unique_key='id', strategy='check', check_cols=['last_name']) }}
select * from {{ ref('raw_customers') }}
{% endsnapshot %}
