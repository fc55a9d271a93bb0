SELECT auction, bidder, price, channel, url, date_time, extra
FROM (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY bidder, auction ORDER BY date_time DESC, price, channel, url, extra
        ) AS rank_number
    FROM bid
) ranked
WHERE rank_number <= 1
