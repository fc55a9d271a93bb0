SELECT
    auction, bidder, price, date_time, extra, date_time::date AS day,
    date_trunc('minute', date_time) AS minute
FROM bid
