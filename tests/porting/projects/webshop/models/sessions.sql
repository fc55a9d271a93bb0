{{ config(
    materialized = 'incremental',
    incremental_strategy = 'insert_overwrite',
    partition_by = {'field': 'day', 'data_type': 'date'},
    cluster_by = ['user_id'],
    require_partition_filter = true,
    on_schema_change = 'fail'
) }}

# one row a user and day
SELECT
    user_id,
    DATE(viewed_at) AS day,
    COUNT(*) AS views,
    SAFE_DIVIDE(SUM(seconds), COUNT(*)) AS mean_seconds
FROM {{ source('events', 'page_views') }}
WHERE path != "" AND country IS NOT NULL
{% if is_incremental() %}
    AND DATE(viewed_at) >= DATE_SUB(CURRENT_DATE(), INTERVAL 3 DAY)
{% endif %}
GROUP BY 1, 2
