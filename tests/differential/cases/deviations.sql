-- Statements whose answers deviate on purpose: ../deviations.sql says which row of docs/sql/deviations.md explains them.
SELECT 1.10::numeric::text
SELECT v::text FROM (VALUES (1.50), (2)) AS x (v)
SELECT to_jsonb(1.50 + 0.50)
SELECT 1.0 / 3 = 0.33333333333333333333
SELECT DISTINCT iv FROM (VALUES ('1 mon'::interval), ('30 days')) AS x (iv)
SELECT '1e300'::float8::numeric
SELECT 'NaN'::numeric
SELECT a, row_number() OVER () FROM t
SELECT array_agg(c) FROM (VALUES ('b'), ('a')) AS x (c)
SELECT upper('ä' COLLATE "C"), lower('Ä')
SELECT extract(year FROM 'infinity'::date)
SELECT '294250-01-01'::timestamp
SELECT DISTINCT j FROM (VALUES ('1.0'::jsonb), ('1.00')) AS x (j)
SELECT j FROM (VALUES ('1.0'::jsonb)) AS x (j) EXCEPT ALL SELECT '1.00'::jsonb
SHOW transaction_isolation
SELECT 't'::regclass
SELECT pg_typeof(1), pg_typeof('x'), pg_typeof('{x}'::char(3)[])
SELECT 23::regtype
SELECT date_part('nonsense', NULL::time)
SELECT date_part('nonsense', ts) FROM every WHERE id = 4
