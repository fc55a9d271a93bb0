-- Statements of cases/ whose answers deviate from PostgreSQL's, each under the row of docs/sql/deviations.md's list that says why.

-- | Unconstrained `numeric` prints without trailing zeros
SELECT 1.10::numeric::text
SELECT v::text FROM (VALUES (1.50), (2)) AS x (v)
SELECT to_jsonb(1.50::numeric)

-- | Unconstrained `numeric` holds 38 digits before and 38 after the point
SELECT '1e300'::float8::numeric
SELECT ('1e308'::float8)::numeric
SELECT ('3.4e38'::float4)::numeric
SELECT ('1e-310'::float8)::numeric
SELECT 99999999999999999999.999 * 99999999999999999999.999
SELECT 99999999999999999999.999 ^ 3.75
SELECT pow(99999999999999999999.999, 3.75)
SELECT power(99999999999999999999.999, 3.75)

-- | `array_agg`, `list_agg`, `map_agg` and `string_agg` without ORDER BY
SELECT array_agg(c) FROM (VALUES ('b'), ('a')) AS x (c)

-- | Rows without ORDER BY come in another order
SELECT row_number() OVER (), lag(a) OVER (), count(*) OVER () FROM t
SELECT a, row_number() OVER () FROM t

-- | `GROUP BY`, `DISTINCT`, set operations, `min` and `max` print of equal values
SELECT DISTINCT iv FROM (VALUES ('1 mon'::interval), ('30 days')) AS x (iv)
SELECT iv FROM every EXCEPT ALL SELECT iv FROM every WHERE id = 1

-- | `INTERSECT ALL`, `EXCEPT ALL`, the UNION of a recursion and `array_agg(DISTINCT ...)` tell documents apart
SELECT j FROM (VALUES ('1.0'::jsonb)) AS x (j) EXCEPT ALL SELECT '1.00'::jsonb

-- | Timestamps end at 294247-01-10
SELECT '294250-01-01'::timestamp

-- | A constant expression that fails is an error only where it is evaluated
SELECT CASE a WHEN 0 THEN 1 / 0 ELSE a END FROM t

-- | A field that `EXTRACT` and `date_part` do not know
SELECT date_part('nonsense', NULL::time)
SELECT date_part('nonsense', ts) FROM every WHERE id = 4

-- | A LIKE pattern that ends in its escape character
SELECT 'abc' LIKE 'abc\'

-- | Which of several errors is reported is not defined
SELECT x.id, y.id, x.j #- y.ta FROM every x, every y WHERE x.id < 4

-- | A block of SELECT and then INSERT is not refused
SHOW transaction_isolation

-- | `CREATE OR REPLACE VIEW` may change
CREATE OR REPLACE VIEW dv0 AS SELECT 'x' AS other

-- | `regclass` and the other reg types
SELECT 't'::regclass
SELECT 23::regtype
SELECT NULL::regclass
SELECT pg_typeof(1), pg_typeof('x'), pg_typeof('{x}'::char(3)[])
SELECT pg_typeof('1 day'::interval)
SELECT pg_typeof('x')
SELECT pg_typeof('x'::text)
SELECT pg_typeof(1)
SELECT pg_typeof(1.5)
SELECT pg_typeof(1::int2 + 1::int8)
SELECT pg_typeof(NULL)
SELECT pg_typeof(array[1])
SELECT pg_typeof(now())

-- | An array or a document as a key of `jsonb_object_agg`
SELECT json_object_agg(x0, x1) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT jsonb_object_agg(x0, x1) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1) WHERE false

-- | `(record).field` is known wherever the record comes from
SELECT t FROM t WHERE a = 1

-- | [Constructs of other warehouses](other-warehouses.md) mean something
SELECT c, count(*) FROM t GROUP BY ALL
FROM t
