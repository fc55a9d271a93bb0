SELECT
    h.id AS hit_id,
    SAFE_CAST(h.value AS INT64) AS value,
    TIMESTAMP_MICROS(h.ts) AS hit_at
FROM {{ source('events', 'raw_hits') }} AS h, UNNEST(h.items) AS item
