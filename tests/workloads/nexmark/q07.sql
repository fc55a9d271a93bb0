WITH bids AS (SELECT *, extract(epoch FROM date_time)::bigint / 10 AS tumble FROM bid)
SELECT b.auction, b.price, b.bidder, b.date_time, b.extra
FROM bids b INNER JOIN (SELECT max(price) AS maxprice, tumble FROM bids GROUP BY tumble) m
    ON b.price = m.maxprice AND b.tumble = m.tumble
