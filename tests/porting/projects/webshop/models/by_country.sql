SELECT
    c.name AS country,
    COUNTIF(v.seconds > 10) AS long_views,
    COUNT(DISTINCT v.user_id) AS users,
    DATE_TRUNC(MAX(DATE(v.viewed_at)), MONTH) AS last_month,
    DATE_DIFF(MAX(DATE(v.viewed_at)), MIN(DATE(v.viewed_at)), DAY) AS span
FROM {{ source('events', 'page_views') }} AS v
LEFT JOIN {{ ref('countries') }} AS c ON c.code = v.country
GROUP BY c.name
