SELECT c, count(*), sum(a), avg(b) FROM t GROUP BY c
SELECT count(*), count(a), sum(a), min(c), max(c) FROM t
SELECT count(*), sum(a), max(a) FROM nothing
SELECT a, count(*) FROM nothing GROUP BY a
SELECT c, a FROM t GROUP BY c
SELECT c, a + 1 FROM t GROUP BY c, a
SELECT c, a + 1 FROM t GROUP BY c, a + 1
SELECT c, a + 2 FROM t GROUP BY c, a + 1
SELECT c AS x, count(*) FROM t GROUP BY x
SELECT c AS a, count(*) FROM t GROUP BY a
SELECT upper(c), count(*) FROM t GROUP BY 1
SELECT c, count(*) FROM t GROUP BY 2
SELECT c FROM t GROUP BY 3
SELECT c FROM t GROUP BY 'x'
SELECT c, count(*) FROM t GROUP BY c HAVING count(*) > 1
SELECT c FROM t HAVING count(*) > 1
SELECT count(*) FROM t HAVING count(*) > 100
SELECT 1 FROM t HAVING true
SELECT a FROM t HAVING true
SELECT c, count(*) FROM t GROUP BY c HAVING a > 1
SELECT c, count(*) FROM t WHERE count(*) > 1 GROUP BY c
SELECT sum(count(*)) FROM t
SELECT sum(sum(a)) FROM t GROUP BY c
SELECT t.* FROM t GROUP BY a, b, c
SELECT * FROM t GROUP BY a
SELECT c, count(DISTINCT b), sum(DISTINCT b), avg(DISTINCT b) FROM t GROUP BY c
SELECT count(DISTINCT (a, b)) FROM t
SELECT count(*) FILTER (WHERE a > 1), sum(a) FILTER (WHERE c = 'x') FROM t
SELECT count(*) FILTER (WHERE count(*) > 1) FROM t
SELECT count(a, b) FROM t
SELECT count() FROM t
SELECT sum(*) FROM t
SELECT sum(c) FROM t
SELECT sum('1') FROM t
SELECT avg(NULL) FROM t
SELECT min(NULL), count(NULL) FROM t
SELECT max(array[a]) FROM t
SELECT bool_and(a > 0), bool_or(a > 4), every(a IS NOT NULL) FROM t
SELECT string_agg(c, ',' ORDER BY a, c), array_agg(a ORDER BY a DESC, c) FROM t
SELECT string_agg(DISTINCT c, ',' ORDER BY c) FROM t
SELECT string_agg(DISTINCT c, ',' ORDER BY a) FROM t
SELECT string_agg(c) FROM t
SELECT string_agg(a, ',') FROM t
SELECT upper(c ORDER BY a) FROM t
SELECT upper(DISTINCT c) FROM t
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a), percentile_disc(0.5) WITHIN GROUP (ORDER BY a) FROM t
SELECT percentile_cont(array[0, 0.25, 1]) WITHIN GROUP (ORDER BY weight) FROM sales
SELECT percentile_disc(array[0, 0.25, 1, NULL]) WITHIN GROUP (ORDER BY region) FROM sales
SELECT percentile_cont(1.5) WITHIN GROUP (ORDER BY a) FROM t
SELECT percentile_cont(NULL) WITHIN GROUP (ORDER BY a) FROM t
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY c) FROM t
SELECT percentile_disc(0.25) WITHIN GROUP (ORDER BY c DESC) FROM t
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY iv) FROM every
SELECT percentile_cont(0.5) FROM t
SELECT mode() WITHIN GROUP (ORDER BY b) FROM t
SELECT c, mode() WITHIN GROUP (ORDER BY b DESC) FROM t GROUP BY c
SELECT rank(2) WITHIN GROUP (ORDER BY a), dense_rank(2) WITHIN GROUP (ORDER BY a), percent_rank(2) WITHIN GROUP (ORDER BY a), cume_dist(2) WITHIN GROUP (ORDER BY a) FROM t
SELECT rank(2, 'x') WITHIN GROUP (ORDER BY a, c DESC) FROM t
SELECT rank('x') WITHIN GROUP (ORDER BY a) FROM t
SELECT stddev(a), variance(a), stddev_pop(b), var_samp(b), var_pop(a) FROM t
SELECT stddev(f), var_pop(f) FROM v
SELECT corr(a, b), covar_pop(a, b), regr_slope(b, a), regr_intercept(b, a), regr_r2(b, a), regr_count(b, a), regr_avgx(b, a), regr_sxy(b, a) FROM t
SELECT region, sum(amount), avg(amount), min(day), max(day), sum(weight), avg(weight), count(paid) FROM sales GROUP BY region
SELECT sum(i2), sum(i4), sum(i8), sum(f4), sum(f8), sum(n), sum(n2), sum(iv) FROM every
SELECT avg(i2), avg(i4), avg(i8), avg(f4), avg(f8), avg(n), avg(n2), avg(iv) FROM every
SELECT min(i2), min(i8), min(f4), min(n2), min(s), min(vc), min(by), min(d), min(t), min(ts), min(tz), min(iv) FROM every
SELECT max(i2), max(i8), max(f4), max(n2), max(s), max(vc), max(by), max(d), max(t), max(ts), max(tz), max(iv) FROM every
SELECT min(u), max(b) FROM every
SELECT max(b) FROM every
SELECT max(j) FROM every
SELECT bit_and(i4), bit_or(i4), bit_xor(i4), bit_and(i2), bit_or(i8) FROM every
SELECT a, b, count(*) FROM t GROUP BY GROUPING SETS ((a), (b), ())
SELECT a, b, count(*), grouping(a, b) FROM t GROUP BY ROLLUP (a, b)
SELECT a, b, count(*), grouping(a), grouping(b) FROM t GROUP BY CUBE (a, b)
SELECT a, b, c, count(*) FROM t GROUP BY a, ROLLUP (b, c)
SELECT a, count(*) FROM t GROUP BY GROUPING SETS ((a), (a))
SELECT a, count(*) FROM t GROUP BY DISTINCT GROUPING SETS ((a), (a))
SELECT grouping(a) FROM t
SELECT grouping(c) FROM t GROUP BY a
SELECT a, sum(b) FROM t GROUP BY ROLLUP (a) HAVING grouping(a) = 1
SELECT region, paid, sum(amount) FROM sales GROUP BY CUBE (region, paid) ORDER BY region NULLS LAST, paid, sum
SELECT count(*) FROM t GROUP BY ()
SELECT c, count(*) FROM t GROUP BY ALL
SELECT date_trunc('month', day) AS m, sum(amount) FROM sales GROUP BY 1
SELECT date_trunc('month', day) AS m, sum(amount) FROM sales GROUP BY m ORDER BY m
SELECT CASE WHEN a > 2 THEN 'big' ELSE 'small' END AS size, count(*) FROM t GROUP BY 1
SELECT a % 2, array_agg(b ORDER BY b) FROM t GROUP BY a % 2
SELECT any_value(c) IS NOT NULL, any_value(1) FROM t
SELECT sum(9223372036854775807::int8), sum(2147483647) FROM t
SELECT sum(32767::int2), avg(9223372036854775807) FROM t
SELECT sum('NaN'::float8), max('NaN'::float8), min('Infinity'::float8) FROM t
SELECT jsonb_agg(a ORDER BY a, c), jsonb_object_agg(b, c) FILTER (WHERE b IS NOT NULL AND a = 1) FROM t
SELECT jsonb_object_agg(c, a) FROM t
SELECT count(*) + 1, sum(a) * 2, max(a) - min(a) FROM t
SELECT coalesce(sum(a), 0) FROM nothing
SELECT c, sum(a) FROM t GROUP BY c ORDER BY sum(a) DESC NULLS LAST, c LIMIT 2
SELECT lower(c), upper(c) FROM t GROUP BY lower(c), c
SELECT b, b + 1 FROM t GROUP BY b + 1
SELECT t.c, u.e, count(*) FROM t JOIN u ON t.a = u.a GROUP BY t.c, u.e
SELECT a FROM t GROUP BY t.a HAVING sum(b) IS NOT NULL
SELECT jsonb_agg(DISTINCT i8), jsonb_agg(DISTINCT i4), jsonb_agg(DISTINCT n), jsonb_agg(DISTINCT f8) FROM every
SELECT jsonb_agg(DISTINCT d), jsonb_agg(DISTINCT s), jsonb_agg(DISTINCT b), jsonb_agg(DISTINCT ia) FROM every
SELECT paid, jsonb_agg(DISTINCT amount * 3), jsonb_object_agg(DISTINCT id * 7, amount) FROM sales GROUP BY paid ORDER BY paid
