WITH counts AS (
    SELECT b.auction, w.start, count(*) AS num
    FROM
        (SELECT auction, extract(epoch FROM date_time)::bigint AS second FROM bid) b,
        LATERAL generate_series(b.second / 2 * 2 - 8, b.second / 2 * 2, 2) AS w (start)
    GROUP BY b.auction, w.start
)
SELECT c.auction, c.start, c.num
FROM counts c INNER JOIN (SELECT start, max(num) AS maxn FROM counts GROUP BY start) m ON c.start = m.start
WHERE c.num >= m.maxn
