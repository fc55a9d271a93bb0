{{ config(
    materialized='sink',
    connector="file '" ~ data_dir() ~ "/long_delays'",
    format='json',
    envelope='debezium'
) }}
select * from {{ ref('long_delays') }}
