-- Sessions in a time zone: what depends on it, where clocks are set forward and back, and before there were zones.
CREATE TEMP TABLE moments (id int, at timestamptz, local timestamp, day date)
INSERT INTO moments VALUES (1, '2024-03-31 00:59:59+00', '2024-03-31 02:30', '2024-03-31'), (2, '2024-10-27 00:30+00', '2024-10-27 02:30', '2024-10-27'), (3, '1850-06-01 12:00+00', '1850-06-01', '1850-06-01'), (4, 'infinity', '-infinity', NULL), (5, '2024-11-03 06:30+00', '2024-03-10 02:30', '2024-11-03')
SET TIME ZONE 'Europe/Berlin'
SHOW timezone
SELECT id, at, at::text, at::date, at::time, at::timestamp FROM moments ORDER BY id
SELECT id, local::timestamptz, day::timestamptz FROM moments ORDER BY id
SELECT id, date_trunc('day', at), date_trunc('hour', at), date_trunc('year', at) FROM moments ORDER BY id
SELECT id, date_part('hour', at), date_part('epoch', at), date_part('dow', at) FROM moments ORDER BY id
SELECT id, at + interval '1 day', at - interval '1 month', at + interval '36 hours' FROM moments ORDER BY id
SELECT id, at < local, day = at, at >= timestamptz '2024-10-27 02:30' FROM moments ORDER BY id
SELECT id, age(at, timestamptz '2024-01-01') IS NULL, to_char(at, 'YYYY-MM-DD HH24:MI') FROM moments ORDER BY id
SELECT id, concat(at, '!'), ARRAY[at], coalesce(NULL, at, local) FROM moments ORDER BY id
SELECT id, at = '2024-10-27 01:30', at BETWEEN '2024-01-01' AND '2024-12-31' FROM moments ORDER BY id
SELECT timestamptz '2024-03-31 02:30', timestamptz '2024-10-27 02:30', timestamptz '2024-11-03 01:30', timestamptz '1850-01-01'
SELECT g FROM generate_series(timestamptz '2024-10-26', '2024-10-29', '1 day') g ORDER BY g
SELECT make_timestamptz(2024, 7, 1, 12, 0, 0), to_timestamp('2024-07-01', 'YYYY-MM-DD'), to_timestamp(0)
SELECT now()::date = current_date, now()::timestamp = localtimestamp
INSERT INTO moments VALUES (10, '2024-07-01 12:00', '2024-07-01', '2024-07-01') RETURNING at, at::date
UPDATE moments SET at = local WHERE id = 10 RETURNING at
DELETE FROM moments WHERE id = 10 AND at = '2024-07-01'
SELECT at::date AS d, count(*) FROM moments GROUP BY 1 ORDER BY 1
SELECT at FROM moments UNION SELECT day FROM moments ORDER BY 1
SET TIME ZONE 'America/New_York'
SHOW timezone
SELECT id, at, at::text, at::date, at::time, at::timestamp FROM moments ORDER BY id
SELECT id, local::timestamptz, day::timestamptz FROM moments ORDER BY id
SELECT id, date_trunc('day', at), date_trunc('hour', at), date_trunc('year', at) FROM moments ORDER BY id
SELECT id, date_part('hour', at), date_part('epoch', at), date_part('dow', at) FROM moments ORDER BY id
SELECT id, at + interval '1 day', at - interval '1 month', at + interval '36 hours' FROM moments ORDER BY id
SELECT id, at < local, day = at, at >= timestamptz '2024-10-27 02:30' FROM moments ORDER BY id
SELECT id, age(at, timestamptz '2024-01-01') IS NULL, to_char(at, 'YYYY-MM-DD HH24:MI') FROM moments ORDER BY id
SELECT id, concat(at, '!'), ARRAY[at], coalesce(NULL, at, local) FROM moments ORDER BY id
SELECT id, at = '2024-10-27 01:30', at BETWEEN '2024-01-01' AND '2024-12-31' FROM moments ORDER BY id
SELECT timestamptz '2024-03-31 02:30', timestamptz '2024-10-27 02:30', timestamptz '2024-11-03 01:30', timestamptz '1850-01-01'
SELECT g FROM generate_series(timestamptz '2024-10-26', '2024-10-29', '1 day') g ORDER BY g
SELECT make_timestamptz(2024, 7, 1, 12, 0, 0), to_timestamp('2024-07-01', 'YYYY-MM-DD'), to_timestamp(0)
SELECT now()::date = current_date, now()::timestamp = localtimestamp
INSERT INTO moments VALUES (10, '2024-07-01 12:00', '2024-07-01', '2024-07-01') RETURNING at, at::date
UPDATE moments SET at = local WHERE id = 10 RETURNING at
DELETE FROM moments WHERE id = 10 AND at = '2024-07-01'
SELECT at::date AS d, count(*) FROM moments GROUP BY 1 ORDER BY 1
SELECT at FROM moments UNION SELECT day FROM moments ORDER BY 1
SET TIME ZONE 'Asia/Kolkata'
SHOW timezone
SELECT id, at, at::text, at::date, at::time, at::timestamp FROM moments ORDER BY id
SELECT id, local::timestamptz, day::timestamptz FROM moments ORDER BY id
SELECT id, date_trunc('day', at), date_trunc('hour', at), date_trunc('year', at) FROM moments ORDER BY id
SELECT id, date_part('hour', at), date_part('epoch', at), date_part('dow', at) FROM moments ORDER BY id
SELECT id, at + interval '1 day', at - interval '1 month', at + interval '36 hours' FROM moments ORDER BY id
SELECT id, at < local, day = at, at >= timestamptz '2024-10-27 02:30' FROM moments ORDER BY id
SELECT id, age(at, timestamptz '2024-01-01') IS NULL, to_char(at, 'YYYY-MM-DD HH24:MI') FROM moments ORDER BY id
SELECT id, concat(at, '!'), ARRAY[at], coalesce(NULL, at, local) FROM moments ORDER BY id
SELECT id, at = '2024-10-27 01:30', at BETWEEN '2024-01-01' AND '2024-12-31' FROM moments ORDER BY id
SELECT timestamptz '2024-03-31 02:30', timestamptz '2024-10-27 02:30', timestamptz '2024-11-03 01:30', timestamptz '1850-01-01'
SELECT g FROM generate_series(timestamptz '2024-10-26', '2024-10-29', '1 day') g ORDER BY g
SELECT make_timestamptz(2024, 7, 1, 12, 0, 0), to_timestamp('2024-07-01', 'YYYY-MM-DD'), to_timestamp(0)
SELECT now()::date = current_date, now()::timestamp = localtimestamp
INSERT INTO moments VALUES (10, '2024-07-01 12:00', '2024-07-01', '2024-07-01') RETURNING at, at::date
UPDATE moments SET at = local WHERE id = 10 RETURNING at
DELETE FROM moments WHERE id = 10 AND at = '2024-07-01'
SELECT at::date AS d, count(*) FROM moments GROUP BY 1 ORDER BY 1
SELECT at FROM moments UNION SELECT day FROM moments ORDER BY 1
CREATE TEMP TABLE keyed (k timestamptz PRIMARY KEY, d date, n int)
SET TIME ZONE 'America/New_York'
INSERT INTO keyed AS a VALUES ('2024-01-01 00:00','2024-01-01',1),('2024-07-01','2024-07-01',2),('2024-03-10 02:30','2024-03-10',3)
INSERT INTO keyed AS a VALUES ('2024-01-01 00:00','2024-01-02',1) ON CONFLICT (k) DO UPDATE SET d = excluded.k + interval '1 day', n = 7 WHERE a.k::date = '2024-01-01' RETURNING k, d, k::text
SELECT * FROM keyed AS a ORDER BY k
SELECT n FROM keyed AS a WHERE k = '2024-07-01'
SELECT n FROM keyed AS a WHERE k = date '2024-07-01'
SELECT n FROM keyed AS a WHERE k = timestamp '2024-07-01'
SELECT n FROM keyed AS a WHERE k = '2024-07-01 04:00Z'
SELECT n FROM keyed AS a WHERE k IN (date '2024-07-01', timestamptz '2024-01-01')
SELECT n FROM keyed AS a WHERE k IN (SELECT d FROM keyed AS a) ORDER BY n
SELECT n FROM keyed AS a WHERE k NOT IN (SELECT d::timestamp FROM keyed AS a) ORDER BY n
SELECT x.n, y.n FROM keyed x LEFT JOIN keyed y ON x.k = y.d ORDER BY 1
SELECT x.n FROM keyed x FULL JOIN (SELECT d AS k FROM keyed AS a) y USING (k) ORDER BY 1
SELECT max(k), min(k::date), count(DISTINCT k::date) FROM keyed AS a
SELECT k::date, n, sum(n) OVER (PARTITION BY extract(month from k) ORDER BY k) FROM keyed AS a ORDER BY 1
SELECT date_trunc('month', k) m, sum(n) FROM keyed AS a GROUP BY m HAVING date_trunc('month', k) > '2024-02-01' ORDER BY m
SELECT date_trunc('month', k), sum(n) FROM keyed AS a GROUP BY ROLLUP (date_trunc('month', k)) ORDER BY 1
SELECT DISTINCT ON (k::date) k FROM keyed AS a ORDER BY k::date, k
MERGE INTO keyed AS a USING (VALUES (date '2024-07-01', 9)) v(d, n) ON a.k = v.d WHEN MATCHED THEN UPDATE SET n = v.n, d = a.k + interval '1 month'
SELECT * FROM keyed AS a ORDER BY k
UPDATE keyed SET k = k + '1 month', d = k - '1 day'::interval WHERE k < '2024-03-01' RETURNING *
SELECT age(k) IS NULL FROM keyed AS a
SELECT age(timestamptz '2024-01-01') > '1 year'
SELECT to_char(k, 'TMMonth') FROM keyed AS a ORDER BY k
SELECT k || '' FROM keyed AS a ORDER BY k
SELECT concat_ws(',', k, d) FROM keyed AS a ORDER BY k
SELECT string_agg(k || '', ',' ORDER BY k) FROM keyed AS a
SELECT quote_literal(k) FROM keyed AS a ORDER BY k
SELECT ARRAY[k]::text FROM keyed AS a
SELECT '{2024-01-01}'::timestamptz[]
SELECT k IS DISTINCT FROM d FROM keyed AS a ORDER BY k
SELECT CASE k WHEN '2024-07-01' THEN 1 ELSE 2 END FROM keyed AS a ORDER BY k
SELECT CASE k WHEN date '2024-07-01' THEN 1 ELSE 2 END FROM keyed AS a ORDER BY k
SELECT generate_series(timestamptz '2024-03-09', '2024-03-11', '1 day') ORDER BY 1
SELECT n, g FROM keyed AS a, generate_series(k, k + '2 days', '1 day') g ORDER BY 1, 2
SELECT (SELECT k::date FROM keyed b WHERE b.n = a.n) FROM keyed AS a ORDER BY k
WITH RECURSIVE r(t) AS (SELECT timestamptz '2024-03-09' UNION ALL SELECT t + '1 day' FROM r WHERE t < '2024-03-12') SELECT t, t::date FROM r ORDER BY t
SELECT d - interval '1 day' < k, k - d FROM keyed AS a ORDER BY k
SELECT least(k, d), greatest(d, k) FROM keyed AS a ORDER BY k
SELECT time '10:00' + d, k::time + interval '1 hour' FROM keyed AS a ORDER BY k
SELECT timestamptz 'infinity'::date, timestamptz '-infinity' + '1 day'
SELECT '2024-13-01'::timestamptz
SELECT 'x'::text::timestamptz
SELECT date_trunc('foo', k) FROM keyed AS a
SELECT extract(foo from k) FROM keyed AS a
SELECT date '5874897-01-01'::timestamptz
SELECT now() - now(), now() = current_timestamp
TABLE keyed ORDER BY k
DELETE FROM keyed WHERE k::date = '2024-02-01' RETURNING k
DROP TABLE keyed
SET TIME ZONE 'Nowhere/There'
SET timezone = 'Etc/UTC'
SHOW timezone
SET TIME ZONE 'UTC'
DROP TABLE moments
