SELECT a, row_number() OVER (ORDER BY a, b, c) FROM t
SELECT a, rank() OVER (ORDER BY a), dense_rank() OVER (ORDER BY a), percent_rank() OVER (ORDER BY a), cume_dist() OVER (ORDER BY a) FROM t
SELECT a, ntile(3) OVER (ORDER BY a, b) FROM t WHERE a IS NOT NULL
SELECT a, ntile(0) OVER (ORDER BY a) FROM t
SELECT a, ntile(NULL) OVER (ORDER BY a, b) FROM t
SELECT id, lag(amount) OVER (ORDER BY id), lead(amount) OVER (ORDER BY id), lag(amount, 2) OVER (ORDER BY id), lead(amount, 1, 0) OVER (ORDER BY id) FROM sales
SELECT id, lag(amount, 0) OVER (ORDER BY id), lag(amount, -1) OVER (ORDER BY id), lag(amount, NULL) OVER (ORDER BY id) FROM sales
SELECT id, lag(region, 1, 'none') OVER (PARTITION BY paid ORDER BY id) FROM sales
SELECT id, lag(amount, 1, 'x') OVER (ORDER BY id) FROM sales
SELECT id, first_value(amount) OVER w, last_value(amount) OVER w, nth_value(amount, 2) OVER w FROM sales WINDOW w AS (PARTITION BY region ORDER BY id)
SELECT id, nth_value(amount, 0) OVER (ORDER BY id) FROM sales
SELECT id, nth_value(amount, 99) OVER (ORDER BY id) FROM sales
SELECT id, sum(amount) OVER (ORDER BY id), avg(amount) OVER (ORDER BY id), count(*) OVER (ORDER BY id), count(amount) OVER () FROM sales
SELECT id, min(amount) OVER (PARTITION BY region), max(amount) OVER (PARTITION BY region ORDER BY id) FROM sales
SELECT id, sum(weight) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM sales
SELECT id, sum(id) OVER (ORDER BY id ROWS 2 PRECEDING) FROM sales
SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM sales
SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING) FROM sales
SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING) FROM sales
SELECT id, sum(id) OVER (ORDER BY id DESC RANGE BETWEEN 2 PRECEDING AND CURRENT ROW) FROM sales
SELECT id, sum(id) OVER (ORDER BY amount RANGE BETWEEN 5 PRECEDING AND 5 FOLLOWING) FROM sales
SELECT id, count(*) OVER (ORDER BY day RANGE BETWEEN '3 days' PRECEDING AND '1 mon' FOLLOWING) FROM sales
SELECT id, sum(id) OVER (ORDER BY region GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM sales
SELECT id, sum(id) OVER (ORDER BY region RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW) FROM sales
SELECT id, sum(id) OVER (ORDER BY region RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM sales
SELECT id, sum(id) OVER (ORDER BY region ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE GROUP) FROM sales
SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN -1 PRECEDING AND CURRENT ROW) FROM sales
SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND 1 PRECEDING) FROM sales
SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED FOLLOWING AND CURRENT ROW) FROM sales
SELECT id, sum(id) OVER (ORDER BY id ROWS BETWEEN NULL PRECEDING AND CURRENT ROW) FROM sales
SELECT id, sum(id) OVER (ORDER BY region RANGE 1 PRECEDING) FROM sales
SELECT id, sum(id) OVER (ORDER BY id, region RANGE 1 PRECEDING) FROM sales
SELECT id, sum(id) OVER (GROUPS 1 PRECEDING) FROM sales
SELECT id, sum(id) OVER (ORDER BY id ROWS id PRECEDING) FROM sales
SELECT region, sum(sum(amount)) OVER (ORDER BY region) FROM sales GROUP BY region
SELECT region, rank() OVER (ORDER BY sum(amount) DESC NULLS LAST, region) FROM sales GROUP BY region
SELECT id, row_number() OVER (PARTITION BY region ORDER BY id DESC) AS n FROM sales ORDER BY n, id
SELECT id FROM sales ORDER BY row_number() OVER (ORDER BY id DESC)
SELECT id FROM sales WHERE row_number() OVER () = 1
SELECT id FROM sales GROUP BY row_number() OVER ()
SELECT sum(row_number() OVER ()) FROM sales
SELECT row_number() FROM sales
SELECT row_number() OVER (ORDER BY 1), row_number() OVER nope FROM sales
SELECT sum(id) OVER w FROM sales WINDOW w AS (PARTITION BY region), w AS (ORDER BY id)
SELECT sum(id) OVER (w ORDER BY id) FROM sales WINDOW w AS (PARTITION BY region)
SELECT sum(id) OVER (w PARTITION BY id) FROM sales WINDOW w AS (PARTITION BY region)
SELECT sum(id) OVER (w ORDER BY id) FROM sales WINDOW w AS (ORDER BY region)
SELECT upper(region) OVER () FROM sales
SELECT abs(1) OVER ()
SELECT sum(id) FILTER (WHERE paid) OVER (PARTITION BY region) FROM sales
SELECT count(DISTINCT id) OVER () FROM sales
SELECT rank(1) OVER (ORDER BY id) FROM sales
SELECT lag() OVER () FROM sales
SELECT bool_and(paid) OVER (ORDER BY id), stddev(weight) OVER (PARTITION BY paid), bit_or(id) OVER (ORDER BY id) FROM sales
SELECT id, first_value(region) OVER (ORDER BY weight NULLS FIRST, id), last_value(id) OVER (ORDER BY weight DESC NULLS LAST, id ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) FROM sales
SELECT id, sum(amount) OVER (PARTITION BY region, paid ORDER BY day NULLS FIRST, id) - amount FROM sales
SELECT id, sum(weight) OVER (ORDER BY weight RANGE BETWEEN 1.0 PRECEDING AND 1.0 FOLLOWING) FROM sales
SELECT id, count(*) OVER (ORDER BY t.ts RANGE '1 year' PRECEDING) FROM every t
SELECT id, sum(id) OVER (PARTITION BY b ORDER BY d), max(s) OVER (PARTITION BY i2), min(iv) OVER () FROM every
SELECT first_value(j) OVER (ORDER BY id), last_value(ta) OVER (ORDER BY id), nth_value(u, 2) OVER (ORDER BY id) FROM every
SELECT * FROM (SELECT id, row_number() OVER (PARTITION BY region ORDER BY amount DESC NULLS LAST, id) AS n FROM sales) x WHERE n = 1
SELECT lead(1, 1, NULL) OVER (ORDER BY id), lag('x') OVER (ORDER BY id) FROM sales
SELECT sum(1) OVER (), avg(2) OVER (), count(*) OVER (ORDER BY NULL) FROM sales
SELECT sum(id) OVER (ORDER BY sum(id)) FROM sales GROUP BY id
SELECT string_agg(region, ',') OVER (ORDER BY id) FROM sales
SELECT array_agg(id) OVER (ORDER BY id) FROM sales
