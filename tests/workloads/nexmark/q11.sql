WITH numbered AS (
    SELECT bidder, second, sum(opens) OVER (PARTITION BY bidder ORDER BY second) AS session
    FROM (
        SELECT
            bidder, second,
            CASE WHEN second - lag(second) OVER (PARTITION BY bidder ORDER BY second) < 10 THEN 0 ELSE 1 END AS opens
        FROM (SELECT bidder, extract(epoch FROM date_time)::bigint AS second FROM bid) b
    ) gaps
)
SELECT bidder, session, count(*) AS bid_count, min(second) AS starttime, max(second) + 10 AS endtime
FROM numbered
GROUP BY bidder, session
