SELECT b.auction, b.bidder, b.price, b.date_time, s.value
FROM bid b INNER JOIN side_input s ON b.auction % 20 = s.key
