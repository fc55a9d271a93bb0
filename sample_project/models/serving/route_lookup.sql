{{ config(materialized='index', columns=['origin', 'dest']) }}
select * from {{ ref('on_time_by_route') }}
