SELECT id, item_name, seller, category, auction, bidder, price, bid_date_time, bid_extra
FROM (
    SELECT
        a.id, a.item_name, a.seller, a.category, b.auction, b.bidder, b.price, b.date_time AS bid_date_time,
        b.extra AS bid_extra,
        row_number() OVER (
            PARTITION BY a.id ORDER BY b.price DESC, b.date_time ASC, b.bidder, b.channel, b.url, b.extra
        ) AS rownum
    FROM auction a, bid b
    WHERE a.id = b.auction AND b.date_time BETWEEN a.date_time AND a.expires
) ranked
WHERE rownum <= 1
