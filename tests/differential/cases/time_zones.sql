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
SET TIME ZONE 'Nowhere/There'
SET timezone = 'Etc/UTC'
SHOW timezone
SET TIME ZONE 'UTC'
DROP TABLE moments
