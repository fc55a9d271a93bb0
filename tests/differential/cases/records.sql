SELECT jsonb_each('{"a":1,"b":"x"}')
SELECT (jsonb_each('{"a":1,"b":[2]}')).*
SELECT (jsonb_each_text('{"a":1,"b":null}')).value
SELECT jsonb_each('{"a":1}'), generate_series(1, 3)
SELECT (json_each('{"b":1,"a":2}')).key, (json_each_text('{"b":1,"a":2}')).value
SELECT id, (jsonb_each(jsonb_build_object('r', region, 'p', paid))).* FROM sales
SELECT (jsonb_each(jsonb_build_object(region, paid))).key, count(*) FROM sales WHERE region IS NOT NULL GROUP BY 1
SELECT count(*), (jsonb_each(jsonb_build_object('r', region))).* FROM sales GROUP BY region
SELECT DISTINCT (jsonb_each(jsonb_build_object('r', region))).* FROM sales
SELECT (jsonb_each('[]')).*
SELECT (jsonb_each(NULL)).*
SELECT (ROW(id, region)).* FROM sales
SELECT (ROW(id, region)).f2 FROM sales
SELECT (s).* FROM sales AS s
SELECT (s).region, (s).* FROM sales AS s ORDER BY (s).id
SELECT (x.r).* FROM (SELECT ROW(id, paid) AS r FROM sales) AS x
SELECT (id).* FROM sales
SELECT (nothing).* FROM sales
SELECT lower((s).*) FROM sales AS s
SELECT id FROM sales AS s WHERE (s).*
SELECT (jsonb_each('{"a":1}')).nothing
SELECT (1).*
SELECT (ROW(1, 2)).* AS x
SELECT jsonb_each('{"a":1}') AS x, (jsonb_each('{"a":1}')).value + 1
SELECT CASE WHEN true THEN (jsonb_each('{"a":1}')).key END
SELECT ROW(s.*, 1), ROW(0, s.*, s.*) FROM sales AS s
SELECT (ROW(s.*, 7)).f1 FROM sales AS s
SELECT ROW(a.*) = ROW(b.*), ROW(a.*) < ROW(b.*), ROW(a.*) IS DISTINCT FROM ROW(b.*) FROM sales AS a, sales AS b
SELECT ROW(s.*) IS NULL, ROW(s.*) = (1, 2) FROM sales AS s
SELECT ROW(b.*) FROM sales AS a LEFT JOIN sales AS b ON a.id = b.id + 1
SELECT ROW((x.r).*, 1) FROM (SELECT ROW(id, paid) AS r FROM sales) AS x
SELECT count(*), ROW(s.*) FROM sales AS s GROUP BY region
SELECT ROW(nothing.*), ROW(s.*) FROM sales AS s
