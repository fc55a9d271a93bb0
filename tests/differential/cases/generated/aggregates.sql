SELECT any_value(x0 ORDER BY x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT k, any_value(x0 ORDER BY x0), count(*) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) GROUP BY k
SELECT any_value(x0 ORDER BY x0) FILTER (WHERE k > 2), any_value(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT any_value(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT any_value(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) WHERE false
SELECT any_value(x0 ORDER BY x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT k, any_value(x0 ORDER BY x0), count(*) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0) GROUP BY k
SELECT any_value(x0 ORDER BY x0) FILTER (WHERE k > 2), any_value(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT any_value(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT any_value(x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0) WHERE false
SELECT any_value(x0 ORDER BY x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT k, any_value(x0 ORDER BY x0), count(*) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) GROUP BY k
SELECT any_value(x0 ORDER BY x0) FILTER (WHERE k > 2), any_value(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT any_value(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT any_value(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) WHERE false
SELECT any_value(x0 ORDER BY x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT k, any_value(x0 ORDER BY x0), count(*) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0) GROUP BY k
SELECT any_value(x0 ORDER BY x0) FILTER (WHERE k > 2), any_value(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT any_value(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT any_value(x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0) WHERE false
SELECT any_value(x0 ORDER BY x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT k, any_value(x0 ORDER BY x0), count(*) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0) GROUP BY k
SELECT any_value(x0 ORDER BY x0) FILTER (WHERE k > 2), any_value(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT any_value(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT any_value(x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0) WHERE false
SELECT array_agg(x0 ORDER BY x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT k, array_agg(x0 ORDER BY x0), count(*) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) GROUP BY k
SELECT array_agg(x0 ORDER BY x0) FILTER (WHERE k > 2), array_agg(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT array_agg(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT array_agg(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) WHERE false
SELECT array_agg(x0 ORDER BY x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT k, array_agg(x0 ORDER BY x0), count(*) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0) GROUP BY k
SELECT array_agg(x0 ORDER BY x0) FILTER (WHERE k > 2), array_agg(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT array_agg(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT array_agg(x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0) WHERE false
SELECT array_agg(x0 ORDER BY x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT k, array_agg(x0 ORDER BY x0), count(*) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) GROUP BY k
SELECT array_agg(x0 ORDER BY x0) FILTER (WHERE k > 2), array_agg(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT array_agg(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT array_agg(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) WHERE false
SELECT array_agg(x0 ORDER BY x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT k, array_agg(x0 ORDER BY x0), count(*) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0) GROUP BY k
SELECT array_agg(x0 ORDER BY x0) FILTER (WHERE k > 2), array_agg(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT array_agg(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT array_agg(x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0) WHERE false
SELECT array_agg(x0 ORDER BY x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT k, array_agg(x0 ORDER BY x0), count(*) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0) GROUP BY k
SELECT array_agg(x0 ORDER BY x0) FILTER (WHERE k > 2), array_agg(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT array_agg(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT array_agg(x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0) WHERE false
SELECT avg(x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT k, avg(x0), count(*) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0) GROUP BY k
SELECT avg(x0) FILTER (WHERE k > 2), avg(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT avg(DISTINCT x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT avg(x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0) WHERE false
SELECT avg(x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT k, avg(x0), count(*) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0) GROUP BY k
SELECT avg(x0) FILTER (WHERE k > 2), avg(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT avg(DISTINCT x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT avg(x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0) WHERE false
SELECT avg(x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT k, avg(x0), count(*) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0) GROUP BY k
SELECT avg(x0) FILTER (WHERE k > 2), avg(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT avg(DISTINCT x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT avg(x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0) WHERE false
SELECT avg(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT k, avg(x0), count(*) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) GROUP BY k
SELECT avg(x0) FILTER (WHERE k > 2), avg(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT avg(DISTINCT x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT avg(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) WHERE false
SELECT avg(x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT k, avg(x0), count(*) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0) GROUP BY k
SELECT avg(x0) FILTER (WHERE k > 2), avg(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT avg(DISTINCT x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT avg(x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0) WHERE false
SELECT avg(x0) FROM (VALUES (1, '-1 day'::interval), (2, '36:00:00'::interval), (2, '36:00:00'::interval), (3, '1 mon 2 days 03:04:05.5'::interval), (3, NULL::interval)) AS s (k, x0)
SELECT k, avg(x0), count(*) FROM (VALUES (1, '-1 day'::interval), (2, '36:00:00'::interval), (2, '36:00:00'::interval), (3, '1 mon 2 days 03:04:05.5'::interval), (3, NULL::interval)) AS s (k, x0) GROUP BY k
SELECT avg(x0) FILTER (WHERE k > 2), avg(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-1 day'::interval), (2, '36:00:00'::interval), (2, '36:00:00'::interval), (3, '1 mon 2 days 03:04:05.5'::interval), (3, NULL::interval)) AS s (k, x0)
SELECT avg(DISTINCT x0) FROM (VALUES (1, '-1 day'::interval), (2, '36:00:00'::interval), (2, '36:00:00'::interval), (3, '1 mon 2 days 03:04:05.5'::interval), (3, NULL::interval)) AS s (k, x0)
SELECT avg(x0) FROM (VALUES (1, '-1 day'::interval), (2, '36:00:00'::interval), (2, '36:00:00'::interval), (3, '1 mon 2 days 03:04:05.5'::interval), (3, NULL::interval)) AS s (k, x0) WHERE false
SELECT avg(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT k, avg(x0), count(*) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) GROUP BY k
SELECT avg(x0) FILTER (WHERE k > 2), avg(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT avg(DISTINCT x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT avg(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) WHERE false
SELECT bit_and(x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT k, bit_and(x0), count(*) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0) GROUP BY k
SELECT bit_and(x0) FILTER (WHERE k > 2), bit_and(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT bit_and(DISTINCT x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT bit_and(x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0) WHERE false
SELECT bit_and(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT k, bit_and(x0), count(*) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) GROUP BY k
SELECT bit_and(x0) FILTER (WHERE k > 2), bit_and(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT bit_and(DISTINCT x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT bit_and(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) WHERE false
SELECT bit_and(x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT k, bit_and(x0), count(*) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0) GROUP BY k
SELECT bit_and(x0) FILTER (WHERE k > 2), bit_and(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT bit_and(DISTINCT x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT bit_and(x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0) WHERE false
SELECT bit_or(x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT k, bit_or(x0), count(*) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0) GROUP BY k
SELECT bit_or(x0) FILTER (WHERE k > 2), bit_or(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT bit_or(DISTINCT x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT bit_or(x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0) WHERE false
SELECT bit_or(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT k, bit_or(x0), count(*) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) GROUP BY k
SELECT bit_or(x0) FILTER (WHERE k > 2), bit_or(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT bit_or(DISTINCT x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT bit_or(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) WHERE false
SELECT bit_or(x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT k, bit_or(x0), count(*) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0) GROUP BY k
SELECT bit_or(x0) FILTER (WHERE k > 2), bit_or(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT bit_or(DISTINCT x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT bit_or(x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0) WHERE false
SELECT bit_xor(x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT k, bit_xor(x0), count(*) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0) GROUP BY k
SELECT bit_xor(x0) FILTER (WHERE k > 2), bit_xor(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT bit_xor(DISTINCT x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT bit_xor(x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0) WHERE false
SELECT bit_xor(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT k, bit_xor(x0), count(*) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) GROUP BY k
SELECT bit_xor(x0) FILTER (WHERE k > 2), bit_xor(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT bit_xor(DISTINCT x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT bit_xor(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) WHERE false
SELECT bit_xor(x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT k, bit_xor(x0), count(*) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0) GROUP BY k
SELECT bit_xor(x0) FILTER (WHERE k > 2), bit_xor(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT bit_xor(DISTINCT x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT bit_xor(x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0) WHERE false
SELECT bool_and(x0) FROM (VALUES (1, false), (2, true), (2, true), (3, false), (3, NULL::bool)) AS s (k, x0)
SELECT k, bool_and(x0), count(*) FROM (VALUES (1, false), (2, true), (2, true), (3, false), (3, NULL::bool)) AS s (k, x0) GROUP BY k
SELECT bool_and(x0) FILTER (WHERE k > 2), bool_and(x0) FILTER (WHERE k > 9) FROM (VALUES (1, false), (2, true), (2, true), (3, false), (3, NULL::bool)) AS s (k, x0)
SELECT bool_and(DISTINCT x0) FROM (VALUES (1, false), (2, true), (2, true), (3, false), (3, NULL::bool)) AS s (k, x0)
SELECT bool_and(x0) FROM (VALUES (1, false), (2, true), (2, true), (3, false), (3, NULL::bool)) AS s (k, x0) WHERE false
SELECT bool_or(x0) FROM (VALUES (1, false), (2, true), (2, true), (3, false), (3, NULL::bool)) AS s (k, x0)
SELECT k, bool_or(x0), count(*) FROM (VALUES (1, false), (2, true), (2, true), (3, false), (3, NULL::bool)) AS s (k, x0) GROUP BY k
SELECT bool_or(x0) FILTER (WHERE k > 2), bool_or(x0) FILTER (WHERE k > 9) FROM (VALUES (1, false), (2, true), (2, true), (3, false), (3, NULL::bool)) AS s (k, x0)
SELECT bool_or(DISTINCT x0) FROM (VALUES (1, false), (2, true), (2, true), (3, false), (3, NULL::bool)) AS s (k, x0)
SELECT bool_or(x0) FROM (VALUES (1, false), (2, true), (2, true), (3, false), (3, NULL::bool)) AS s (k, x0) WHERE false
SELECT corr(x0, x1) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1)
SELECT k, corr(x0, x1), count(*) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1) GROUP BY k
SELECT corr(x0, x1) FILTER (WHERE k > 2), corr(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1)
SELECT corr(x0, x1) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1) WHERE false
SELECT count(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT k, count(x0), count(*) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) GROUP BY k
SELECT count(x0) FILTER (WHERE k > 2), count(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT count(DISTINCT x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT count(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) WHERE false
SELECT count(x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT k, count(x0), count(*) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0) GROUP BY k
SELECT count(x0) FILTER (WHERE k > 2), count(x0) FILTER (WHERE k > 9) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT count(DISTINCT x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT count(x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0) WHERE false
SELECT count(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT k, count(x0), count(*) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) GROUP BY k
SELECT count(x0) FILTER (WHERE k > 2), count(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT count(DISTINCT x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT count(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) WHERE false
SELECT count(x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT k, count(x0), count(*) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0) GROUP BY k
SELECT count(x0) FILTER (WHERE k > 2), count(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT count(DISTINCT x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT count(x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0) WHERE false
SELECT count(x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT k, count(x0), count(*) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0) GROUP BY k
SELECT count(x0) FILTER (WHERE k > 2), count(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT count(DISTINCT x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT count(x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0) WHERE false
SELECT covar_pop(x0, x1) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1)
SELECT k, covar_pop(x0, x1), count(*) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1) GROUP BY k
SELECT covar_pop(x0, x1) FILTER (WHERE k > 2), covar_pop(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1)
SELECT covar_pop(x0, x1) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1) WHERE false
SELECT covar_samp(x0, x1) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1)
SELECT k, covar_samp(x0, x1), count(*) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1) GROUP BY k
SELECT covar_samp(x0, x1) FILTER (WHERE k > 2), covar_samp(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1)
SELECT covar_samp(x0, x1) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1) WHERE false
SELECT every(x0) FROM (VALUES (1, false), (2, true), (2, true), (3, false), (3, NULL::bool)) AS s (k, x0)
SELECT k, every(x0), count(*) FROM (VALUES (1, false), (2, true), (2, true), (3, false), (3, NULL::bool)) AS s (k, x0) GROUP BY k
SELECT every(x0) FILTER (WHERE k > 2), every(x0) FILTER (WHERE k > 9) FROM (VALUES (1, false), (2, true), (2, true), (3, false), (3, NULL::bool)) AS s (k, x0)
SELECT every(DISTINCT x0) FROM (VALUES (1, false), (2, true), (2, true), (3, false), (3, NULL::bool)) AS s (k, x0)
SELECT every(x0) FROM (VALUES (1, false), (2, true), (2, true), (3, false), (3, NULL::bool)) AS s (k, x0) WHERE false
SELECT json_agg(x0 ORDER BY x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT k, json_agg(x0 ORDER BY x0), count(*) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) GROUP BY k
SELECT json_agg(x0 ORDER BY x0) FILTER (WHERE k > 2), json_agg(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT json_agg(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT json_agg(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) WHERE false
SELECT json_agg(x0 ORDER BY x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT k, json_agg(x0 ORDER BY x0), count(*) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0) GROUP BY k
SELECT json_agg(x0 ORDER BY x0) FILTER (WHERE k > 2), json_agg(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT json_agg(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT json_agg(x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0) WHERE false
SELECT json_agg(x0 ORDER BY x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT k, json_agg(x0 ORDER BY x0), count(*) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) GROUP BY k
SELECT json_agg(x0 ORDER BY x0) FILTER (WHERE k > 2), json_agg(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT json_agg(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT json_agg(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) WHERE false
SELECT json_agg(x0 ORDER BY x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT k, json_agg(x0 ORDER BY x0), count(*) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0) GROUP BY k
SELECT json_agg(x0 ORDER BY x0) FILTER (WHERE k > 2), json_agg(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT json_agg(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT json_agg(x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0) WHERE false
SELECT json_agg(x0 ORDER BY x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT k, json_agg(x0 ORDER BY x0), count(*) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0) GROUP BY k
SELECT json_agg(x0 ORDER BY x0) FILTER (WHERE k > 2), json_agg(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT json_agg(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT json_agg(x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0) WHERE false
SELECT json_agg_strict(x0 ORDER BY x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT k, json_agg_strict(x0 ORDER BY x0), count(*) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) GROUP BY k
SELECT json_agg_strict(x0 ORDER BY x0) FILTER (WHERE k > 2), json_agg_strict(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT json_agg_strict(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT json_agg_strict(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) WHERE false
SELECT json_agg_strict(x0 ORDER BY x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT k, json_agg_strict(x0 ORDER BY x0), count(*) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0) GROUP BY k
SELECT json_agg_strict(x0 ORDER BY x0) FILTER (WHERE k > 2), json_agg_strict(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT json_agg_strict(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT json_agg_strict(x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0) WHERE false
SELECT json_agg_strict(x0 ORDER BY x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT k, json_agg_strict(x0 ORDER BY x0), count(*) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) GROUP BY k
SELECT json_agg_strict(x0 ORDER BY x0) FILTER (WHERE k > 2), json_agg_strict(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT json_agg_strict(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT json_agg_strict(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) WHERE false
SELECT json_agg_strict(x0 ORDER BY x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT k, json_agg_strict(x0 ORDER BY x0), count(*) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0) GROUP BY k
SELECT json_agg_strict(x0 ORDER BY x0) FILTER (WHERE k > 2), json_agg_strict(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT json_agg_strict(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT json_agg_strict(x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0) WHERE false
SELECT json_agg_strict(x0 ORDER BY x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT k, json_agg_strict(x0 ORDER BY x0), count(*) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0) GROUP BY k
SELECT json_agg_strict(x0 ORDER BY x0) FILTER (WHERE k > 2), json_agg_strict(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT json_agg_strict(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT json_agg_strict(x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0) WHERE false
SELECT json_object_agg(x0, x1 ORDER BY x0, x1) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1)
SELECT k, json_object_agg(x0, x1 ORDER BY x0, x1), count(*) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT json_object_agg(x0, x1 ORDER BY x0, x1) FILTER (WHERE k > 2), json_object_agg(x0, x1 ORDER BY x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1)
SELECT json_object_agg(x0, x1) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT json_object_agg(x0, x1 ORDER BY x0, x1) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1)
SELECT k, json_object_agg(x0, x1 ORDER BY x0, x1), count(*) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT json_object_agg(x0, x1 ORDER BY x0, x1) FILTER (WHERE k > 2), json_object_agg(x0, x1 ORDER BY x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1)
SELECT json_object_agg(x0, x1) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT json_object_agg(x0, x1 ORDER BY x0, x1) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1)
SELECT k, json_object_agg(x0, x1 ORDER BY x0, x1), count(*) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT json_object_agg(x0, x1 ORDER BY x0, x1) FILTER (WHERE k > 2), json_object_agg(x0, x1 ORDER BY x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1)
SELECT json_object_agg(x0, x1) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT json_object_agg(x0, x1 ORDER BY x0, x1) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1)
SELECT k, json_object_agg(x0, x1 ORDER BY x0, x1), count(*) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT json_object_agg(x0, x1 ORDER BY x0, x1) FILTER (WHERE k > 2), json_object_agg(x0, x1 ORDER BY x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1)
SELECT json_object_agg(x0, x1) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT json_object_agg(x0, x1 ORDER BY x0, x1) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1)
SELECT k, json_object_agg(x0, x1 ORDER BY x0, x1), count(*) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT json_object_agg(x0, x1 ORDER BY x0, x1) FILTER (WHERE k > 2), json_object_agg(x0, x1 ORDER BY x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1)
SELECT json_object_agg(x0, x1) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT json_object_agg_strict(x0, x1) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1)
SELECT k, json_object_agg_strict(x0, x1), count(*) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT json_object_agg_strict(x0, x1) FILTER (WHERE k > 2), json_object_agg_strict(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1)
SELECT json_object_agg_strict(x0, x1) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT json_object_agg_strict(x0, x1) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1)
SELECT k, json_object_agg_strict(x0, x1), count(*) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT json_object_agg_strict(x0, x1) FILTER (WHERE k > 2), json_object_agg_strict(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1)
SELECT json_object_agg_strict(x0, x1) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT json_object_agg_strict(x0, x1) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1)
SELECT k, json_object_agg_strict(x0, x1), count(*) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT json_object_agg_strict(x0, x1) FILTER (WHERE k > 2), json_object_agg_strict(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1)
SELECT json_object_agg_strict(x0, x1) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT json_object_agg_strict(x0, x1) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1)
SELECT k, json_object_agg_strict(x0, x1), count(*) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT json_object_agg_strict(x0, x1) FILTER (WHERE k > 2), json_object_agg_strict(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1)
SELECT json_object_agg_strict(x0, x1) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT json_object_agg_strict(x0, x1) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1)
SELECT k, json_object_agg_strict(x0, x1), count(*) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT json_object_agg_strict(x0, x1) FILTER (WHERE k > 2), json_object_agg_strict(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1)
SELECT json_object_agg_strict(x0, x1) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT json_object_agg_unique(x0, x1) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1)
SELECT k, json_object_agg_unique(x0, x1), count(*) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT json_object_agg_unique(x0, x1) FILTER (WHERE k > 2), json_object_agg_unique(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1)
SELECT json_object_agg_unique(x0, x1) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT json_object_agg_unique(x0, x1) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1)
SELECT k, json_object_agg_unique(x0, x1), count(*) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT json_object_agg_unique(x0, x1) FILTER (WHERE k > 2), json_object_agg_unique(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1)
SELECT json_object_agg_unique(x0, x1) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT json_object_agg_unique(x0, x1) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1)
SELECT k, json_object_agg_unique(x0, x1), count(*) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT json_object_agg_unique(x0, x1) FILTER (WHERE k > 2), json_object_agg_unique(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1)
SELECT json_object_agg_unique(x0, x1) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT json_object_agg_unique(x0, x1) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1)
SELECT k, json_object_agg_unique(x0, x1), count(*) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT json_object_agg_unique(x0, x1) FILTER (WHERE k > 2), json_object_agg_unique(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1)
SELECT json_object_agg_unique(x0, x1) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT json_object_agg_unique(x0, x1) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1)
SELECT k, json_object_agg_unique(x0, x1), count(*) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT json_object_agg_unique(x0, x1) FILTER (WHERE k > 2), json_object_agg_unique(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1)
SELECT json_object_agg_unique(x0, x1) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT json_object_agg_unique_strict(x0, x1) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1)
SELECT k, json_object_agg_unique_strict(x0, x1), count(*) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT json_object_agg_unique_strict(x0, x1) FILTER (WHERE k > 2), json_object_agg_unique_strict(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1)
SELECT json_object_agg_unique_strict(x0, x1) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT json_object_agg_unique_strict(x0, x1) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1)
SELECT k, json_object_agg_unique_strict(x0, x1), count(*) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT json_object_agg_unique_strict(x0, x1) FILTER (WHERE k > 2), json_object_agg_unique_strict(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1)
SELECT json_object_agg_unique_strict(x0, x1) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT json_object_agg_unique_strict(x0, x1) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1)
SELECT k, json_object_agg_unique_strict(x0, x1), count(*) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT json_object_agg_unique_strict(x0, x1) FILTER (WHERE k > 2), json_object_agg_unique_strict(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1)
SELECT json_object_agg_unique_strict(x0, x1) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT json_object_agg_unique_strict(x0, x1) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1)
SELECT k, json_object_agg_unique_strict(x0, x1), count(*) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT json_object_agg_unique_strict(x0, x1) FILTER (WHERE k > 2), json_object_agg_unique_strict(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1)
SELECT json_object_agg_unique_strict(x0, x1) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT json_object_agg_unique_strict(x0, x1) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1)
SELECT k, json_object_agg_unique_strict(x0, x1), count(*) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT json_object_agg_unique_strict(x0, x1) FILTER (WHERE k > 2), json_object_agg_unique_strict(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1)
SELECT json_object_agg_unique_strict(x0, x1) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT jsonb_agg(x0 ORDER BY x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT k, jsonb_agg(x0 ORDER BY x0), count(*) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) GROUP BY k
SELECT jsonb_agg(x0 ORDER BY x0) FILTER (WHERE k > 2), jsonb_agg(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT jsonb_agg(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT jsonb_agg(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) WHERE false
SELECT jsonb_agg(x0 ORDER BY x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT k, jsonb_agg(x0 ORDER BY x0), count(*) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0) GROUP BY k
SELECT jsonb_agg(x0 ORDER BY x0) FILTER (WHERE k > 2), jsonb_agg(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT jsonb_agg(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT jsonb_agg(x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0) WHERE false
SELECT jsonb_agg(x0 ORDER BY x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT k, jsonb_agg(x0 ORDER BY x0), count(*) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) GROUP BY k
SELECT jsonb_agg(x0 ORDER BY x0) FILTER (WHERE k > 2), jsonb_agg(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT jsonb_agg(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT jsonb_agg(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) WHERE false
SELECT jsonb_agg(x0 ORDER BY x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT k, jsonb_agg(x0 ORDER BY x0), count(*) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0) GROUP BY k
SELECT jsonb_agg(x0 ORDER BY x0) FILTER (WHERE k > 2), jsonb_agg(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT jsonb_agg(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT jsonb_agg(x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0) WHERE false
SELECT jsonb_agg(x0 ORDER BY x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT k, jsonb_agg(x0 ORDER BY x0), count(*) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0) GROUP BY k
SELECT jsonb_agg(x0 ORDER BY x0) FILTER (WHERE k > 2), jsonb_agg(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT jsonb_agg(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT jsonb_agg(x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0) WHERE false
SELECT jsonb_agg_strict(x0 ORDER BY x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT k, jsonb_agg_strict(x0 ORDER BY x0), count(*) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) GROUP BY k
SELECT jsonb_agg_strict(x0 ORDER BY x0) FILTER (WHERE k > 2), jsonb_agg_strict(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT jsonb_agg_strict(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT jsonb_agg_strict(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) WHERE false
SELECT jsonb_agg_strict(x0 ORDER BY x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT k, jsonb_agg_strict(x0 ORDER BY x0), count(*) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0) GROUP BY k
SELECT jsonb_agg_strict(x0 ORDER BY x0) FILTER (WHERE k > 2), jsonb_agg_strict(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT jsonb_agg_strict(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT jsonb_agg_strict(x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0) WHERE false
SELECT jsonb_agg_strict(x0 ORDER BY x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT k, jsonb_agg_strict(x0 ORDER BY x0), count(*) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) GROUP BY k
SELECT jsonb_agg_strict(x0 ORDER BY x0) FILTER (WHERE k > 2), jsonb_agg_strict(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT jsonb_agg_strict(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT jsonb_agg_strict(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) WHERE false
SELECT jsonb_agg_strict(x0 ORDER BY x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT k, jsonb_agg_strict(x0 ORDER BY x0), count(*) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0) GROUP BY k
SELECT jsonb_agg_strict(x0 ORDER BY x0) FILTER (WHERE k > 2), jsonb_agg_strict(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT jsonb_agg_strict(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT jsonb_agg_strict(x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0) WHERE false
SELECT jsonb_agg_strict(x0 ORDER BY x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT k, jsonb_agg_strict(x0 ORDER BY x0), count(*) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0) GROUP BY k
SELECT jsonb_agg_strict(x0 ORDER BY x0) FILTER (WHERE k > 2), jsonb_agg_strict(x0 ORDER BY x0) FILTER (WHERE k > 9) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT jsonb_agg_strict(DISTINCT x0 ORDER BY x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT jsonb_agg_strict(x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0) WHERE false
SELECT jsonb_object_agg(x0, x1 ORDER BY x0, x1) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1)
SELECT k, jsonb_object_agg(x0, x1 ORDER BY x0, x1), count(*) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT jsonb_object_agg(x0, x1 ORDER BY x0, x1) FILTER (WHERE k > 2), jsonb_object_agg(x0, x1 ORDER BY x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1)
SELECT jsonb_object_agg(x0, x1) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT jsonb_object_agg(x0, x1 ORDER BY x0, x1) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1)
SELECT k, jsonb_object_agg(x0, x1 ORDER BY x0, x1), count(*) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT jsonb_object_agg(x0, x1 ORDER BY x0, x1) FILTER (WHERE k > 2), jsonb_object_agg(x0, x1 ORDER BY x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1)
SELECT jsonb_object_agg(x0, x1) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT jsonb_object_agg(x0, x1 ORDER BY x0, x1) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1)
SELECT k, jsonb_object_agg(x0, x1 ORDER BY x0, x1), count(*) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT jsonb_object_agg(x0, x1 ORDER BY x0, x1) FILTER (WHERE k > 2), jsonb_object_agg(x0, x1 ORDER BY x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1)
SELECT jsonb_object_agg(x0, x1) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT jsonb_object_agg(x0, x1 ORDER BY x0, x1) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1)
SELECT k, jsonb_object_agg(x0, x1 ORDER BY x0, x1), count(*) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT jsonb_object_agg(x0, x1 ORDER BY x0, x1) FILTER (WHERE k > 2), jsonb_object_agg(x0, x1 ORDER BY x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1)
SELECT jsonb_object_agg(x0, x1) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT jsonb_object_agg(x0, x1 ORDER BY x0, x1) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1)
SELECT k, jsonb_object_agg(x0, x1 ORDER BY x0, x1), count(*) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT jsonb_object_agg(x0, x1 ORDER BY x0, x1) FILTER (WHERE k > 2), jsonb_object_agg(x0, x1 ORDER BY x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1)
SELECT jsonb_object_agg(x0, x1) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT jsonb_object_agg_strict(x0, x1) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1)
SELECT k, jsonb_object_agg_strict(x0, x1), count(*) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT jsonb_object_agg_strict(x0, x1) FILTER (WHERE k > 2), jsonb_object_agg_strict(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1)
SELECT jsonb_object_agg_strict(x0, x1) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT jsonb_object_agg_strict(x0, x1) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1)
SELECT k, jsonb_object_agg_strict(x0, x1), count(*) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT jsonb_object_agg_strict(x0, x1) FILTER (WHERE k > 2), jsonb_object_agg_strict(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1)
SELECT jsonb_object_agg_strict(x0, x1) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT jsonb_object_agg_strict(x0, x1) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1)
SELECT k, jsonb_object_agg_strict(x0, x1), count(*) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT jsonb_object_agg_strict(x0, x1) FILTER (WHERE k > 2), jsonb_object_agg_strict(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1)
SELECT jsonb_object_agg_strict(x0, x1) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT jsonb_object_agg_strict(x0, x1) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1)
SELECT k, jsonb_object_agg_strict(x0, x1), count(*) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT jsonb_object_agg_strict(x0, x1) FILTER (WHERE k > 2), jsonb_object_agg_strict(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1)
SELECT jsonb_object_agg_strict(x0, x1) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT jsonb_object_agg_strict(x0, x1) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1)
SELECT k, jsonb_object_agg_strict(x0, x1), count(*) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT jsonb_object_agg_strict(x0, x1) FILTER (WHERE k > 2), jsonb_object_agg_strict(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1)
SELECT jsonb_object_agg_strict(x0, x1) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT jsonb_object_agg_unique(x0, x1) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1)
SELECT k, jsonb_object_agg_unique(x0, x1), count(*) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT jsonb_object_agg_unique(x0, x1) FILTER (WHERE k > 2), jsonb_object_agg_unique(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1)
SELECT jsonb_object_agg_unique(x0, x1) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT jsonb_object_agg_unique(x0, x1) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1)
SELECT k, jsonb_object_agg_unique(x0, x1), count(*) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT jsonb_object_agg_unique(x0, x1) FILTER (WHERE k > 2), jsonb_object_agg_unique(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1)
SELECT jsonb_object_agg_unique(x0, x1) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT jsonb_object_agg_unique(x0, x1) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1)
SELECT k, jsonb_object_agg_unique(x0, x1), count(*) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT jsonb_object_agg_unique(x0, x1) FILTER (WHERE k > 2), jsonb_object_agg_unique(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1)
SELECT jsonb_object_agg_unique(x0, x1) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT jsonb_object_agg_unique(x0, x1) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1)
SELECT k, jsonb_object_agg_unique(x0, x1), count(*) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT jsonb_object_agg_unique(x0, x1) FILTER (WHERE k > 2), jsonb_object_agg_unique(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1)
SELECT jsonb_object_agg_unique(x0, x1) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT jsonb_object_agg_unique(x0, x1) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1)
SELECT k, jsonb_object_agg_unique(x0, x1), count(*) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT jsonb_object_agg_unique(x0, x1) FILTER (WHERE k > 2), jsonb_object_agg_unique(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1)
SELECT jsonb_object_agg_unique(x0, x1) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT jsonb_object_agg_unique_strict(x0, x1) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1)
SELECT k, jsonb_object_agg_unique_strict(x0, x1), count(*) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT jsonb_object_agg_unique_strict(x0, x1) FILTER (WHERE k > 2), jsonb_object_agg_unique_strict(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1)
SELECT jsonb_object_agg_unique_strict(x0, x1) FROM (VALUES (1, -7, 2), (2, 2, 5), (2, 2, 5), (3, 5, -7), (3, NULL::int4, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT jsonb_object_agg_unique_strict(x0, x1) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1)
SELECT k, jsonb_object_agg_unique_strict(x0, x1), count(*) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT jsonb_object_agg_unique_strict(x0, x1) FILTER (WHERE k > 2), jsonb_object_agg_unique_strict(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1)
SELECT jsonb_object_agg_unique_strict(x0, x1) FROM (VALUES (1, 'Hello World'::text, 2), (2, 'l'::text, 5), (2, 'l'::text, 5), (3, 'abc'::text, -7), (3, NULL::text, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT jsonb_object_agg_unique_strict(x0, x1) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1)
SELECT k, jsonb_object_agg_unique_strict(x0, x1), count(*) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT jsonb_object_agg_unique_strict(x0, x1) FILTER (WHERE k > 2), jsonb_object_agg_unique_strict(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1)
SELECT jsonb_object_agg_unique_strict(x0, x1) FROM (VALUES (1, -1.5::numeric, 2), (2, 2.25::numeric(6,2), 5), (2, 2.25::numeric(6,2), 5), (3, 3.75, -7), (3, NULL::numeric, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT jsonb_object_agg_unique_strict(x0, x1) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1)
SELECT k, jsonb_object_agg_unique_strict(x0, x1), count(*) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT jsonb_object_agg_unique_strict(x0, x1) FILTER (WHERE k > 2), jsonb_object_agg_unique_strict(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1)
SELECT jsonb_object_agg_unique_strict(x0, x1) FROM (VALUES (1, '[1, "x", null]'::jsonb, 2), (2, '"a"'::jsonb, 5), (2, '"a"'::jsonb, 5), (3, '{"a": 1, "b": [1, 2]}'::jsonb, -7), (3, NULL::jsonb, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT jsonb_object_agg_unique_strict(x0, x1) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1)
SELECT k, jsonb_object_agg_unique_strict(x0, x1), count(*) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1) GROUP BY k
SELECT jsonb_object_agg_unique_strict(x0, x1) FILTER (WHERE k > 2), jsonb_object_agg_unique_strict(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1)
SELECT jsonb_object_agg_unique_strict(x0, x1) FROM (VALUES (1, '[3,8)'::int4range, 2), (2, '[1,5)'::int4range, 5), (2, '[1,5)'::int4range, 5), (3, '[3,8)'::int4range, -7), (3, NULL::int4range, NULL::int4)) AS s (k, x0, x1) WHERE false
SELECT max(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT k, max(x0), count(*) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) GROUP BY k
SELECT max(x0) FILTER (WHERE k > 2), max(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT max(DISTINCT x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT max(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) WHERE false
SELECT max(x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT k, max(x0), count(*) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0) GROUP BY k
SELECT max(x0) FILTER (WHERE k > 2), max(x0) FILTER (WHERE k > 9) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT max(DISTINCT x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT max(x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0) WHERE false
SELECT max(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT k, max(x0), count(*) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) GROUP BY k
SELECT max(x0) FILTER (WHERE k > 2), max(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT max(DISTINCT x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT max(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) WHERE false
SELECT max(x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT k, max(x0), count(*) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0) GROUP BY k
SELECT max(x0) FILTER (WHERE k > 2), max(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT max(DISTINCT x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT max(x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0) WHERE false
SELECT max(x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT k, max(x0), count(*) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0) GROUP BY k
SELECT max(x0) FILTER (WHERE k > 2), max(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT max(DISTINCT x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT max(x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0) WHERE false
SELECT max(x0) FROM (VALUES (1, 'xyz'::char(3)), (2, 'ab'::char(4)), (2, 'ab'::char(4)), (3, 'xyz'::char(3)), (3, NULL::char(3))) AS s (k, x0)
SELECT k, max(x0), count(*) FROM (VALUES (1, 'xyz'::char(3)), (2, 'ab'::char(4)), (2, 'ab'::char(4)), (3, 'xyz'::char(3)), (3, NULL::char(3))) AS s (k, x0) GROUP BY k
SELECT max(x0) FILTER (WHERE k > 2), max(x0) FILTER (WHERE k > 9) FROM (VALUES (1, 'xyz'::char(3)), (2, 'ab'::char(4)), (2, 'ab'::char(4)), (3, 'xyz'::char(3)), (3, NULL::char(3))) AS s (k, x0)
SELECT max(DISTINCT x0) FROM (VALUES (1, 'xyz'::char(3)), (2, 'ab'::char(4)), (2, 'ab'::char(4)), (3, 'xyz'::char(3)), (3, NULL::char(3))) AS s (k, x0)
SELECT max(x0) FROM (VALUES (1, 'xyz'::char(3)), (2, 'ab'::char(4)), (2, 'ab'::char(4)), (3, 'xyz'::char(3)), (3, NULL::char(3))) AS s (k, x0) WHERE false
SELECT max(x0) FROM (VALUES (1, '\x00ff10'::bytea), (2, '\x62'::bytea), (2, '\x62'::bytea), (3, '\x6162'::bytea), (3, NULL::bytea)) AS s (k, x0)
SELECT k, max(x0), count(*) FROM (VALUES (1, '\x00ff10'::bytea), (2, '\x62'::bytea), (2, '\x62'::bytea), (3, '\x6162'::bytea), (3, NULL::bytea)) AS s (k, x0) GROUP BY k
SELECT max(x0) FILTER (WHERE k > 2), max(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '\x00ff10'::bytea), (2, '\x62'::bytea), (2, '\x62'::bytea), (3, '\x6162'::bytea), (3, NULL::bytea)) AS s (k, x0)
SELECT max(DISTINCT x0) FROM (VALUES (1, '\x00ff10'::bytea), (2, '\x62'::bytea), (2, '\x62'::bytea), (3, '\x6162'::bytea), (3, NULL::bytea)) AS s (k, x0)
SELECT max(x0) FROM (VALUES (1, '\x00ff10'::bytea), (2, '\x62'::bytea), (2, '\x62'::bytea), (3, '\x6162'::bytea), (3, NULL::bytea)) AS s (k, x0) WHERE false
SELECT max(x0) FROM (VALUES (1, '1999-12-31'::date), (2, '2024-02-29'::date), (2, '2024-02-29'::date), (3, '1999-12-31'::date), (3, NULL::date)) AS s (k, x0)
SELECT k, max(x0), count(*) FROM (VALUES (1, '1999-12-31'::date), (2, '2024-02-29'::date), (2, '2024-02-29'::date), (3, '1999-12-31'::date), (3, NULL::date)) AS s (k, x0) GROUP BY k
SELECT max(x0) FILTER (WHERE k > 2), max(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '1999-12-31'::date), (2, '2024-02-29'::date), (2, '2024-02-29'::date), (3, '1999-12-31'::date), (3, NULL::date)) AS s (k, x0)
SELECT max(DISTINCT x0) FROM (VALUES (1, '1999-12-31'::date), (2, '2024-02-29'::date), (2, '2024-02-29'::date), (3, '1999-12-31'::date), (3, NULL::date)) AS s (k, x0)
SELECT max(x0) FROM (VALUES (1, '1999-12-31'::date), (2, '2024-02-29'::date), (2, '2024-02-29'::date), (3, '1999-12-31'::date), (3, NULL::date)) AS s (k, x0) WHERE false
SELECT max(x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT k, max(x0), count(*) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0) GROUP BY k
SELECT max(x0) FILTER (WHERE k > 2), max(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT max(DISTINCT x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT max(x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0) WHERE false
SELECT max(x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT k, max(x0), count(*) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0) GROUP BY k
SELECT max(x0) FILTER (WHERE k > 2), max(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT max(DISTINCT x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT max(x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0) WHERE false
SELECT max(x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT k, max(x0), count(*) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0) GROUP BY k
SELECT max(x0) FILTER (WHERE k > 2), max(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT max(DISTINCT x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT max(x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0) WHERE false
SELECT max(x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT k, max(x0), count(*) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0) GROUP BY k
SELECT max(x0) FILTER (WHERE k > 2), max(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT max(DISTINCT x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT max(x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0) WHERE false
SELECT max(x0) FROM (VALUES (1, '-1 day'::interval), (2, '36:00:00'::interval), (2, '36:00:00'::interval), (3, '1 mon 2 days 03:04:05.5'::interval), (3, NULL::interval)) AS s (k, x0)
SELECT k, max(x0), count(*) FROM (VALUES (1, '-1 day'::interval), (2, '36:00:00'::interval), (2, '36:00:00'::interval), (3, '1 mon 2 days 03:04:05.5'::interval), (3, NULL::interval)) AS s (k, x0) GROUP BY k
SELECT max(x0) FILTER (WHERE k > 2), max(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-1 day'::interval), (2, '36:00:00'::interval), (2, '36:00:00'::interval), (3, '1 mon 2 days 03:04:05.5'::interval), (3, NULL::interval)) AS s (k, x0)
SELECT max(DISTINCT x0) FROM (VALUES (1, '-1 day'::interval), (2, '36:00:00'::interval), (2, '36:00:00'::interval), (3, '1 mon 2 days 03:04:05.5'::interval), (3, NULL::interval)) AS s (k, x0)
SELECT max(x0) FROM (VALUES (1, '-1 day'::interval), (2, '36:00:00'::interval), (2, '36:00:00'::interval), (3, '1 mon 2 days 03:04:05.5'::interval), (3, NULL::interval)) AS s (k, x0) WHERE false
SELECT max(x0) FROM (VALUES (1, 3000000000::oid), (2, 5::oid), (2, 5::oid), (3, 3000000000::oid), (3, NULL::oid)) AS s (k, x0)
SELECT k, max(x0), count(*) FROM (VALUES (1, 3000000000::oid), (2, 5::oid), (2, 5::oid), (3, 3000000000::oid), (3, NULL::oid)) AS s (k, x0) GROUP BY k
SELECT max(x0) FILTER (WHERE k > 2), max(x0) FILTER (WHERE k > 9) FROM (VALUES (1, 3000000000::oid), (2, 5::oid), (2, 5::oid), (3, 3000000000::oid), (3, NULL::oid)) AS s (k, x0)
SELECT max(DISTINCT x0) FROM (VALUES (1, 3000000000::oid), (2, 5::oid), (2, 5::oid), (3, 3000000000::oid), (3, NULL::oid)) AS s (k, x0)
SELECT max(x0) FROM (VALUES (1, 3000000000::oid), (2, 5::oid), (2, 5::oid), (3, 3000000000::oid), (3, NULL::oid)) AS s (k, x0) WHERE false
SELECT max(x0) FROM (VALUES (1, '03:00:00'::time), (2, '12:34:56.789'::time), (2, '12:34:56.789'::time), (3, '03:00:00'::time), (3, NULL::time)) AS s (k, x0)
SELECT k, max(x0), count(*) FROM (VALUES (1, '03:00:00'::time), (2, '12:34:56.789'::time), (2, '12:34:56.789'::time), (3, '03:00:00'::time), (3, NULL::time)) AS s (k, x0) GROUP BY k
SELECT max(x0) FILTER (WHERE k > 2), max(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '03:00:00'::time), (2, '12:34:56.789'::time), (2, '12:34:56.789'::time), (3, '03:00:00'::time), (3, NULL::time)) AS s (k, x0)
SELECT max(DISTINCT x0) FROM (VALUES (1, '03:00:00'::time), (2, '12:34:56.789'::time), (2, '12:34:56.789'::time), (3, '03:00:00'::time), (3, NULL::time)) AS s (k, x0)
SELECT max(x0) FROM (VALUES (1, '03:00:00'::time), (2, '12:34:56.789'::time), (2, '12:34:56.789'::time), (3, '03:00:00'::time), (3, NULL::time)) AS s (k, x0) WHERE false
SELECT max(x0) FROM (VALUES (1, '1999-12-31 23:59:59'::timestamp), (2, '2024-02-29 12:34:56.789'::timestamp), (2, '2024-02-29 12:34:56.789'::timestamp), (3, '1999-12-31 23:59:59'::timestamp), (3, NULL::timestamp)) AS s (k, x0)
SELECT k, max(x0), count(*) FROM (VALUES (1, '1999-12-31 23:59:59'::timestamp), (2, '2024-02-29 12:34:56.789'::timestamp), (2, '2024-02-29 12:34:56.789'::timestamp), (3, '1999-12-31 23:59:59'::timestamp), (3, NULL::timestamp)) AS s (k, x0) GROUP BY k
SELECT max(x0) FILTER (WHERE k > 2), max(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '1999-12-31 23:59:59'::timestamp), (2, '2024-02-29 12:34:56.789'::timestamp), (2, '2024-02-29 12:34:56.789'::timestamp), (3, '1999-12-31 23:59:59'::timestamp), (3, NULL::timestamp)) AS s (k, x0)
SELECT max(DISTINCT x0) FROM (VALUES (1, '1999-12-31 23:59:59'::timestamp), (2, '2024-02-29 12:34:56.789'::timestamp), (2, '2024-02-29 12:34:56.789'::timestamp), (3, '1999-12-31 23:59:59'::timestamp), (3, NULL::timestamp)) AS s (k, x0)
SELECT max(x0) FROM (VALUES (1, '1999-12-31 23:59:59'::timestamp), (2, '2024-02-29 12:34:56.789'::timestamp), (2, '2024-02-29 12:34:56.789'::timestamp), (3, '1999-12-31 23:59:59'::timestamp), (3, NULL::timestamp)) AS s (k, x0) WHERE false
SELECT max(x0) FROM (VALUES (1, '1999-12-31 23:59:59Z'::timestamptz), (2, '2024-02-29 12:34:56.789+02'::timestamptz), (2, '2024-02-29 12:34:56.789+02'::timestamptz), (3, '1999-12-31 23:59:59Z'::timestamptz), (3, NULL::timestamptz)) AS s (k, x0)
SELECT k, max(x0), count(*) FROM (VALUES (1, '1999-12-31 23:59:59Z'::timestamptz), (2, '2024-02-29 12:34:56.789+02'::timestamptz), (2, '2024-02-29 12:34:56.789+02'::timestamptz), (3, '1999-12-31 23:59:59Z'::timestamptz), (3, NULL::timestamptz)) AS s (k, x0) GROUP BY k
SELECT max(x0) FILTER (WHERE k > 2), max(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '1999-12-31 23:59:59Z'::timestamptz), (2, '2024-02-29 12:34:56.789+02'::timestamptz), (2, '2024-02-29 12:34:56.789+02'::timestamptz), (3, '1999-12-31 23:59:59Z'::timestamptz), (3, NULL::timestamptz)) AS s (k, x0)
SELECT max(DISTINCT x0) FROM (VALUES (1, '1999-12-31 23:59:59Z'::timestamptz), (2, '2024-02-29 12:34:56.789+02'::timestamptz), (2, '2024-02-29 12:34:56.789+02'::timestamptz), (3, '1999-12-31 23:59:59Z'::timestamptz), (3, NULL::timestamptz)) AS s (k, x0)
SELECT max(x0) FROM (VALUES (1, '1999-12-31 23:59:59Z'::timestamptz), (2, '2024-02-29 12:34:56.789+02'::timestamptz), (2, '2024-02-29 12:34:56.789+02'::timestamptz), (3, '1999-12-31 23:59:59Z'::timestamptz), (3, NULL::timestamptz)) AS s (k, x0) WHERE false
SELECT max(x0) FROM (VALUES (1, '03:00:00+00'::timetz), (2, '12:34:56+02'::timetz), (2, '12:34:56+02'::timetz), (3, '03:00:00+00'::timetz), (3, NULL::timetz)) AS s (k, x0)
SELECT k, max(x0), count(*) FROM (VALUES (1, '03:00:00+00'::timetz), (2, '12:34:56+02'::timetz), (2, '12:34:56+02'::timetz), (3, '03:00:00+00'::timetz), (3, NULL::timetz)) AS s (k, x0) GROUP BY k
SELECT max(x0) FILTER (WHERE k > 2), max(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '03:00:00+00'::timetz), (2, '12:34:56+02'::timetz), (2, '12:34:56+02'::timetz), (3, '03:00:00+00'::timetz), (3, NULL::timetz)) AS s (k, x0)
SELECT max(DISTINCT x0) FROM (VALUES (1, '03:00:00+00'::timetz), (2, '12:34:56+02'::timetz), (2, '12:34:56+02'::timetz), (3, '03:00:00+00'::timetz), (3, NULL::timetz)) AS s (k, x0)
SELECT max(x0) FROM (VALUES (1, '03:00:00+00'::timetz), (2, '12:34:56+02'::timetz), (2, '12:34:56+02'::timetz), (3, '03:00:00+00'::timetz), (3, NULL::timetz)) AS s (k, x0) WHERE false
SELECT min(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT k, min(x0), count(*) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) GROUP BY k
SELECT min(x0) FILTER (WHERE k > 2), min(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT min(DISTINCT x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT min(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) WHERE false
SELECT min(x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT k, min(x0), count(*) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0) GROUP BY k
SELECT min(x0) FILTER (WHERE k > 2), min(x0) FILTER (WHERE k > 9) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT min(DISTINCT x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT min(x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0) WHERE false
SELECT min(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT k, min(x0), count(*) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) GROUP BY k
SELECT min(x0) FILTER (WHERE k > 2), min(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT min(DISTINCT x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT min(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) WHERE false
SELECT min(x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT k, min(x0), count(*) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0) GROUP BY k
SELECT min(x0) FILTER (WHERE k > 2), min(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT min(DISTINCT x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT min(x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0) WHERE false
SELECT min(x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT k, min(x0), count(*) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0) GROUP BY k
SELECT min(x0) FILTER (WHERE k > 2), min(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT min(DISTINCT x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT min(x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0) WHERE false
SELECT min(x0) FROM (VALUES (1, 'xyz'::char(3)), (2, 'ab'::char(4)), (2, 'ab'::char(4)), (3, 'xyz'::char(3)), (3, NULL::char(3))) AS s (k, x0)
SELECT k, min(x0), count(*) FROM (VALUES (1, 'xyz'::char(3)), (2, 'ab'::char(4)), (2, 'ab'::char(4)), (3, 'xyz'::char(3)), (3, NULL::char(3))) AS s (k, x0) GROUP BY k
SELECT min(x0) FILTER (WHERE k > 2), min(x0) FILTER (WHERE k > 9) FROM (VALUES (1, 'xyz'::char(3)), (2, 'ab'::char(4)), (2, 'ab'::char(4)), (3, 'xyz'::char(3)), (3, NULL::char(3))) AS s (k, x0)
SELECT min(DISTINCT x0) FROM (VALUES (1, 'xyz'::char(3)), (2, 'ab'::char(4)), (2, 'ab'::char(4)), (3, 'xyz'::char(3)), (3, NULL::char(3))) AS s (k, x0)
SELECT min(x0) FROM (VALUES (1, 'xyz'::char(3)), (2, 'ab'::char(4)), (2, 'ab'::char(4)), (3, 'xyz'::char(3)), (3, NULL::char(3))) AS s (k, x0) WHERE false
SELECT min(x0) FROM (VALUES (1, '\x00ff10'::bytea), (2, '\x62'::bytea), (2, '\x62'::bytea), (3, '\x6162'::bytea), (3, NULL::bytea)) AS s (k, x0)
SELECT k, min(x0), count(*) FROM (VALUES (1, '\x00ff10'::bytea), (2, '\x62'::bytea), (2, '\x62'::bytea), (3, '\x6162'::bytea), (3, NULL::bytea)) AS s (k, x0) GROUP BY k
SELECT min(x0) FILTER (WHERE k > 2), min(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '\x00ff10'::bytea), (2, '\x62'::bytea), (2, '\x62'::bytea), (3, '\x6162'::bytea), (3, NULL::bytea)) AS s (k, x0)
SELECT min(DISTINCT x0) FROM (VALUES (1, '\x00ff10'::bytea), (2, '\x62'::bytea), (2, '\x62'::bytea), (3, '\x6162'::bytea), (3, NULL::bytea)) AS s (k, x0)
SELECT min(x0) FROM (VALUES (1, '\x00ff10'::bytea), (2, '\x62'::bytea), (2, '\x62'::bytea), (3, '\x6162'::bytea), (3, NULL::bytea)) AS s (k, x0) WHERE false
SELECT min(x0) FROM (VALUES (1, '1999-12-31'::date), (2, '2024-02-29'::date), (2, '2024-02-29'::date), (3, '1999-12-31'::date), (3, NULL::date)) AS s (k, x0)
SELECT k, min(x0), count(*) FROM (VALUES (1, '1999-12-31'::date), (2, '2024-02-29'::date), (2, '2024-02-29'::date), (3, '1999-12-31'::date), (3, NULL::date)) AS s (k, x0) GROUP BY k
SELECT min(x0) FILTER (WHERE k > 2), min(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '1999-12-31'::date), (2, '2024-02-29'::date), (2, '2024-02-29'::date), (3, '1999-12-31'::date), (3, NULL::date)) AS s (k, x0)
SELECT min(DISTINCT x0) FROM (VALUES (1, '1999-12-31'::date), (2, '2024-02-29'::date), (2, '2024-02-29'::date), (3, '1999-12-31'::date), (3, NULL::date)) AS s (k, x0)
SELECT min(x0) FROM (VALUES (1, '1999-12-31'::date), (2, '2024-02-29'::date), (2, '2024-02-29'::date), (3, '1999-12-31'::date), (3, NULL::date)) AS s (k, x0) WHERE false
SELECT min(x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT k, min(x0), count(*) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0) GROUP BY k
SELECT min(x0) FILTER (WHERE k > 2), min(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT min(DISTINCT x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT min(x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0) WHERE false
SELECT min(x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT k, min(x0), count(*) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0) GROUP BY k
SELECT min(x0) FILTER (WHERE k > 2), min(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT min(DISTINCT x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT min(x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0) WHERE false
SELECT min(x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT k, min(x0), count(*) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0) GROUP BY k
SELECT min(x0) FILTER (WHERE k > 2), min(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT min(DISTINCT x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT min(x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0) WHERE false
SELECT min(x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT k, min(x0), count(*) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0) GROUP BY k
SELECT min(x0) FILTER (WHERE k > 2), min(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT min(DISTINCT x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT min(x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0) WHERE false
SELECT min(x0) FROM (VALUES (1, '-1 day'::interval), (2, '36:00:00'::interval), (2, '36:00:00'::interval), (3, '1 mon 2 days 03:04:05.5'::interval), (3, NULL::interval)) AS s (k, x0)
SELECT k, min(x0), count(*) FROM (VALUES (1, '-1 day'::interval), (2, '36:00:00'::interval), (2, '36:00:00'::interval), (3, '1 mon 2 days 03:04:05.5'::interval), (3, NULL::interval)) AS s (k, x0) GROUP BY k
SELECT min(x0) FILTER (WHERE k > 2), min(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-1 day'::interval), (2, '36:00:00'::interval), (2, '36:00:00'::interval), (3, '1 mon 2 days 03:04:05.5'::interval), (3, NULL::interval)) AS s (k, x0)
SELECT min(DISTINCT x0) FROM (VALUES (1, '-1 day'::interval), (2, '36:00:00'::interval), (2, '36:00:00'::interval), (3, '1 mon 2 days 03:04:05.5'::interval), (3, NULL::interval)) AS s (k, x0)
SELECT min(x0) FROM (VALUES (1, '-1 day'::interval), (2, '36:00:00'::interval), (2, '36:00:00'::interval), (3, '1 mon 2 days 03:04:05.5'::interval), (3, NULL::interval)) AS s (k, x0) WHERE false
SELECT min(x0) FROM (VALUES (1, 3000000000::oid), (2, 5::oid), (2, 5::oid), (3, 3000000000::oid), (3, NULL::oid)) AS s (k, x0)
SELECT k, min(x0), count(*) FROM (VALUES (1, 3000000000::oid), (2, 5::oid), (2, 5::oid), (3, 3000000000::oid), (3, NULL::oid)) AS s (k, x0) GROUP BY k
SELECT min(x0) FILTER (WHERE k > 2), min(x0) FILTER (WHERE k > 9) FROM (VALUES (1, 3000000000::oid), (2, 5::oid), (2, 5::oid), (3, 3000000000::oid), (3, NULL::oid)) AS s (k, x0)
SELECT min(DISTINCT x0) FROM (VALUES (1, 3000000000::oid), (2, 5::oid), (2, 5::oid), (3, 3000000000::oid), (3, NULL::oid)) AS s (k, x0)
SELECT min(x0) FROM (VALUES (1, 3000000000::oid), (2, 5::oid), (2, 5::oid), (3, 3000000000::oid), (3, NULL::oid)) AS s (k, x0) WHERE false
SELECT min(x0) FROM (VALUES (1, '03:00:00'::time), (2, '12:34:56.789'::time), (2, '12:34:56.789'::time), (3, '03:00:00'::time), (3, NULL::time)) AS s (k, x0)
SELECT k, min(x0), count(*) FROM (VALUES (1, '03:00:00'::time), (2, '12:34:56.789'::time), (2, '12:34:56.789'::time), (3, '03:00:00'::time), (3, NULL::time)) AS s (k, x0) GROUP BY k
SELECT min(x0) FILTER (WHERE k > 2), min(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '03:00:00'::time), (2, '12:34:56.789'::time), (2, '12:34:56.789'::time), (3, '03:00:00'::time), (3, NULL::time)) AS s (k, x0)
SELECT min(DISTINCT x0) FROM (VALUES (1, '03:00:00'::time), (2, '12:34:56.789'::time), (2, '12:34:56.789'::time), (3, '03:00:00'::time), (3, NULL::time)) AS s (k, x0)
SELECT min(x0) FROM (VALUES (1, '03:00:00'::time), (2, '12:34:56.789'::time), (2, '12:34:56.789'::time), (3, '03:00:00'::time), (3, NULL::time)) AS s (k, x0) WHERE false
SELECT min(x0) FROM (VALUES (1, '1999-12-31 23:59:59'::timestamp), (2, '2024-02-29 12:34:56.789'::timestamp), (2, '2024-02-29 12:34:56.789'::timestamp), (3, '1999-12-31 23:59:59'::timestamp), (3, NULL::timestamp)) AS s (k, x0)
SELECT k, min(x0), count(*) FROM (VALUES (1, '1999-12-31 23:59:59'::timestamp), (2, '2024-02-29 12:34:56.789'::timestamp), (2, '2024-02-29 12:34:56.789'::timestamp), (3, '1999-12-31 23:59:59'::timestamp), (3, NULL::timestamp)) AS s (k, x0) GROUP BY k
SELECT min(x0) FILTER (WHERE k > 2), min(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '1999-12-31 23:59:59'::timestamp), (2, '2024-02-29 12:34:56.789'::timestamp), (2, '2024-02-29 12:34:56.789'::timestamp), (3, '1999-12-31 23:59:59'::timestamp), (3, NULL::timestamp)) AS s (k, x0)
SELECT min(DISTINCT x0) FROM (VALUES (1, '1999-12-31 23:59:59'::timestamp), (2, '2024-02-29 12:34:56.789'::timestamp), (2, '2024-02-29 12:34:56.789'::timestamp), (3, '1999-12-31 23:59:59'::timestamp), (3, NULL::timestamp)) AS s (k, x0)
SELECT min(x0) FROM (VALUES (1, '1999-12-31 23:59:59'::timestamp), (2, '2024-02-29 12:34:56.789'::timestamp), (2, '2024-02-29 12:34:56.789'::timestamp), (3, '1999-12-31 23:59:59'::timestamp), (3, NULL::timestamp)) AS s (k, x0) WHERE false
SELECT min(x0) FROM (VALUES (1, '1999-12-31 23:59:59Z'::timestamptz), (2, '2024-02-29 12:34:56.789+02'::timestamptz), (2, '2024-02-29 12:34:56.789+02'::timestamptz), (3, '1999-12-31 23:59:59Z'::timestamptz), (3, NULL::timestamptz)) AS s (k, x0)
SELECT k, min(x0), count(*) FROM (VALUES (1, '1999-12-31 23:59:59Z'::timestamptz), (2, '2024-02-29 12:34:56.789+02'::timestamptz), (2, '2024-02-29 12:34:56.789+02'::timestamptz), (3, '1999-12-31 23:59:59Z'::timestamptz), (3, NULL::timestamptz)) AS s (k, x0) GROUP BY k
SELECT min(x0) FILTER (WHERE k > 2), min(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '1999-12-31 23:59:59Z'::timestamptz), (2, '2024-02-29 12:34:56.789+02'::timestamptz), (2, '2024-02-29 12:34:56.789+02'::timestamptz), (3, '1999-12-31 23:59:59Z'::timestamptz), (3, NULL::timestamptz)) AS s (k, x0)
SELECT min(DISTINCT x0) FROM (VALUES (1, '1999-12-31 23:59:59Z'::timestamptz), (2, '2024-02-29 12:34:56.789+02'::timestamptz), (2, '2024-02-29 12:34:56.789+02'::timestamptz), (3, '1999-12-31 23:59:59Z'::timestamptz), (3, NULL::timestamptz)) AS s (k, x0)
SELECT min(x0) FROM (VALUES (1, '1999-12-31 23:59:59Z'::timestamptz), (2, '2024-02-29 12:34:56.789+02'::timestamptz), (2, '2024-02-29 12:34:56.789+02'::timestamptz), (3, '1999-12-31 23:59:59Z'::timestamptz), (3, NULL::timestamptz)) AS s (k, x0) WHERE false
SELECT min(x0) FROM (VALUES (1, '03:00:00+00'::timetz), (2, '12:34:56+02'::timetz), (2, '12:34:56+02'::timetz), (3, '03:00:00+00'::timetz), (3, NULL::timetz)) AS s (k, x0)
SELECT k, min(x0), count(*) FROM (VALUES (1, '03:00:00+00'::timetz), (2, '12:34:56+02'::timetz), (2, '12:34:56+02'::timetz), (3, '03:00:00+00'::timetz), (3, NULL::timetz)) AS s (k, x0) GROUP BY k
SELECT min(x0) FILTER (WHERE k > 2), min(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '03:00:00+00'::timetz), (2, '12:34:56+02'::timetz), (2, '12:34:56+02'::timetz), (3, '03:00:00+00'::timetz), (3, NULL::timetz)) AS s (k, x0)
SELECT min(DISTINCT x0) FROM (VALUES (1, '03:00:00+00'::timetz), (2, '12:34:56+02'::timetz), (2, '12:34:56+02'::timetz), (3, '03:00:00+00'::timetz), (3, NULL::timetz)) AS s (k, x0)
SELECT min(x0) FROM (VALUES (1, '03:00:00+00'::timetz), (2, '12:34:56+02'::timetz), (2, '12:34:56+02'::timetz), (3, '03:00:00+00'::timetz), (3, NULL::timetz)) AS s (k, x0) WHERE false
SELECT range_agg(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT k, range_agg(x0), count(*) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) GROUP BY k
SELECT range_agg(x0) FILTER (WHERE k > 2), range_agg(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT range_agg(DISTINCT x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT range_agg(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) WHERE false
SELECT range_agg(x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT k, range_agg(x0), count(*) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0) GROUP BY k
SELECT range_agg(x0) FILTER (WHERE k > 2), range_agg(x0) FILTER (WHERE k > 9) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT range_agg(DISTINCT x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT range_agg(x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0) WHERE false
SELECT range_agg(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT k, range_agg(x0), count(*) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) GROUP BY k
SELECT range_agg(x0) FILTER (WHERE k > 2), range_agg(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT range_agg(DISTINCT x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT range_agg(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) WHERE false
SELECT range_agg(x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT k, range_agg(x0), count(*) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0) GROUP BY k
SELECT range_agg(x0) FILTER (WHERE k > 2), range_agg(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT range_agg(DISTINCT x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT range_agg(x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0) WHERE false
SELECT range_agg(x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT k, range_agg(x0), count(*) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0) GROUP BY k
SELECT range_agg(x0) FILTER (WHERE k > 2), range_agg(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT range_agg(DISTINCT x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT range_agg(x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0) WHERE false
SELECT range_intersect_agg(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT k, range_intersect_agg(x0), count(*) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) GROUP BY k
SELECT range_intersect_agg(x0) FILTER (WHERE k > 2), range_intersect_agg(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT range_intersect_agg(DISTINCT x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT range_intersect_agg(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) WHERE false
SELECT range_intersect_agg(x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT k, range_intersect_agg(x0), count(*) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0) GROUP BY k
SELECT range_intersect_agg(x0) FILTER (WHERE k > 2), range_intersect_agg(x0) FILTER (WHERE k > 9) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT range_intersect_agg(DISTINCT x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0)
SELECT range_intersect_agg(x0) FROM (VALUES (1, 'Hello World'::text), (2, 'l'::text), (2, 'l'::text), (3, 'abc'::text), (3, NULL::text)) AS s (k, x0) WHERE false
SELECT range_intersect_agg(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT k, range_intersect_agg(x0), count(*) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) GROUP BY k
SELECT range_intersect_agg(x0) FILTER (WHERE k > 2), range_intersect_agg(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT range_intersect_agg(DISTINCT x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT range_intersect_agg(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) WHERE false
SELECT range_intersect_agg(x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT k, range_intersect_agg(x0), count(*) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0) GROUP BY k
SELECT range_intersect_agg(x0) FILTER (WHERE k > 2), range_intersect_agg(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT range_intersect_agg(DISTINCT x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0)
SELECT range_intersect_agg(x0) FROM (VALUES (1, '[1, "x", null]'::jsonb), (2, '"a"'::jsonb), (2, '"a"'::jsonb), (3, '{"a": 1, "b": [1, 2]}'::jsonb), (3, NULL::jsonb)) AS s (k, x0) WHERE false
SELECT range_intersect_agg(x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT k, range_intersect_agg(x0), count(*) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0) GROUP BY k
SELECT range_intersect_agg(x0) FILTER (WHERE k > 2), range_intersect_agg(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT range_intersect_agg(DISTINCT x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0)
SELECT range_intersect_agg(x0) FROM (VALUES (1, '[3,8)'::int4range), (2, '[1,5)'::int4range), (2, '[1,5)'::int4range), (3, '[3,8)'::int4range), (3, NULL::int4range)) AS s (k, x0) WHERE false
SELECT regr_avgx(x0, x1) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1)
SELECT k, regr_avgx(x0, x1), count(*) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1) GROUP BY k
SELECT regr_avgx(x0, x1) FILTER (WHERE k > 2), regr_avgx(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1)
SELECT regr_avgx(x0, x1) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1) WHERE false
SELECT regr_avgy(x0, x1) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1)
SELECT k, regr_avgy(x0, x1), count(*) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1) GROUP BY k
SELECT regr_avgy(x0, x1) FILTER (WHERE k > 2), regr_avgy(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1)
SELECT regr_avgy(x0, x1) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1) WHERE false
SELECT regr_count(x0, x1) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1)
SELECT k, regr_count(x0, x1), count(*) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1) GROUP BY k
SELECT regr_count(x0, x1) FILTER (WHERE k > 2), regr_count(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1)
SELECT regr_count(x0, x1) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1) WHERE false
SELECT regr_intercept(x0, x1) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1)
SELECT k, regr_intercept(x0, x1), count(*) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1) GROUP BY k
SELECT regr_intercept(x0, x1) FILTER (WHERE k > 2), regr_intercept(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1)
SELECT regr_intercept(x0, x1) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1) WHERE false
SELECT regr_r2(x0, x1) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1)
SELECT k, regr_r2(x0, x1), count(*) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1) GROUP BY k
SELECT regr_r2(x0, x1) FILTER (WHERE k > 2), regr_r2(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1)
SELECT regr_r2(x0, x1) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1) WHERE false
SELECT regr_slope(x0, x1) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1)
SELECT k, regr_slope(x0, x1), count(*) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1) GROUP BY k
SELECT regr_slope(x0, x1) FILTER (WHERE k > 2), regr_slope(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1)
SELECT regr_slope(x0, x1) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1) WHERE false
SELECT regr_sxx(x0, x1) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1)
SELECT k, regr_sxx(x0, x1), count(*) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1) GROUP BY k
SELECT regr_sxx(x0, x1) FILTER (WHERE k > 2), regr_sxx(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1)
SELECT regr_sxx(x0, x1) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1) WHERE false
SELECT regr_sxy(x0, x1) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1)
SELECT k, regr_sxy(x0, x1), count(*) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1) GROUP BY k
SELECT regr_sxy(x0, x1) FILTER (WHERE k > 2), regr_sxy(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1)
SELECT regr_sxy(x0, x1) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1) WHERE false
SELECT regr_syy(x0, x1) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1)
SELECT k, regr_syy(x0, x1), count(*) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1) GROUP BY k
SELECT regr_syy(x0, x1) FILTER (WHERE k > 2), regr_syy(x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1)
SELECT regr_syy(x0, x1) FROM (VALUES (1, '-0.5'::float8, 4::float8), (2, 4::float8, 2.5::float8), (2, 4::float8, 2.5::float8), (3, 2.5::float8, '-0.5'::float8), (3, NULL::float8, NULL::float8)) AS s (k, x0, x1) WHERE false
SELECT stddev(x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT k, stddev(x0), count(*) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0) GROUP BY k
SELECT stddev(x0) FILTER (WHERE k > 2), stddev(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT stddev(DISTINCT x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT stddev(x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0) WHERE false
SELECT stddev(x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT k, stddev(x0), count(*) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0) GROUP BY k
SELECT stddev(x0) FILTER (WHERE k > 2), stddev(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT stddev(DISTINCT x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT stddev(x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0) WHERE false
SELECT stddev(x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT k, stddev(x0), count(*) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0) GROUP BY k
SELECT stddev(x0) FILTER (WHERE k > 2), stddev(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT stddev(DISTINCT x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT stddev(x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0) WHERE false
SELECT stddev(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT k, stddev(x0), count(*) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) GROUP BY k
SELECT stddev(x0) FILTER (WHERE k > 2), stddev(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT stddev(DISTINCT x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT stddev(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) WHERE false
SELECT stddev(x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT k, stddev(x0), count(*) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0) GROUP BY k
SELECT stddev(x0) FILTER (WHERE k > 2), stddev(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT stddev(DISTINCT x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT stddev(x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0) WHERE false
SELECT stddev(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT k, stddev(x0), count(*) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) GROUP BY k
SELECT stddev(x0) FILTER (WHERE k > 2), stddev(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT stddev(DISTINCT x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT stddev(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) WHERE false
SELECT stddev_pop(x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT k, stddev_pop(x0), count(*) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0) GROUP BY k
SELECT stddev_pop(x0) FILTER (WHERE k > 2), stddev_pop(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT stddev_pop(DISTINCT x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT stddev_pop(x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0) WHERE false
SELECT stddev_pop(x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT k, stddev_pop(x0), count(*) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0) GROUP BY k
SELECT stddev_pop(x0) FILTER (WHERE k > 2), stddev_pop(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT stddev_pop(DISTINCT x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT stddev_pop(x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0) WHERE false
SELECT stddev_pop(x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT k, stddev_pop(x0), count(*) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0) GROUP BY k
SELECT stddev_pop(x0) FILTER (WHERE k > 2), stddev_pop(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT stddev_pop(DISTINCT x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT stddev_pop(x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0) WHERE false
SELECT stddev_pop(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT k, stddev_pop(x0), count(*) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) GROUP BY k
SELECT stddev_pop(x0) FILTER (WHERE k > 2), stddev_pop(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT stddev_pop(DISTINCT x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT stddev_pop(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) WHERE false
SELECT stddev_pop(x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT k, stddev_pop(x0), count(*) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0) GROUP BY k
SELECT stddev_pop(x0) FILTER (WHERE k > 2), stddev_pop(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT stddev_pop(DISTINCT x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT stddev_pop(x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0) WHERE false
SELECT stddev_pop(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT k, stddev_pop(x0), count(*) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) GROUP BY k
SELECT stddev_pop(x0) FILTER (WHERE k > 2), stddev_pop(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT stddev_pop(DISTINCT x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT stddev_pop(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) WHERE false
SELECT stddev_samp(x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT k, stddev_samp(x0), count(*) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0) GROUP BY k
SELECT stddev_samp(x0) FILTER (WHERE k > 2), stddev_samp(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT stddev_samp(DISTINCT x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT stddev_samp(x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0) WHERE false
SELECT stddev_samp(x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT k, stddev_samp(x0), count(*) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0) GROUP BY k
SELECT stddev_samp(x0) FILTER (WHERE k > 2), stddev_samp(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT stddev_samp(DISTINCT x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT stddev_samp(x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0) WHERE false
SELECT stddev_samp(x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT k, stddev_samp(x0), count(*) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0) GROUP BY k
SELECT stddev_samp(x0) FILTER (WHERE k > 2), stddev_samp(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT stddev_samp(DISTINCT x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT stddev_samp(x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0) WHERE false
SELECT stddev_samp(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT k, stddev_samp(x0), count(*) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) GROUP BY k
SELECT stddev_samp(x0) FILTER (WHERE k > 2), stddev_samp(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT stddev_samp(DISTINCT x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT stddev_samp(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) WHERE false
SELECT stddev_samp(x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT k, stddev_samp(x0), count(*) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0) GROUP BY k
SELECT stddev_samp(x0) FILTER (WHERE k > 2), stddev_samp(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT stddev_samp(DISTINCT x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT stddev_samp(x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0) WHERE false
SELECT stddev_samp(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT k, stddev_samp(x0), count(*) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) GROUP BY k
SELECT stddev_samp(x0) FILTER (WHERE k > 2), stddev_samp(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT stddev_samp(DISTINCT x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT stddev_samp(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) WHERE false
SELECT string_agg(x0, x1 ORDER BY x0, x1) FROM (VALUES (1, '\x00ff10'::bytea, '\x62'::bytea), (2, '\x62'::bytea, '\x6162'::bytea), (2, '\x62'::bytea, '\x6162'::bytea), (3, '\x6162'::bytea, '\x00ff10'::bytea), (3, NULL::bytea, NULL::bytea)) AS s (k, x0, x1)
SELECT k, string_agg(x0, x1 ORDER BY x0, x1), count(*) FROM (VALUES (1, '\x00ff10'::bytea, '\x62'::bytea), (2, '\x62'::bytea, '\x6162'::bytea), (2, '\x62'::bytea, '\x6162'::bytea), (3, '\x6162'::bytea, '\x00ff10'::bytea), (3, NULL::bytea, NULL::bytea)) AS s (k, x0, x1) GROUP BY k
SELECT string_agg(x0, x1 ORDER BY x0, x1) FILTER (WHERE k > 2), string_agg(x0, x1 ORDER BY x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, '\x00ff10'::bytea, '\x62'::bytea), (2, '\x62'::bytea, '\x6162'::bytea), (2, '\x62'::bytea, '\x6162'::bytea), (3, '\x6162'::bytea, '\x00ff10'::bytea), (3, NULL::bytea, NULL::bytea)) AS s (k, x0, x1)
SELECT string_agg(x0, x1) FROM (VALUES (1, '\x00ff10'::bytea, '\x62'::bytea), (2, '\x62'::bytea, '\x6162'::bytea), (2, '\x62'::bytea, '\x6162'::bytea), (3, '\x6162'::bytea, '\x00ff10'::bytea), (3, NULL::bytea, NULL::bytea)) AS s (k, x0, x1) WHERE false
SELECT string_agg(x0, x1 ORDER BY x0, x1) FROM (VALUES (1, 'Hello World'::text, 'l'::text), (2, 'l'::text, 'abc'::text), (2, 'l'::text, 'abc'::text), (3, 'abc'::text, 'Hello World'::text), (3, NULL::text, NULL::text)) AS s (k, x0, x1)
SELECT k, string_agg(x0, x1 ORDER BY x0, x1), count(*) FROM (VALUES (1, 'Hello World'::text, 'l'::text), (2, 'l'::text, 'abc'::text), (2, 'l'::text, 'abc'::text), (3, 'abc'::text, 'Hello World'::text), (3, NULL::text, NULL::text)) AS s (k, x0, x1) GROUP BY k
SELECT string_agg(x0, x1 ORDER BY x0, x1) FILTER (WHERE k > 2), string_agg(x0, x1 ORDER BY x0, x1) FILTER (WHERE k > 9) FROM (VALUES (1, 'Hello World'::text, 'l'::text), (2, 'l'::text, 'abc'::text), (2, 'l'::text, 'abc'::text), (3, 'abc'::text, 'Hello World'::text), (3, NULL::text, NULL::text)) AS s (k, x0, x1)
SELECT string_agg(x0, x1) FROM (VALUES (1, 'Hello World'::text, 'l'::text), (2, 'l'::text, 'abc'::text), (2, 'l'::text, 'abc'::text), (3, 'abc'::text, 'Hello World'::text), (3, NULL::text, NULL::text)) AS s (k, x0, x1) WHERE false
SELECT sum(x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT k, sum(x0), count(*) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0) GROUP BY k
SELECT sum(x0) FILTER (WHERE k > 2), sum(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT sum(DISTINCT x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT sum(x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0) WHERE false
SELECT sum(x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT k, sum(x0), count(*) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0) GROUP BY k
SELECT sum(x0) FILTER (WHERE k > 2), sum(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT sum(DISTINCT x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT sum(x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0) WHERE false
SELECT sum(x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT k, sum(x0), count(*) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0) GROUP BY k
SELECT sum(x0) FILTER (WHERE k > 2), sum(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT sum(DISTINCT x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT sum(x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0) WHERE false
SELECT sum(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT k, sum(x0), count(*) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) GROUP BY k
SELECT sum(x0) FILTER (WHERE k > 2), sum(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT sum(DISTINCT x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT sum(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) WHERE false
SELECT sum(x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT k, sum(x0), count(*) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0) GROUP BY k
SELECT sum(x0) FILTER (WHERE k > 2), sum(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT sum(DISTINCT x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT sum(x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0) WHERE false
SELECT sum(x0) FROM (VALUES (1, '-1 day'::interval), (2, '36:00:00'::interval), (2, '36:00:00'::interval), (3, '1 mon 2 days 03:04:05.5'::interval), (3, NULL::interval)) AS s (k, x0)
SELECT k, sum(x0), count(*) FROM (VALUES (1, '-1 day'::interval), (2, '36:00:00'::interval), (2, '36:00:00'::interval), (3, '1 mon 2 days 03:04:05.5'::interval), (3, NULL::interval)) AS s (k, x0) GROUP BY k
SELECT sum(x0) FILTER (WHERE k > 2), sum(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-1 day'::interval), (2, '36:00:00'::interval), (2, '36:00:00'::interval), (3, '1 mon 2 days 03:04:05.5'::interval), (3, NULL::interval)) AS s (k, x0)
SELECT sum(DISTINCT x0) FROM (VALUES (1, '-1 day'::interval), (2, '36:00:00'::interval), (2, '36:00:00'::interval), (3, '1 mon 2 days 03:04:05.5'::interval), (3, NULL::interval)) AS s (k, x0)
SELECT sum(x0) FROM (VALUES (1, '-1 day'::interval), (2, '36:00:00'::interval), (2, '36:00:00'::interval), (3, '1 mon 2 days 03:04:05.5'::interval), (3, NULL::interval)) AS s (k, x0) WHERE false
SELECT sum(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT k, sum(x0), count(*) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) GROUP BY k
SELECT sum(x0) FILTER (WHERE k > 2), sum(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT sum(DISTINCT x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT sum(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) WHERE false
SELECT var_pop(x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT k, var_pop(x0), count(*) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0) GROUP BY k
SELECT var_pop(x0) FILTER (WHERE k > 2), var_pop(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT var_pop(DISTINCT x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT var_pop(x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0) WHERE false
SELECT var_pop(x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT k, var_pop(x0), count(*) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0) GROUP BY k
SELECT var_pop(x0) FILTER (WHERE k > 2), var_pop(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT var_pop(DISTINCT x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT var_pop(x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0) WHERE false
SELECT var_pop(x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT k, var_pop(x0), count(*) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0) GROUP BY k
SELECT var_pop(x0) FILTER (WHERE k > 2), var_pop(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT var_pop(DISTINCT x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT var_pop(x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0) WHERE false
SELECT var_pop(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT k, var_pop(x0), count(*) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) GROUP BY k
SELECT var_pop(x0) FILTER (WHERE k > 2), var_pop(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT var_pop(DISTINCT x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT var_pop(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) WHERE false
SELECT var_pop(x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT k, var_pop(x0), count(*) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0) GROUP BY k
SELECT var_pop(x0) FILTER (WHERE k > 2), var_pop(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT var_pop(DISTINCT x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT var_pop(x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0) WHERE false
SELECT var_pop(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT k, var_pop(x0), count(*) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) GROUP BY k
SELECT var_pop(x0) FILTER (WHERE k > 2), var_pop(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT var_pop(DISTINCT x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT var_pop(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) WHERE false
SELECT var_samp(x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT k, var_samp(x0), count(*) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0) GROUP BY k
SELECT var_samp(x0) FILTER (WHERE k > 2), var_samp(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT var_samp(DISTINCT x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT var_samp(x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0) WHERE false
SELECT var_samp(x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT k, var_samp(x0), count(*) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0) GROUP BY k
SELECT var_samp(x0) FILTER (WHERE k > 2), var_samp(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT var_samp(DISTINCT x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT var_samp(x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0) WHERE false
SELECT var_samp(x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT k, var_samp(x0), count(*) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0) GROUP BY k
SELECT var_samp(x0) FILTER (WHERE k > 2), var_samp(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT var_samp(DISTINCT x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT var_samp(x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0) WHERE false
SELECT var_samp(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT k, var_samp(x0), count(*) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) GROUP BY k
SELECT var_samp(x0) FILTER (WHERE k > 2), var_samp(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT var_samp(DISTINCT x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT var_samp(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) WHERE false
SELECT var_samp(x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT k, var_samp(x0), count(*) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0) GROUP BY k
SELECT var_samp(x0) FILTER (WHERE k > 2), var_samp(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT var_samp(DISTINCT x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT var_samp(x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0) WHERE false
SELECT var_samp(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT k, var_samp(x0), count(*) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) GROUP BY k
SELECT var_samp(x0) FILTER (WHERE k > 2), var_samp(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT var_samp(DISTINCT x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT var_samp(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) WHERE false
SELECT variance(x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT k, variance(x0), count(*) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0) GROUP BY k
SELECT variance(x0) FILTER (WHERE k > 2), variance(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT variance(DISTINCT x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0)
SELECT variance(x0) FROM (VALUES (1, '-2.25'::float4), (2, 3::float4), (2, 3::float4), (3, 1.5::float4), (3, NULL::float4)) AS s (k, x0) WHERE false
SELECT variance(x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT k, variance(x0), count(*) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0) GROUP BY k
SELECT variance(x0) FILTER (WHERE k > 2), variance(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT variance(DISTINCT x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0)
SELECT variance(x0) FROM (VALUES (1, '-0.5'::float8), (2, 4::float8), (2, 4::float8), (3, 2.5::float8), (3, NULL::float8)) AS s (k, x0) WHERE false
SELECT variance(x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT k, variance(x0), count(*) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0) GROUP BY k
SELECT variance(x0) FILTER (WHERE k > 2), variance(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT variance(DISTINCT x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0)
SELECT variance(x0) FROM (VALUES (1, '-3'::int2), (2, 2::int2), (2, 2::int2), (3, 7::int2), (3, NULL::int2)) AS s (k, x0) WHERE false
SELECT variance(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT k, variance(x0), count(*) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) GROUP BY k
SELECT variance(x0) FILTER (WHERE k > 2), variance(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT variance(DISTINCT x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0)
SELECT variance(x0) FROM (VALUES (1, -7), (2, 2), (2, 2), (3, 5), (3, NULL::int4)) AS s (k, x0) WHERE false
SELECT variance(x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT k, variance(x0), count(*) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0) GROUP BY k
SELECT variance(x0) FILTER (WHERE k > 2), variance(x0) FILTER (WHERE k > 9) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT variance(DISTINCT x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0)
SELECT variance(x0) FROM (VALUES (1, '-5'::int8), (2, 3::int8), (2, 3::int8), (3, 12::int8), (3, NULL::int8)) AS s (k, x0) WHERE false
SELECT variance(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT k, variance(x0), count(*) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) GROUP BY k
SELECT variance(x0) FILTER (WHERE k > 2), variance(x0) FILTER (WHERE k > 9) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT variance(DISTINCT x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0)
SELECT variance(x0) FROM (VALUES (1, -1.5::numeric), (2, 2.25::numeric(6,2)), (2, 2.25::numeric(6,2)), (3, 3.75), (3, NULL::numeric)) AS s (k, x0) WHERE false
