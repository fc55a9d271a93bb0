SELECT *
FROM (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY auction ORDER BY price DESC, bidder, date_time, channel, url, extra
        ) AS rank_number
    FROM bid
) ranked
WHERE rank_number <= 10
