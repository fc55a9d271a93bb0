SELECT * EXCEPT (seconds), IF(seconds > 100, 'long', 'short') AS length
FROM {{ source('events', 'page_views') }}
