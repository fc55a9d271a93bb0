{% snapshot orders_snapshot %}
{{ config(target_schema='snapshots', unique_key='order_id', strategy='check', check_cols='all', transient=false) }}
select order_id, iff(is_open, 'o', 'c') as state from {{ ref('stg_orders') }}
{% endsnapshot %}
