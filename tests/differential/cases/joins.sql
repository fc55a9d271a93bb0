SELECT * FROM t JOIN u ON t.a = u.a
SELECT * FROM t LEFT JOIN u ON t.a = u.a
SELECT * FROM t RIGHT JOIN u ON t.a = u.a
SELECT * FROM t FULL JOIN u ON t.a = u.a
SELECT * FROM t CROSS JOIN nothing
SELECT * FROM t, u WHERE t.a = u.a
SELECT * FROM t JOIN u USING (a)
SELECT * FROM t LEFT JOIN u USING (a)
SELECT * FROM t FULL JOIN u USING (a)
SELECT a FROM t FULL JOIN u USING (a)
SELECT t.a, u.a, a FROM t FULL JOIN u USING (a)
SELECT * FROM t NATURAL JOIN u
SELECT * FROM t NATURAL LEFT JOIN u
SELECT * FROM t NATURAL FULL JOIN u
SELECT * FROM t NATURAL JOIN nothing
SELECT * FROM t NATURAL JOIN sales
SELECT * FROM t JOIN u USING (a) AS j WHERE j.a = 1
SELECT * FROM t JOIN u USING (a, c)
SELECT * FROM t JOIN u USING (nope)
SELECT * FROM t JOIN u USING (a) JOIN w USING (a)
SELECT * FROM t LEFT JOIN u USING (a) LEFT JOIN w USING (a)
SELECT t.*, w.h FROM t LEFT JOIN (u JOIN w ON u.a = w.a) ON t.a = u.a
SELECT * FROM (t JOIN u ON t.a = u.a) AS j
SELECT * FROM (t JOIN u USING (a)) AS j (x, y)
SELECT x.a, y.b FROM t x JOIN t y ON x.a = y.a AND x.b IS DISTINCT FROM y.b
SELECT x.a, y.a FROM t x JOIN t y ON x.a < y.a
SELECT x.a, y.a FROM t x JOIN t y ON x.a = y.a OR x.b = y.b
SELECT x.a, y.a FROM t x LEFT JOIN t y ON x.a = y.a + 1 AND y.b > 10
SELECT x.a, y.a FROM t x LEFT JOIN t y ON false
SELECT x.a, y.a FROM t x FULL JOIN u y ON x.a = y.a AND x.b > 5
SELECT x.a, y.a FROM t x FULL JOIN u y ON x.a < y.a
SELECT x.a, y.a FROM t x LEFT JOIN t y ON x.a IS NOT DISTINCT FROM y.a
SELECT x.a, y.d FROM t x RIGHT JOIN u y ON true WHERE x.a = 1
SELECT x.a FROM t x JOIN u y ON x.a = y.d
SELECT x.a FROM t x JOIN u y ON x.a = y.e
SELECT x.a FROM t x JOIN u y ON x.a
SELECT x.a FROM t x JOIN u y ON count(*) > 1
SELECT a FROM t JOIN u ON t.a = u.a
SELECT t.a FROM t x JOIN u ON x.a = u.a
SELECT * FROM t JOIN t ON true
SELECT * FROM t t1, t t1
SELECT * FROM t LEFT JOIN LATERAL (SELECT u.d FROM u WHERE u.a = t.a ORDER BY u.d DESC LIMIT 1) l ON true
SELECT * FROM t, LATERAL (SELECT sum(d) AS s FROM u WHERE u.a = t.a) l
SELECT * FROM t, LATERAL (SELECT t.a + 1 AS n) l WHERE n > 2
SELECT * FROM t, (SELECT t.a AS n) l
SELECT * FROM t RIGHT JOIN LATERAL (SELECT t.a AS n) l ON true
SELECT * FROM t, generate_series(1, t.a) g
SELECT * FROM t LEFT JOIN generate_series(1, t.a) g ON g > 1
SELECT t.a, e.* FROM t, unnest(array[t.a, t.b]) WITH ORDINALITY e
SELECT count(*) FROM t, u, v, w
SELECT t.a, v.f FROM t JOIN v USING (b) ORDER BY t.a, v.f
SELECT t.c, sum(v.f), count(*) FROM t LEFT JOIN v ON t.b = v.b GROUP BY t.c
SELECT t.a FROM t LEFT JOIN u ON t.a = u.a WHERE u.a IS NULL
SELECT t.a, u.d FROM t LEFT JOIN u ON t.a = u.a AND u.d > 100 WHERE t.b = 20 OR u.d IS NULL
SELECT * FROM t JOIN u ON t.a = u.a JOIN v ON v.b = t.b JOIN w ON w.a = u.a
SELECT * FROM t INNER JOIN u ON t.a = u.a LEFT OUTER JOIN v ON v.b = t.b RIGHT OUTER JOIN w ON w.a = u.a
SELECT t.a, u.a FROM t FULL JOIN u ON t.a = u.a AND false
SELECT n.a FROM t LEFT JOIN nothing n ON n.a = t.a
SELECT n.a, t.a FROM nothing n FULL JOIN t ON n.a = t.a
SELECT * FROM nothing n RIGHT JOIN nothing m ON true
SELECT t.ctid FROM t WHERE false
SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS x (n, s) JOIN t ON t.a = x.n
SELECT * FROM t AS x (p, q) WHERE p = 1
SELECT * FROM t AS x (p, q, r, s)
SELECT x.a FROM t AS x (p) WHERE x.p = 1
SELECT x.s, y.s, s FROM (SELECT vc AS s FROM every) AS x JOIN (SELECT s FROM every) AS y USING (s)
SELECT x.s, y.s, s FROM (SELECT vc AS s FROM every) AS x FULL JOIN (SELECT s FROM every) AS y USING (s)
SELECT x.k, y.k, k, i4 FROM (SELECT i8 AS k FROM every) AS x RIGHT JOIN (SELECT i4 AS k, i4 FROM every) AS y USING (k)
