SELECT CASE 1 WHEN 1 THEN 'a' WHEN 2 THEN 'b' END, CASE WHEN false THEN 1 END, CASE WHEN NULL THEN 1 ELSE 2 END
SELECT CASE WHEN true THEN 1 ELSE 2.5 END, CASE WHEN true THEN 1 ELSE 'x' END
SELECT CASE WHEN true THEN 1 ELSE '2' END, CASE WHEN true THEN NULL ELSE 1 END
SELECT CASE 1 WHEN '1' THEN 2 END, CASE 'a' WHEN 1 THEN 2 END
SELECT CASE WHEN 1 THEN 2 END
SELECT CASE WHEN a > 1 THEN 1 / (a - 1) ELSE 0 END FROM t
SELECT CASE a WHEN 0 THEN 1 / 0 ELSE a END FROM t
SELECT CASE WHEN true THEN 1 ELSE 1 / 0 END
SELECT a, CASE WHEN a IS NULL THEN 'null' WHEN a < 3 THEN 'low' ELSE c END FROM t
SELECT a BETWEEN 2 AND 4, a NOT BETWEEN 2 AND 4, a BETWEEN SYMMETRIC 4 AND 2, a BETWEEN NULL AND 2 FROM t
SELECT 2 BETWEEN 1 AND '3', 'b' BETWEEN 'a' AND 'c', 2 BETWEEN 3 AND 1
SELECT NULL IS NULL, 1 IS NULL, NULL ISNULL, 1 NOTNULL, NULL = NULL, NULL <> NULL
SELECT NULL IS DISTINCT FROM NULL, 1 IS DISTINCT FROM NULL, 1 IS NOT DISTINCT FROM 1, NULL IS NOT DISTINCT FROM 1
SELECT true IS TRUE, NULL IS TRUE, NULL IS NOT TRUE, false IS FALSE, NULL IS UNKNOWN, true IS NOT UNKNOWN, NULL IS NOT FALSE
SELECT 1 IS TRUE
SELECT 't' IS TRUE, 'x' IS TRUE
SELECT true AND NULL, false AND NULL, true OR NULL, false OR NULL, NOT NULL, NOT false
SELECT 1 AND true
SELECT 'yes' AND true, 'maybe' OR true
SELECT false AND 1 / 0 = 1
SELECT 1 = 1 = true, 1 < 2 AND 2 < 3
SELECT 1 < 2 < 3
SELECT 2 + 3 * 4, (2 + 3) * 4, 2 ^ 3 ^ 2, -2 ^ 2, - - 5, 7 / 2, -7 / 2, 7 % -3, -7 % 3, 5 - -3
SELECT 7 / 2.0, 1 / 3.0, 10 / 4::float8, 2 ^ 0.5, 2 ^ -1, 0 ^ 0, 1e3, 1.5e-3, .5, 5.
SELECT 1 / 0
SELECT 1 % 0
SELECT 1.0 / 0
SELECT 1::float8 / 0
SELECT 0 ^ -1
SELECT (-8) ^ 0.5
SELECT 2147483647 + 1
SELECT 2147483648 + 1, 9223372036854775807 - 1
SELECT 9223372036854775807 + 1
SELECT -(-9223372036854775808)
SELECT 9223372036854775808, pg_typeof(1) IS NOT NULL
SELECT -2147483648 / -1
SELECT (-2147483648)::int4 / -1
SELECT 32767::int2 + 1::int2
SELECT 200::int2 * 200::int2
SELECT 1e308::float8 * 10
SELECT 1e-308::float8 / 1e10
SELECT 1 + '2', '1' + 2, 1 + 2.5, 1 + '2.5'
SELECT '1' + '2'
SELECT 1 + 'x'
SELECT 'a' || 'b', 'a' || 1, 1 || 'a', 'a' || NULL, true || 'x', 1.50 || '', '2024-01-01'::date || '!'
SELECT 1 || 2
SELECT NULL || NULL, 'a' || NULL || 'b'
SELECT 'abc' LIKE 'a%', 'abc' LIKE '_b_', 'abc' NOT LIKE 'b%', 'ABC' ILIKE 'a%', 'a%c' LIKE 'a\%c', 'abc' LIKE 'a#%' ESCAPE '#'
SELECT 'abc' LIKE 'abc\'
SELECT 'abc' LIKE 'abc' ESCAPE 'xx'
SELECT 'a' LIKE NULL, NULL LIKE 'a', '' LIKE '', '' LIKE '%', 'a\b' LIKE 'a\\b', 'ab' LIKE 'a%' ESCAPE ''
SELECT 'abc' ~ 'b', 'abc' ~* 'B', 'abc' !~ 'x', 'abc' !~* 'B', 'abc' ~ '^a.c$'
SELECT 'abc' ~ '['
SELECT 'abc' SIMILAR TO 'a(b|x)c', 'abc' SIMILAR TO 'ab', 'abc' NOT SIMILAR TO '%c', 'a%' SIMILAR TO 'a\%'
SELECT 'abc' ^@ 'ab', starts_with('abc', 'b')
SELECT 5 & 3, 5 | 3, 5 # 3, ~5, 1 << 4, 256 >> 4, 1 << 32, 1::int8 << 40, -1 >> 1
SELECT |/ 16, ||/ 27, @ -5, 5 !
SELECT |/ -1
SELECT 5 <> 4, 5 != 4, 5 >= 5, 5 <= 4
SELECT 'a' < 'B', 'a' = 'A', 'ä' > 'z', '' < ' ', 'a ' = 'a'
SELECT 1 = 1.0, 1 = '1', 1.5::float4 = 1.5, 0.1::float4 = 0.1::float8, 0.1::float4 = 0.1
SELECT true > false, true = 't', true = 'yes', true = 'x'
SELECT '2024-01-01' < '2024-02-01'::date, '2024-01-01'::date = '2024-01-01'::timestamp, '2024-01-01'::timestamp = '2024-01-01 00:00+00'::timestamptz
SELECT '2024-01-31'::date + 1, '2024-01-31'::date - 31, '2024-03-01'::date - '2024-02-01'::date, '2024-01-31'::date + '1 month'::interval
SELECT '2024-01-31'::date + '1 day', '2024-01-31' + 1
SELECT 1 + '2024-01-31'::date, '1 day'::interval + '2024-01-31'::date, '12:00'::time + '2024-01-31'::date
SELECT '2024-01-31 10:00'::timestamp - '2024-01-01'::timestamp, '2024-01-31 10:00'::timestamp + '1 mon', '12:00'::time - '13:30'::time
SELECT '1 day'::interval * 1.5, '1 mon'::interval / 4, 2 * '1 hour'::interval, -'1 day'::interval, '1 day'::interval / 0
SELECT '1 day'::interval > '23 hours', '1 mon'::interval = '30 days', '24:00:00'::interval = '1 day'
SELECT now() = now(), current_date = now()::date, localtimestamp = now()::timestamp, current_timestamp = now()
SELECT '2024-01-01 12:00'::timestamp AT TIME ZONE 'Europe/Zurich', '2024-07-01 12:00Z'::timestamptz AT TIME ZONE 'America/New_York'
SELECT '2024-03-31 02:30'::timestamp AT TIME ZONE 'Europe/Zurich', '2024-10-27 02:30'::timestamp AT TIME ZONE 'Europe/Zurich'
SELECT '2024-01-01 12:00'::timestamp AT TIME ZONE 'Nowhere'
SELECT '2024-01-01 12:00+02'::timestamptz AT LOCAL
SELECT DATE '2024-02-29', TIMESTAMP '2024-02-29 12:00', TIME '12:00', INTERVAL '1' DAY, INTERVAL '1-2' YEAR TO MONTH, INTERVAL '1:30' HOUR TO MINUTE
SELECT INTERVAL '1.5' HOUR, INTERVAL '90' MINUTE, INTERVAL(2) '1.23456 seconds', INTERVAL '2 days' HOUR
SELECT DATE 'x'
SELECT int '5', float8 '1.5', bool 'on', text 'x', numeric '1.50', jsonb '{"a": 1}'
SELECT CAST('5' AS int), CAST(5.5 AS int), CAST(6.5 AS int), CAST(-5.5 AS int), 5.5::float8::int, 6.5::float8::int, CAST(1 AS bool), 'abc'::varchar(2), 'abc'::char(2)
SELECT 1::text, 1.50::text, true::text, 1.5::float8::text, 1e20::float8::text, 1e-7::float8::text, 0.1::float4::text, 100000000000000000000::text
SELECT '1'::text::int + 1, 1::text || 2::text, 'x'::name::text
SELECT 123.456::numeric(5,1), 123.456::numeric(5), 0.05::numeric(2,1), -0.05::numeric(2,1), 99.95::numeric(3,1)
SELECT 1234::numeric(3)
SELECT 12.5::numeric(3,-1)
SELECT 1::numeric(0)
SELECT 1::numeric(40), 1::numeric(2000)
SELECT 'abc'::varchar(0)
SELECT 'x'::nosuch
SELECT 'x'::pg_catalog.text, 1::pg_catalog.int4, 1::public.int4
SELECT array[1, 2, 3], array['a', NULL], array[1, 2.5], array[]::int[], array[[1, 2], [3, 4]]
SELECT array[]
SELECT array[1, 'x']
SELECT array[1, NULL]::text[], array['1', '2']::int[], '{1,2}'::int[] || 3, 0 || '{1,2}'::int[], array[1] || array[2], array[1] || NULL
SELECT (array[1, 2, 3])[2], (array[1, 2, 3])[0], (array[1, 2, 3])[NULL], (array[1, 2, 3])[2:3], (array[1, 2, 3])[:2], (array[1, 2, 3])[5:]
SELECT (1)[1]
SELECT array[1, 2] = array[1, 2], array[1, 2] < array[1, 3], array[1] < array[1, 0], array[1, NULL] = array[1, NULL], '{}'::int[] = '{}'
SELECT array[1, 2] @> array[1], array[1] <@ array[1, 2], array[1, 2] && array[2, 3], array[1] @> '{}', array[1, NULL] @> array[NULL]::int[]
SELECT '{"a": {"b": [1, 2]}}'::jsonb -> 'a' -> 'b' -> 0, '{"a": 1}'::jsonb ->> 'a', '[1, 2]'::jsonb -> -1, '{"a": 1}'::jsonb -> 'x', '[1]'::jsonb -> 'a'
SELECT '{"a": {"b": 1}}'::jsonb #> '{a,b}', '{"a": [1, 2]}'::jsonb #>> '{a,1}', '{"a": 1}'::jsonb ? 'a', '{"a": 1}'::jsonb ?| array['x', 'a'], '["a"]'::jsonb ?& array['a']
SELECT '{"a": 1}'::jsonb || '{"b": 2}', '[1]'::jsonb || '2', '{"a": 1, "b": 2}'::jsonb - 'a', '[1, 2, 3]'::jsonb - 1, '{"a": {"b": 1}}'::jsonb #- '{a,b}', '{"a": 1, "b": 2}'::jsonb - array['a', 'b']
SELECT '{"a": 1}'::jsonb @> '{"a": 1}', '[1, 2]'::jsonb <@ '[1, 2, 3]', '{"a": 1}'::jsonb = '{"a": 1.0}', '{"a": 1}'::jsonb @? '$.a', '{"a": 1}'::jsonb @@ '$.a == 1'
SELECT ('{"a": [1, 2]}'::jsonb)['a'][1], ('[1]'::jsonb)['x'], ('{"a": 1}'::jsonb)['a']::int
SELECT ('{"a": 1.5}'::jsonb -> 'a')::int, ('{"a": true}'::jsonb -> 'a')::bool, ('"x"'::jsonb)::text, 'null'::jsonb::int
SELECT ('"x"'::jsonb)::int
SELECT 1 IN (1, 2), 'a' NOT IN ('b'), NULL IN (NULL), 1 IN (SELECT 1)
SELECT coalesce(NULL, NULL, 3), coalesce(a, -1), nullif(a, 2), greatest(a, b), least(a, b, 3) FROM t
SELECT coalesce()
SELECT nullif(1)
SELECT greatest(1, 'x')
SELECT 'a' COLLATE "C" < 'b', 'a' COLLATE "nosuch"
SELECT 'abc' COLLATE "C"
SELECT f.x FROM (SELECT 1 AS x) f
SELECT t FROM t WHERE a = 1
SELECT (t).a FROM t
SELECT (t.*) IS NULL FROM t
SELECT a.b.c.d FROM t
SELECT length('x', 'y')
SELECT nosuch(1)
SELECT nosuch()
SELECT pg_catalog.abs(-1), public.abs(-1)
SELECT abs('x')
SELECT abs('-5'), abs(NULL), round('2.5'), round(2.5), round(2.5::float8), round(-2.5), round(2.345, 2)
SELECT substring('hello', 2, 3), substr('hello', 0), left('hello', -2), right('hello', 2), split_part('a,b', ',', 2)
SELECT lower('ÄB'), upper('äb'), initcap('hello wORLD-foo'), length('äöü'), octet_length('äöü'), reverse('äb')
SELECT extract(year FROM '2024-02-29'::date), extract(epoch FROM '1 day'::interval), extract('month' FROM now()) IS NOT NULL
SELECT $1
SELECT 1 OPERATOR(pg_catalog.+) 2
SELECT @1
SELECT 1 === 2
SELECT true::int, 5::bool, 0::bool, 'f'::bool, 2.5::bool
SELECT ROW(1, 'a')
SELECT ROW(1, 'a')::text
SELECT md5('a'), sha256('a'::bytea), encode('a', 'base64'), decode('YQ==', 'base64')
SELECT 'a' 'b'
SELECT U&'\0061', E'a\nb\x41\u00e4', $$a'b$$, $x$a$$b$x$, B'101', X'1F'
SELECT E'\xff'
SELECT N'abc'
SELECT 0x1F, 0b101, 0o17, 1_000, 1_0.5
SELECT 1__0
SELECT 123abc
SELECT 'unterminated
SELECT "unterminated
SELECT "", 1
SELECT $$unterminated
SELECT /* comment /* nested */ */ 1 -- end
SELECT /* unterminated
SELECT 1;
SELECT 1; SELECT 2
SELECT 1.0/3, 2.0::numeric/7, sqrt(2.0), exp(1.0), ln(2.0), 10::numeric/3*3
SELECT (1.0/3)*3 = 1, (1/3.0)::text
SELECT avg(a) FROM t
SELECT avg(a)*3 = sum(a) FROM t WHERE a < 4
SELECT array_agg('x')
SELECT mode() WITHIN GROUP (ORDER BY 'x')
SELECT first_value('x') OVER ()
SELECT 23::regtype::text
SELECT NULL::regclass
SELECT coalesce('a'::varchar, 'b'::text)
SELECT array['a'::varchar, 'b']
SELECT '{a}'::varchar[] || 'b'::text, array_append('{a}'::varchar[], 'b')
SELECT a FROM t ORDER BY -1
SELECT CASE WHEN a > 0 THEN 1 ELSE 'x' END FROM t
SELECT 'x'::char
SELECT CAST('abc' AS char)
SELECT 1::bit
SELECT '1'::money
SELECT now()::date - current_date
SELECT length(now()::text) > 0
SELECT E'\u00e4', E'\xc3\xa4'
SELECT U&"a"
SELECT * FROM t WHERE a = 1 FOR UPDATE
SELECT t.a FROM public.t, (SELECT 1) x
SELECT public.t.a FROM public.t WHERE public.t.a = 1
UPDATE t SET b = 11 WHERE t.a = 1 RETURNING t.*
UPDATE t SET b = 10 WHERE public.t.a = 1 RETURNING *
DELETE FROM t USING u WHERE t.a = u.a AND u.a = 99 RETURNING *
SELECT a FROM t WHERE a < ALL ('{1,2}')
SELECT a FROM t GROUP BY a ORDER BY 'x'
SELECT DISTINCT ON ('x') a FROM t
SELECT a FROM t GROUP BY true
SELECT 5 = ANY('{1,5}'), 5 = ANY(array[1,5]::text[])
SELECT 1 WHERE 'f'
SELECT lag(NULL) OVER (), lead(NULL, 1, 2) OVER ()
SELECT d, d IN (date '2024-02-29', date 'infinity'), d NOT IN ('-infinity', NULL), ts IN ('infinity', '1970-01-01') FROM every
SELECT x IN (date 'infinity', '2024-01-01') FROM (VALUES (date 'infinity'), (date '-infinity')) AS v (x)
