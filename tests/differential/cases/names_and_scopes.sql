SELECT A, "a" FROM T
SELECT "A" FROM t
SELECT t.a, T.B FROM t
SELECT t.nope FROM t
SELECT x.a FROM t
SELECT nope.t.a FROM t
SELECT public.t.a FROM public.t
SELECT public.t.a FROM t
SELECT t.a FROM public.t
SELECT x.a FROM public.t AS x
SELECT t.a FROM t AS x
SELECT * FROM nope
SELECT * FROM nope.t
SELECT * FROM public.nope
SELECT * FROM "T"
SELECT * FROM "t"
SELECT t.* FROM t, u
SELECT x.* FROM t
SELECT a FROM t, u
SELECT a FROM t JOIN u USING (a)
SELECT a FROM (SELECT 1 AS a, 2 AS a) x
SELECT x.a FROM (SELECT 1 AS a, 2 AS a) x
SELECT a AS x, x + 1 FROM t
SELECT a AS x FROM t WHERE x = 1
SELECT a AS x FROM t HAVING x = 1
SELECT a AS x, count(*) FROM t GROUP BY x HAVING a > 1
SELECT 1 AS a ORDER BY a
SELECT a FROM t AS t (b)
SELECT t.b, t.c FROM t AS t (x)
SELECT count FROM (SELECT count(*) FROM t) x
SELECT max FROM (SELECT max(a) FROM t) x
SELECT coalesce, "case", "?column?" FROM (SELECT coalesce(a, 1), CASE WHEN true THEN 1 END, 1 + 1 FROM t) x
SELECT a::int, a::bigint AS b, (a), -a, +a, a + 1, NOT true, a IS NULL, a::text || 'x' FROM t
SELECT 'x', 1, NULL, true, 1.5, array[1], ROW(1) IS NULL
SELECT CAST(a AS text), a::numeric(5, 2), 'x'::varchar(5), '1'::int4, int '1', (1)::int8 FROM t
SELECT upper(c), count(*), sum(a) AS s, substring(c FROM 1), extract(year FROM now()) IS NULL FROM t GROUP BY c
SELECT extract(day FROM '2024-01-01'::date), trim('x'), position('a' IN 'b'), overlay('abc' PLACING 'x' FROM 1), nullif(1, 2), greatest(1, 2), least(1, 2)
SELECT current_date IS NULL, current_schema IS NULL, current_user IS NULL
SELECT EXISTS (SELECT 1), array(SELECT 1), (SELECT 1 AS q), (SELECT a FROM t LIMIT 0)
SELECT CASE WHEN true THEN a END, CASE a WHEN 1 THEN 2 ELSE b END, CASE WHEN true THEN 1 ELSE t.c::int END FROM t WHERE false
SELECT (array[1])[1], ('{"a": 1}'::jsonb)['a'], ('{"a": 1}'::jsonb) -> 'a'
SELECT ia[1], ia[1:2], j['a'], j -> 'a' FROM every
SELECT a::text::int, a::int::text, upper(c)::text, (a + 1)::text, (SELECT 1)::text, NULL::int, 'x'::text::varchar FROM t
SELECT 1 AS "A", 2 AS a, 3 AS "a b", 4 AS é
SELECT row_number() OVER (), lag(a) OVER (), count(*) OVER () FROM t
SELECT * FROM (SELECT a, b FROM t) AS x (p, q) WHERE p = 1 AND q = 10
SELECT * FROM (SELECT a, b FROM t) AS x (p) WHERE p = 1 AND b = 10
SELECT * FROM generate_series(1, 3)
SELECT * FROM generate_series(1, 3) AS g
SELECT * FROM generate_series(1, 3) AS g (n)
SELECT g.g, g.* FROM generate_series(1, 3) g
SELECT generate_series FROM generate_series(1, 3)
SELECT * FROM unnest(array[1, 2], array['a', 'b', 'c'])
SELECT * FROM unnest(array[1, 2], array['a']) AS x (n, s)
SELECT * FROM unnest(array[1, 2]) WITH ORDINALITY
SELECT * FROM unnest(array['a', 'b']) WITH ORDINALITY AS x (v, i)
SELECT * FROM ROWS FROM (generate_series(1, 3), generate_series(1, 2)) AS x (a, b)
SELECT * FROM generate_series(1, 3) AS a, generate_series(a, 3) AS b
SELECT * FROM upper('x')
SELECT * FROM abs(-1) AS a
SELECT * FROM jsonb_each('{"a": 1, "b": [2]}')
SELECT * FROM jsonb_each_text('{"a": 1, "b": null}') AS x (k, v)
SELECT * FROM jsonb_array_elements('[1, "a", null]')
SELECT * FROM jsonb_array_elements_text('[1, "a", null]') WITH ORDINALITY
SELECT * FROM jsonb_object_keys('{"b": 1, "a": 2}')
SELECT * FROM jsonb_array_elements('{"a": 1}')
SELECT * FROM regexp_split_to_table('a,b,c', ',')
SELECT * FROM string_to_table('a,b,,c', ',', '')
SELECT * FROM regexp_matches('abcabc', 'b(c)', 'g')
SELECT * FROM generate_series('2024-01-01'::timestamp, '2024-01-03', '1 day')
SELECT * FROM generate_series('2024-01-31'::date, '2024-04-30'::date, '1 mon')
SELECT * FROM generate_series(3, 1)
SELECT * FROM generate_series(3, 1, -1)
SELECT * FROM generate_series(1, 3, 0)
SELECT * FROM generate_series(1, NULL)
SELECT * FROM generate_series(1::int8, 3)
SELECT * FROM generate_subscripts(array['a', 'b'], 1)
SELECT generate_series(1, 3), 'x'
SELECT generate_series(1, 2), generate_series(1, 3)
SELECT unnest(array[1, 2]) + 1 AS n, unnest(array['a', 'b', 'c'])
SELECT a, generate_series(1, a) FROM t WHERE a < 3
SELECT unnest('{}'::int[])
SELECT unnest(NULL::int[])
SELECT unnest(1)
SELECT a FROM t WHERE unnest(array[true])
SELECT count(*) FROM t WHERE a = generate_series(1, 2)
SELECT sum(generate_series(1, 3))
SELECT CASE WHEN true THEN generate_series(1, 3) END
SELECT DISTINCT unnest(array[1, 1, 2])
SELECT unnest(array[3, 1, 2]) AS x ORDER BY x
SELECT * FROM t WHERE a = 1 AND
SELECT * FORM t
SELEC 1
SELECT a b c FROM t
SELECT (1
SELECT 1)
SELECT FROM WHERE
SELECT * FROM t WHERE a = = 1
SELECT a, FROM t
SELECT * FROM t GROUP BY
SELECT * FROM t ORDER a
SELECT 1 FROM
FROM t
SELECT * FROM t t2 t3
SELECT * FROM t LIMIT 1 LIMIT 2
SELECT DISTINCT ALL a FROM t
SELECT * FROM t JOIN u
SELECT * FROM t CROSS JOIN u ON true
SELECT * FROM t NATURAL JOIN u ON true
SELECT * FROM t LEFT u
SELECT a FROM t UNION
SELECT a FROM t WHERE a IN
SELECT CASE END
SELECT CASE WHEN 1 THEN END
SELECT 1 +
SELECT + FROM t
SELECT a..b FROM t
SELECT 1 2
SELECT 'a' 1
SELECT EXISTS 1
SELECT * FROM t AS
SELECT * FROM (SELECT 1
SELECT interval '1' nonsense
SELECT CAST(1 AS)
SELECT CAST(1, int)
SELECT extract(year, now())
SELECT user = current_user, session_user = current_user
