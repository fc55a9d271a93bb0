SELECT
    auction, bidder, 0.908 * price AS price,
    CASE
        WHEN extract(minute FROM date_time) BETWEEN 0 AND 2 THEN 'dayTime'
        WHEN extract(minute FROM date_time) >= 4 THEN 'nightTime'
        ELSE 'otherTime'
    END AS bid_time_type,
    date_time, extra, length(extra) - length(replace(extra, 'c', '')) AS c_counts
FROM bid
WHERE 0.908 * price > 100 AND 0.908 * price < 50000
