SELECT id, i2 FROM every ORDER BY i2 NULLS FIRST, id
SELECT id, i2 FROM every ORDER BY i2 DESC, id LIMIT 3
SELECT i2, count(*), min(id) FROM every GROUP BY i2
SELECT DISTINCT i2 FROM every
SELECT x.id, y.id FROM every x JOIN every y ON x.i2 = y.i2
SELECT x.id, y.id FROM every x LEFT JOIN every y ON x.i2 < y.i2
SELECT id, i2::text, i2 IS NULL, i2 IS NOT DISTINCT FROM (SELECT i2 FROM every WHERE id = 1) FROM every
SELECT i2 FROM every WHERE i2 IN (SELECT i2 FROM every WHERE id = 5)
SELECT i2 FROM every UNION SELECT i2 FROM every
SELECT i2 FROM every EXCEPT ALL SELECT i2 FROM every WHERE id = 1
SELECT id, lag(i2) OVER (ORDER BY id), first_value(i2) OVER (ORDER BY id DESC) FROM every
SELECT id, CASE WHEN id > 2 THEN i2 END, coalesce(i2, (SELECT i2 FROM every WHERE id = 1)) FROM every
SELECT min(i2), max(i2), count(i2), count(DISTINCT i2) FROM every
SELECT array_agg(i2 ORDER BY id) FROM every WHERE id < 4
SELECT id, i2::bytea FROM every
SELECT id, i2::float4 FROM every
SELECT id, i2::float8 FROM every
SELECT id, i2::int4 FROM every
SELECT id, i2::int8 FROM every
SELECT id, i2::numeric FROM every
SELECT id, i2::oid FROM every
SELECT id, i4 FROM every ORDER BY i4 NULLS FIRST, id
SELECT id, i4 FROM every ORDER BY i4 DESC, id LIMIT 3
SELECT i4, count(*), min(id) FROM every GROUP BY i4
SELECT DISTINCT i4 FROM every
SELECT x.id, y.id FROM every x JOIN every y ON x.i4 = y.i4
SELECT x.id, y.id FROM every x LEFT JOIN every y ON x.i4 < y.i4
SELECT id, i4::text, i4 IS NULL, i4 IS NOT DISTINCT FROM (SELECT i4 FROM every WHERE id = 1) FROM every
SELECT i4 FROM every WHERE i4 IN (SELECT i4 FROM every WHERE id = 5)
SELECT i4 FROM every UNION SELECT i4 FROM every
SELECT i4 FROM every EXCEPT ALL SELECT i4 FROM every WHERE id = 1
SELECT id, lag(i4) OVER (ORDER BY id), first_value(i4) OVER (ORDER BY id DESC) FROM every
SELECT id, CASE WHEN id > 2 THEN i4 END, coalesce(i4, (SELECT i4 FROM every WHERE id = 1)) FROM every
SELECT min(i4), max(i4), count(i4), count(DISTINCT i4) FROM every
SELECT array_agg(i4 ORDER BY id) FROM every WHERE id < 4
SELECT id, i4::bool FROM every
SELECT id, i4::bytea FROM every
SELECT id, i4::"char" FROM every
SELECT id, i4::float4 FROM every
SELECT id, i4::float8 FROM every
SELECT id, i4::int2 FROM every
SELECT id, i4::int8 FROM every
SELECT id, i4::numeric FROM every
SELECT id, i4::oid FROM every
SELECT id, i8 FROM every ORDER BY i8 NULLS FIRST, id
SELECT id, i8 FROM every ORDER BY i8 DESC, id LIMIT 3
SELECT i8, count(*), min(id) FROM every GROUP BY i8
SELECT DISTINCT i8 FROM every
SELECT x.id, y.id FROM every x JOIN every y ON x.i8 = y.i8
SELECT x.id, y.id FROM every x LEFT JOIN every y ON x.i8 < y.i8
SELECT id, i8::text, i8 IS NULL, i8 IS NOT DISTINCT FROM (SELECT i8 FROM every WHERE id = 1) FROM every
SELECT i8 FROM every WHERE i8 IN (SELECT i8 FROM every WHERE id = 5)
SELECT i8 FROM every UNION SELECT i8 FROM every
SELECT i8 FROM every EXCEPT ALL SELECT i8 FROM every WHERE id = 1
SELECT id, lag(i8) OVER (ORDER BY id), first_value(i8) OVER (ORDER BY id DESC) FROM every
SELECT id, CASE WHEN id > 2 THEN i8 END, coalesce(i8, (SELECT i8 FROM every WHERE id = 1)) FROM every
SELECT min(i8), max(i8), count(i8), count(DISTINCT i8) FROM every
SELECT array_agg(i8 ORDER BY id) FROM every WHERE id < 4
SELECT id, i8::bytea FROM every
SELECT id, i8::float4 FROM every
SELECT id, i8::float8 FROM every
SELECT id, i8::int2 FROM every
SELECT id, i8::int4 FROM every
SELECT id, i8::numeric FROM every
SELECT id, i8::oid FROM every
SELECT id, f4 FROM every ORDER BY f4 NULLS FIRST, id
SELECT id, f4 FROM every ORDER BY f4 DESC, id LIMIT 3
SELECT f4, count(*), min(id) FROM every GROUP BY f4
SELECT DISTINCT f4 FROM every
SELECT x.id, y.id FROM every x JOIN every y ON x.f4 = y.f4
SELECT x.id, y.id FROM every x LEFT JOIN every y ON x.f4 < y.f4
SELECT id, f4::text, f4 IS NULL, f4 IS NOT DISTINCT FROM (SELECT f4 FROM every WHERE id = 1) FROM every
SELECT f4 FROM every WHERE f4 IN (SELECT f4 FROM every WHERE id = 5)
SELECT f4 FROM every UNION SELECT f4 FROM every
SELECT f4 FROM every EXCEPT ALL SELECT f4 FROM every WHERE id = 1
SELECT id, lag(f4) OVER (ORDER BY id), first_value(f4) OVER (ORDER BY id DESC) FROM every
SELECT id, CASE WHEN id > 2 THEN f4 END, coalesce(f4, (SELECT f4 FROM every WHERE id = 1)) FROM every
SELECT min(f4), max(f4), count(f4), count(DISTINCT f4) FROM every
SELECT array_agg(f4 ORDER BY id) FROM every WHERE id < 4
SELECT id, f4::float8 FROM every
SELECT id, f4::int2 FROM every
SELECT id, f4::int4 FROM every
SELECT id, f4::int8 FROM every
SELECT id, f4::numeric FROM every
SELECT id, f8 FROM every ORDER BY f8 NULLS FIRST, id
SELECT id, f8 FROM every ORDER BY f8 DESC, id LIMIT 3
SELECT f8, count(*), min(id) FROM every GROUP BY f8
SELECT DISTINCT f8 FROM every
SELECT x.id, y.id FROM every x JOIN every y ON x.f8 = y.f8
SELECT x.id, y.id FROM every x LEFT JOIN every y ON x.f8 < y.f8
SELECT id, f8::text, f8 IS NULL, f8 IS NOT DISTINCT FROM (SELECT f8 FROM every WHERE id = 1) FROM every
SELECT f8 FROM every WHERE f8 IN (SELECT f8 FROM every WHERE id = 5)
SELECT f8 FROM every UNION SELECT f8 FROM every
SELECT f8 FROM every EXCEPT ALL SELECT f8 FROM every WHERE id = 1
SELECT id, lag(f8) OVER (ORDER BY id), first_value(f8) OVER (ORDER BY id DESC) FROM every
SELECT id, CASE WHEN id > 2 THEN f8 END, coalesce(f8, (SELECT f8 FROM every WHERE id = 1)) FROM every
SELECT min(f8), max(f8), count(f8), count(DISTINCT f8) FROM every
SELECT array_agg(f8 ORDER BY id) FROM every WHERE id < 4
SELECT id, f8::float4 FROM every
SELECT id, f8::int2 FROM every
SELECT id, f8::int4 FROM every
SELECT id, f8::int8 FROM every
SELECT id, f8::numeric FROM every
SELECT id, n FROM every ORDER BY n NULLS FIRST, id
SELECT id, n FROM every ORDER BY n DESC, id LIMIT 3
SELECT n, count(*), min(id) FROM every GROUP BY n
SELECT DISTINCT n FROM every
SELECT x.id, y.id FROM every x JOIN every y ON x.n = y.n
SELECT x.id, y.id FROM every x LEFT JOIN every y ON x.n < y.n
SELECT id, n::text, n IS NULL, n IS NOT DISTINCT FROM (SELECT n FROM every WHERE id = 1) FROM every
SELECT n FROM every WHERE n IN (SELECT n FROM every WHERE id = 5)
SELECT n FROM every UNION SELECT n FROM every
SELECT n FROM every EXCEPT ALL SELECT n FROM every WHERE id = 1
SELECT id, lag(n) OVER (ORDER BY id), first_value(n) OVER (ORDER BY id DESC) FROM every
SELECT id, CASE WHEN id > 2 THEN n END, coalesce(n, (SELECT n FROM every WHERE id = 1)) FROM every
SELECT min(n), max(n), count(n), count(DISTINCT n) FROM every
SELECT array_agg(n ORDER BY id) FROM every WHERE id < 4
SELECT id, n::float4 FROM every
SELECT id, n::float8 FROM every
SELECT id, n::int2 FROM every
SELECT id, n::int4 FROM every
SELECT id, n::int8 FROM every
SELECT id, n::numeric FROM every
SELECT id, n2 FROM every ORDER BY n2 NULLS FIRST, id
SELECT id, n2 FROM every ORDER BY n2 DESC, id LIMIT 3
SELECT n2, count(*), min(id) FROM every GROUP BY n2
SELECT DISTINCT n2 FROM every
SELECT x.id, y.id FROM every x JOIN every y ON x.n2 = y.n2
SELECT x.id, y.id FROM every x LEFT JOIN every y ON x.n2 < y.n2
SELECT id, n2::text, n2 IS NULL, n2 IS NOT DISTINCT FROM (SELECT n2 FROM every WHERE id = 1) FROM every
SELECT n2 FROM every WHERE n2 IN (SELECT n2 FROM every WHERE id = 5)
SELECT n2 FROM every UNION SELECT n2 FROM every
SELECT n2 FROM every EXCEPT ALL SELECT n2 FROM every WHERE id = 1
SELECT id, lag(n2) OVER (ORDER BY id), first_value(n2) OVER (ORDER BY id DESC) FROM every
SELECT id, CASE WHEN id > 2 THEN n2 END, coalesce(n2, (SELECT n2 FROM every WHERE id = 1)) FROM every
SELECT min(n2), max(n2), count(n2), count(DISTINCT n2) FROM every
SELECT array_agg(n2 ORDER BY id) FROM every WHERE id < 4
SELECT id, n2::float4 FROM every
SELECT id, n2::float8 FROM every
SELECT id, n2::int2 FROM every
SELECT id, n2::int4 FROM every
SELECT id, n2::int8 FROM every
SELECT id, n2::numeric FROM every
SELECT id, b FROM every ORDER BY b NULLS FIRST, id
SELECT id, b FROM every ORDER BY b DESC, id LIMIT 3
SELECT b, count(*), min(id) FROM every GROUP BY b
SELECT DISTINCT b FROM every
SELECT x.id, y.id FROM every x JOIN every y ON x.b = y.b
SELECT x.id, y.id FROM every x LEFT JOIN every y ON x.b < y.b
SELECT id, b::text, b IS NULL, b IS NOT DISTINCT FROM (SELECT b FROM every WHERE id = 1) FROM every
SELECT b FROM every WHERE b IN (SELECT b FROM every WHERE id = 5)
SELECT b FROM every UNION SELECT b FROM every
SELECT b FROM every EXCEPT ALL SELECT b FROM every WHERE id = 1
SELECT id, lag(b) OVER (ORDER BY id), first_value(b) OVER (ORDER BY id DESC) FROM every
SELECT id, CASE WHEN id > 2 THEN b END, coalesce(b, (SELECT b FROM every WHERE id = 1)) FROM every
SELECT min(b), max(b), count(b), count(DISTINCT b) FROM every
SELECT array_agg(b ORDER BY id) FROM every WHERE id < 4
SELECT id, b::char(3) FROM every
SELECT id, b::int4 FROM every
SELECT id, b::text FROM every
SELECT id, b::varchar FROM every
SELECT id, s FROM every ORDER BY s NULLS FIRST, id
SELECT id, s FROM every ORDER BY s DESC, id LIMIT 3
SELECT s, count(*), min(id) FROM every GROUP BY s
SELECT DISTINCT s FROM every
SELECT x.id, y.id FROM every x JOIN every y ON x.s = y.s
SELECT x.id, y.id FROM every x LEFT JOIN every y ON x.s < y.s
SELECT id, s::text, s IS NULL, s IS NOT DISTINCT FROM (SELECT s FROM every WHERE id = 1) FROM every
SELECT s FROM every WHERE s IN (SELECT s FROM every WHERE id = 5)
SELECT s FROM every UNION SELECT s FROM every
SELECT s FROM every EXCEPT ALL SELECT s FROM every WHERE id = 1
SELECT id, lag(s) OVER (ORDER BY id), first_value(s) OVER (ORDER BY id DESC) FROM every
SELECT id, CASE WHEN id > 2 THEN s END, coalesce(s, (SELECT s FROM every WHERE id = 1)) FROM every
SELECT min(s), max(s), count(s), count(DISTINCT s) FROM every
SELECT array_agg(s ORDER BY id) FROM every WHERE id < 4
SELECT id, s::char(3) FROM every
SELECT id, s::"char" FROM every
SELECT id, s::name FROM every
SELECT id, s::varchar FROM every
SELECT id, vc FROM every ORDER BY vc NULLS FIRST, id
SELECT id, vc FROM every ORDER BY vc DESC, id LIMIT 3
SELECT vc, count(*), min(id) FROM every GROUP BY vc
SELECT DISTINCT vc FROM every
SELECT x.id, y.id FROM every x JOIN every y ON x.vc = y.vc
SELECT x.id, y.id FROM every x LEFT JOIN every y ON x.vc < y.vc
SELECT id, vc::text, vc IS NULL, vc IS NOT DISTINCT FROM (SELECT vc FROM every WHERE id = 1) FROM every
SELECT vc FROM every WHERE vc IN (SELECT vc FROM every WHERE id = 5)
SELECT vc FROM every UNION SELECT vc FROM every
SELECT vc FROM every EXCEPT ALL SELECT vc FROM every WHERE id = 1
SELECT id, lag(vc) OVER (ORDER BY id), first_value(vc) OVER (ORDER BY id DESC) FROM every
SELECT id, CASE WHEN id > 2 THEN vc END, coalesce(vc, (SELECT vc FROM every WHERE id = 1)) FROM every
SELECT min(vc), max(vc), count(vc), count(DISTINCT vc) FROM every
SELECT array_agg(vc ORDER BY id) FROM every WHERE id < 4
SELECT id, vc::char(3) FROM every
SELECT id, vc::"char" FROM every
SELECT id, vc::name FROM every
SELECT id, vc::text FROM every
SELECT id, vc::varchar FROM every
SELECT id, by FROM every ORDER BY by NULLS FIRST, id
SELECT id, by FROM every ORDER BY by DESC, id LIMIT 3
SELECT by, count(*), min(id) FROM every GROUP BY by
SELECT DISTINCT by FROM every
SELECT x.id, y.id FROM every x JOIN every y ON x.by = y.by
SELECT x.id, y.id FROM every x LEFT JOIN every y ON x.by < y.by
SELECT id, by::text, by IS NULL, by IS NOT DISTINCT FROM (SELECT by FROM every WHERE id = 1) FROM every
SELECT by FROM every WHERE by IN (SELECT by FROM every WHERE id = 5)
SELECT by FROM every UNION SELECT by FROM every
SELECT by FROM every EXCEPT ALL SELECT by FROM every WHERE id = 1
SELECT id, lag(by) OVER (ORDER BY id), first_value(by) OVER (ORDER BY id DESC) FROM every
SELECT id, CASE WHEN id > 2 THEN by END, coalesce(by, (SELECT by FROM every WHERE id = 1)) FROM every
SELECT min(by), max(by), count(by), count(DISTINCT by) FROM every
SELECT array_agg(by ORDER BY id) FROM every WHERE id < 4
SELECT id, by::int2 FROM every
SELECT id, by::int4 FROM every
SELECT id, by::int8 FROM every
SELECT id, d FROM every ORDER BY d NULLS FIRST, id
SELECT id, d FROM every ORDER BY d DESC, id LIMIT 3
SELECT d, count(*), min(id) FROM every GROUP BY d
SELECT DISTINCT d FROM every
SELECT x.id, y.id FROM every x JOIN every y ON x.d = y.d
SELECT x.id, y.id FROM every x LEFT JOIN every y ON x.d < y.d
SELECT id, d::text, d IS NULL, d IS NOT DISTINCT FROM (SELECT d FROM every WHERE id = 1) FROM every
SELECT d FROM every WHERE d IN (SELECT d FROM every WHERE id = 5)
SELECT d FROM every UNION SELECT d FROM every
SELECT d FROM every EXCEPT ALL SELECT d FROM every WHERE id = 1
SELECT id, lag(d) OVER (ORDER BY id), first_value(d) OVER (ORDER BY id DESC) FROM every
SELECT id, CASE WHEN id > 2 THEN d END, coalesce(d, (SELECT d FROM every WHERE id = 1)) FROM every
SELECT min(d), max(d), count(d), count(DISTINCT d) FROM every
SELECT array_agg(d ORDER BY id) FROM every WHERE id < 4
SELECT id, d::timestamp FROM every
SELECT id, d::timestamptz FROM every
SELECT id, t FROM every ORDER BY t NULLS FIRST, id
SELECT id, t FROM every ORDER BY t DESC, id LIMIT 3
SELECT t, count(*), min(id) FROM every GROUP BY t
SELECT DISTINCT t FROM every
SELECT x.id, y.id FROM every x JOIN every y ON x.t = y.t
SELECT x.id, y.id FROM every x LEFT JOIN every y ON x.t < y.t
SELECT id, t::text, t IS NULL, t IS NOT DISTINCT FROM (SELECT t FROM every WHERE id = 1) FROM every
SELECT t FROM every WHERE t IN (SELECT t FROM every WHERE id = 5)
SELECT t FROM every UNION SELECT t FROM every
SELECT t FROM every EXCEPT ALL SELECT t FROM every WHERE id = 1
SELECT id, lag(t) OVER (ORDER BY id), first_value(t) OVER (ORDER BY id DESC) FROM every
SELECT id, CASE WHEN id > 2 THEN t END, coalesce(t, (SELECT t FROM every WHERE id = 1)) FROM every
SELECT min(t), max(t), count(t), count(DISTINCT t) FROM every
SELECT array_agg(t ORDER BY id) FROM every WHERE id < 4
SELECT id, t::interval FROM every
SELECT id, t::time FROM every
SELECT id, t::timetz FROM every
SELECT id, ts FROM every ORDER BY ts NULLS FIRST, id
SELECT id, ts FROM every ORDER BY ts DESC, id LIMIT 3
SELECT ts, count(*), min(id) FROM every GROUP BY ts
SELECT DISTINCT ts FROM every
SELECT x.id, y.id FROM every x JOIN every y ON x.ts = y.ts
SELECT x.id, y.id FROM every x LEFT JOIN every y ON x.ts < y.ts
SELECT id, ts::text, ts IS NULL, ts IS NOT DISTINCT FROM (SELECT ts FROM every WHERE id = 1) FROM every
SELECT ts FROM every WHERE ts IN (SELECT ts FROM every WHERE id = 5)
SELECT ts FROM every UNION SELECT ts FROM every
SELECT ts FROM every EXCEPT ALL SELECT ts FROM every WHERE id = 1
SELECT id, lag(ts) OVER (ORDER BY id), first_value(ts) OVER (ORDER BY id DESC) FROM every
SELECT id, CASE WHEN id > 2 THEN ts END, coalesce(ts, (SELECT ts FROM every WHERE id = 1)) FROM every
SELECT min(ts), max(ts), count(ts), count(DISTINCT ts) FROM every
SELECT array_agg(ts ORDER BY id) FROM every WHERE id < 4
SELECT id, ts::date FROM every
SELECT id, ts::time FROM every
SELECT id, ts::timestamp FROM every
SELECT id, ts::timestamptz FROM every
SELECT id, tz FROM every ORDER BY tz NULLS FIRST, id
SELECT id, tz FROM every ORDER BY tz DESC, id LIMIT 3
SELECT tz, count(*), min(id) FROM every GROUP BY tz
SELECT DISTINCT tz FROM every
SELECT x.id, y.id FROM every x JOIN every y ON x.tz = y.tz
SELECT x.id, y.id FROM every x LEFT JOIN every y ON x.tz < y.tz
SELECT id, tz::text, tz IS NULL, tz IS NOT DISTINCT FROM (SELECT tz FROM every WHERE id = 1) FROM every
SELECT tz FROM every WHERE tz IN (SELECT tz FROM every WHERE id = 5)
SELECT tz FROM every UNION SELECT tz FROM every
SELECT tz FROM every EXCEPT ALL SELECT tz FROM every WHERE id = 1
SELECT id, lag(tz) OVER (ORDER BY id), first_value(tz) OVER (ORDER BY id DESC) FROM every
SELECT id, CASE WHEN id > 2 THEN tz END, coalesce(tz, (SELECT tz FROM every WHERE id = 1)) FROM every
SELECT min(tz), max(tz), count(tz), count(DISTINCT tz) FROM every
SELECT array_agg(tz ORDER BY id) FROM every WHERE id < 4
SELECT id, tz::date FROM every
SELECT id, tz::time FROM every
SELECT id, tz::timestamp FROM every
SELECT id, tz::timestamptz FROM every
SELECT id, tz::timetz FROM every
SELECT id, iv FROM every ORDER BY iv NULLS FIRST, id
SELECT id, iv FROM every ORDER BY iv DESC, id LIMIT 3
SELECT iv, count(*), min(id) FROM every GROUP BY iv
SELECT DISTINCT iv FROM every
SELECT x.id, y.id FROM every x JOIN every y ON x.iv = y.iv
SELECT x.id, y.id FROM every x LEFT JOIN every y ON x.iv < y.iv
SELECT id, iv::text, iv IS NULL, iv IS NOT DISTINCT FROM (SELECT iv FROM every WHERE id = 1) FROM every
SELECT iv FROM every WHERE iv IN (SELECT iv FROM every WHERE id = 5)
SELECT iv FROM every UNION SELECT iv FROM every
SELECT iv FROM every EXCEPT ALL SELECT iv FROM every WHERE id = 1
SELECT id, lag(iv) OVER (ORDER BY id), first_value(iv) OVER (ORDER BY id DESC) FROM every
SELECT id, CASE WHEN id > 2 THEN iv END, coalesce(iv, (SELECT iv FROM every WHERE id = 1)) FROM every
SELECT min(iv), max(iv), count(iv), count(DISTINCT iv) FROM every
SELECT array_agg(iv ORDER BY id) FROM every WHERE id < 4
SELECT id, iv::interval FROM every
SELECT id, iv::time FROM every
SELECT id, u FROM every ORDER BY u NULLS FIRST, id
SELECT id, u FROM every ORDER BY u DESC, id LIMIT 3
SELECT u, count(*), min(id) FROM every GROUP BY u
SELECT DISTINCT u FROM every
SELECT x.id, y.id FROM every x JOIN every y ON x.u = y.u
SELECT x.id, y.id FROM every x LEFT JOIN every y ON x.u < y.u
SELECT id, u::text, u IS NULL, u IS NOT DISTINCT FROM (SELECT u FROM every WHERE id = 1) FROM every
SELECT u FROM every WHERE u IN (SELECT u FROM every WHERE id = 5)
SELECT u FROM every UNION SELECT u FROM every
SELECT u FROM every EXCEPT ALL SELECT u FROM every WHERE id = 1
SELECT id, lag(u) OVER (ORDER BY id), first_value(u) OVER (ORDER BY id DESC) FROM every
SELECT id, CASE WHEN id > 2 THEN u END, coalesce(u, (SELECT u FROM every WHERE id = 1)) FROM every
SELECT min(u), max(u), count(u), count(DISTINCT u) FROM every
SELECT array_agg(u ORDER BY id) FROM every WHERE id < 4
SELECT id, j FROM every ORDER BY j NULLS FIRST, id
SELECT id, j FROM every ORDER BY j DESC, id LIMIT 3
SELECT j, count(*), min(id) FROM every GROUP BY j
SELECT DISTINCT j FROM every
SELECT x.id, y.id FROM every x JOIN every y ON x.j = y.j
SELECT x.id, y.id FROM every x LEFT JOIN every y ON x.j < y.j
SELECT id, j::text, j IS NULL, j IS NOT DISTINCT FROM (SELECT j FROM every WHERE id = 1) FROM every
SELECT j FROM every WHERE j IN (SELECT j FROM every WHERE id = 5)
SELECT j FROM every UNION SELECT j FROM every
SELECT j FROM every EXCEPT ALL SELECT j FROM every WHERE id = 1
SELECT id, lag(j) OVER (ORDER BY id), first_value(j) OVER (ORDER BY id DESC) FROM every
SELECT id, CASE WHEN id > 2 THEN j END, coalesce(j, (SELECT j FROM every WHERE id = 1)) FROM every
SELECT min(j), max(j), count(j), count(DISTINCT j) FROM every
SELECT array_agg(j ORDER BY id) FROM every WHERE id < 4
SELECT id, j::bool FROM every
SELECT id, j::float4 FROM every
SELECT id, j::float8 FROM every
SELECT id, j::int2 FROM every
SELECT id, j::int4 FROM every
SELECT id, j::int8 FROM every
SELECT id, j::json FROM every
SELECT id, j::numeric FROM every
SELECT id, ia FROM every ORDER BY ia NULLS FIRST, id
SELECT id, ia FROM every ORDER BY ia DESC, id LIMIT 3
SELECT ia, count(*), min(id) FROM every GROUP BY ia
SELECT DISTINCT ia FROM every
SELECT x.id, y.id FROM every x JOIN every y ON x.ia = y.ia
SELECT x.id, y.id FROM every x LEFT JOIN every y ON x.ia < y.ia
SELECT id, ia::text, ia IS NULL, ia IS NOT DISTINCT FROM (SELECT ia FROM every WHERE id = 1) FROM every
SELECT ia FROM every WHERE ia IN (SELECT ia FROM every WHERE id = 5)
SELECT ia FROM every UNION SELECT ia FROM every
SELECT ia FROM every EXCEPT ALL SELECT ia FROM every WHERE id = 1
SELECT id, lag(ia) OVER (ORDER BY id), first_value(ia) OVER (ORDER BY id DESC) FROM every
SELECT id, CASE WHEN id > 2 THEN ia END, coalesce(ia, (SELECT ia FROM every WHERE id = 1)) FROM every
SELECT min(ia), max(ia), count(ia), count(DISTINCT ia) FROM every
SELECT array_agg(ia ORDER BY id) FROM every WHERE id < 4
SELECT id, ta FROM every ORDER BY ta NULLS FIRST, id
SELECT id, ta FROM every ORDER BY ta DESC, id LIMIT 3
SELECT ta, count(*), min(id) FROM every GROUP BY ta
SELECT DISTINCT ta FROM every
SELECT x.id, y.id FROM every x JOIN every y ON x.ta = y.ta
SELECT x.id, y.id FROM every x LEFT JOIN every y ON x.ta < y.ta
SELECT id, ta::text, ta IS NULL, ta IS NOT DISTINCT FROM (SELECT ta FROM every WHERE id = 1) FROM every
SELECT ta FROM every WHERE ta IN (SELECT ta FROM every WHERE id = 5)
SELECT ta FROM every UNION SELECT ta FROM every
SELECT ta FROM every EXCEPT ALL SELECT ta FROM every WHERE id = 1
SELECT id, lag(ta) OVER (ORDER BY id), first_value(ta) OVER (ORDER BY id DESC) FROM every
SELECT id, CASE WHEN id > 2 THEN ta END, coalesce(ta, (SELECT ta FROM every WHERE id = 1)) FROM every
SELECT min(ta), max(ta), count(ta), count(DISTINCT ta) FROM every
SELECT array_agg(ta ORDER BY id) FROM every WHERE id < 4
SELECT id, r FROM every ORDER BY r NULLS FIRST, id
SELECT id, r FROM every ORDER BY r DESC, id LIMIT 3
SELECT r, count(*), min(id) FROM every GROUP BY r
SELECT DISTINCT r FROM every
SELECT x.id, y.id FROM every x JOIN every y ON x.r = y.r
SELECT x.id, y.id FROM every x LEFT JOIN every y ON x.r < y.r
SELECT id, r::text, r IS NULL, r IS NOT DISTINCT FROM (SELECT r FROM every WHERE id = 1) FROM every
SELECT r FROM every WHERE r IN (SELECT r FROM every WHERE id = 5)
SELECT r FROM every UNION SELECT r FROM every
SELECT r FROM every EXCEPT ALL SELECT r FROM every WHERE id = 1
SELECT id, lag(r) OVER (ORDER BY id), first_value(r) OVER (ORDER BY id DESC) FROM every
SELECT id, CASE WHEN id > 2 THEN r END, coalesce(r, (SELECT r FROM every WHERE id = 1)) FROM every
SELECT min(r), max(r), count(r), count(DISTINCT r) FROM every
SELECT array_agg(r ORDER BY id) FROM every WHERE id < 4
SELECT id, dr FROM every ORDER BY dr NULLS FIRST, id
SELECT id, dr FROM every ORDER BY dr DESC, id LIMIT 3
SELECT dr, count(*), min(id) FROM every GROUP BY dr
SELECT DISTINCT dr FROM every
SELECT x.id, y.id FROM every x JOIN every y ON x.dr = y.dr
SELECT x.id, y.id FROM every x LEFT JOIN every y ON x.dr < y.dr
SELECT id, dr::text, dr IS NULL, dr IS NOT DISTINCT FROM (SELECT dr FROM every WHERE id = 1) FROM every
SELECT dr FROM every WHERE dr IN (SELECT dr FROM every WHERE id = 5)
SELECT dr FROM every UNION SELECT dr FROM every
SELECT dr FROM every EXCEPT ALL SELECT dr FROM every WHERE id = 1
SELECT id, lag(dr) OVER (ORDER BY id), first_value(dr) OVER (ORDER BY id DESC) FROM every
SELECT id, CASE WHEN id > 2 THEN dr END, coalesce(dr, (SELECT dr FROM every WHERE id = 1)) FROM every
SELECT min(dr), max(dr), count(dr), count(DISTINCT dr) FROM every
SELECT array_agg(dr ORDER BY id) FROM every WHERE id < 4
SELECT id, abs(f4) FROM every WHERE id <> 3
SELECT id, abs(f8) FROM every WHERE id <> 3
SELECT id, abs(i2) FROM every WHERE id <> 3
SELECT id, abs(i4) FROM every WHERE id <> 3
SELECT id, abs(i8) FROM every WHERE id <> 3
SELECT id, abs(n2) FROM every WHERE id <> 3
SELECT id, acos(f8) FROM every WHERE id <> 3
SELECT id, acosd(f8) FROM every WHERE id <> 3
SELECT id, acosh(f8) FROM every WHERE id <> 3
SELECT id, age(ts) FROM every WHERE id <> 3
SELECT id, age(tz) FROM every WHERE id <> 3
SELECT id, array_dims(ia) FROM every WHERE id <> 3
SELECT id, array_ndims(ia) FROM every WHERE id <> 3
SELECT id, array_reverse(ia) FROM every WHERE id <> 3
SELECT id, array_sort(ia) FROM every WHERE id <> 3
SELECT id, array_to_json(ia) FROM every WHERE id <> 3
SELECT id, ascii(s) FROM every WHERE id <> 3
SELECT id, asin(f8) FROM every WHERE id <> 3
SELECT id, asind(f8) FROM every WHERE id <> 3
SELECT id, asinh(f8) FROM every WHERE id <> 3
SELECT id, atan(f8) FROM every WHERE id <> 3
SELECT id, atand(f8) FROM every WHERE id <> 3
SELECT id, atanh(f8) FROM every WHERE id <> 3
SELECT id, bit_count(by) FROM every WHERE id <> 3
SELECT id, bit_length(by) FROM every WHERE id <> 3
SELECT id, bit_length(s) FROM every WHERE id <> 3
SELECT id, bool(i4) FROM every WHERE id <> 3
SELECT id, bool(j) FROM every WHERE id <> 3
SELECT id, btrim(s) FROM every WHERE id <> 3
SELECT id, cardinality(ia) FROM every WHERE id <> 3
SELECT id, casefold(s) FROM every WHERE id <> 3
SELECT id, cbrt(f8) FROM every WHERE id <> 3
SELECT id, ceil(f8) FROM every WHERE id <> 3
SELECT id, ceil(n2) FROM every WHERE id <> 3
SELECT id, ceiling(f8) FROM every WHERE id <> 3
SELECT id, ceiling(n2) FROM every WHERE id <> 3
SELECT id, char_length(s) FROM every WHERE id <> 3
SELECT id, character_length(s) FROM every WHERE id <> 3
SELECT id, chr(i4) FROM every WHERE id <> 3
SELECT id, concat(i4) FROM every WHERE id <> 3
SELECT id, cos(f8) FROM every WHERE id <> 3
SELECT id, cosd(f8) FROM every WHERE id <> 3
SELECT id, cosh(f8) FROM every WHERE id <> 3
SELECT id, cot(f8) FROM every WHERE id <> 3
SELECT id, cotd(f8) FROM every WHERE id <> 3
SELECT id, crc32(by) FROM every WHERE id <> 3
SELECT id, crc32c(by) FROM every WHERE id <> 3
SELECT id, date(ts) FROM every WHERE id <> 3
SELECT id, date(tz) FROM every WHERE id <> 3
SELECT id, degrees(f8) FROM every WHERE id <> 3
SELECT id, erf(f8) FROM every WHERE id <> 3
SELECT id, erfc(f8) FROM every WHERE id <> 3
SELECT id, exp(f8) FROM every WHERE id <> 3
SELECT id, exp(n2) FROM every WHERE id <> 3
SELECT id, factorial(i8) FROM every WHERE id <> 3
SELECT id, float8(f4) FROM every WHERE id <> 3
SELECT id, float8(i2) FROM every WHERE id <> 3
SELECT id, float8(i4) FROM every WHERE id <> 3
SELECT id, float8(i8) FROM every WHERE id <> 3
SELECT id, float8(j) FROM every WHERE id <> 3
SELECT id, float8(n2) FROM every WHERE id <> 3
SELECT id, floor(f8) FROM every WHERE id <> 3
SELECT id, floor(n2) FROM every WHERE id <> 3
SELECT id, format(s) FROM every WHERE id <> 3
SELECT id, gamma(f8) FROM every WHERE id <> 3
SELECT id, initcap(s) FROM every WHERE id <> 3
SELECT id, int4(b) FROM every WHERE id <> 3
SELECT id, int4(by) FROM every WHERE id <> 3
SELECT id, int4(f4) FROM every WHERE id <> 3
SELECT id, int4(f8) FROM every WHERE id <> 3
SELECT id, int4(i2) FROM every WHERE id <> 3
SELECT id, int4(i8) FROM every WHERE id <> 3
SELECT id, int4(j) FROM every WHERE id <> 3
SELECT id, int4(n2) FROM every WHERE id <> 3
SELECT id, isempty(r) FROM every WHERE id <> 3
SELECT id, isfinite(d) FROM every WHERE id <> 3
SELECT id, isfinite(iv) FROM every WHERE id <> 3
SELECT id, isfinite(ts) FROM every WHERE id <> 3
SELECT id, isfinite(tz) FROM every WHERE id <> 3
SELECT id, json_object(ta) FROM every WHERE id <> 3
SELECT id, jsonb_array_elements(j) FROM every WHERE id <> 3
SELECT id, jsonb_array_elements_text(j) FROM every WHERE id <> 3
SELECT id, jsonb_array_length(j) FROM every WHERE id <> 3
SELECT id, jsonb_build_array(i4) FROM every WHERE id <> 3
SELECT id, jsonb_build_object(i4) FROM every WHERE id <> 3
SELECT id, jsonb_each(j) FROM every WHERE id <> 3
SELECT id, jsonb_each_text(j) FROM every WHERE id <> 3
SELECT id, jsonb_object(ta) FROM every WHERE id <> 3
SELECT id, jsonb_object_keys(j) FROM every WHERE id <> 3
SELECT id, jsonb_pretty(j) FROM every WHERE id <> 3
SELECT id, jsonb_typeof(j) FROM every WHERE id <> 3
SELECT id, justify_days(iv) FROM every WHERE id <> 3
SELECT id, justify_hours(iv) FROM every WHERE id <> 3
SELECT id, justify_interval(iv) FROM every WHERE id <> 3
SELECT id, length(by) FROM every WHERE id <> 3
SELECT id, length(s) FROM every WHERE id <> 3
SELECT id, lgamma(f8) FROM every WHERE id <> 3
SELECT id, ln(f8) FROM every WHERE id <> 3
SELECT id, ln(n2) FROM every WHERE id <> 3
SELECT id, log(f8) FROM every WHERE id <> 3
SELECT id, log(n2) FROM every WHERE id <> 3
SELECT id, log10(f8) FROM every WHERE id <> 3
SELECT id, log10(n2) FROM every WHERE id <> 3
SELECT id, lower(r) FROM every WHERE id <> 3
SELECT id, lower(s) FROM every WHERE id <> 3
SELECT id, lower_inc(r) FROM every WHERE id <> 3
SELECT id, lower_inf(r) FROM every WHERE id <> 3
SELECT id, ltrim(s) FROM every WHERE id <> 3
SELECT id, md5(by) FROM every WHERE id <> 3
SELECT id, md5(s) FROM every WHERE id <> 3
SELECT id, min_scale(n2) FROM every WHERE id <> 3
SELECT id, num_nonnulls(i4) FROM every WHERE id <> 3
SELECT id, num_nulls(i4) FROM every WHERE id <> 3
SELECT id, octet_length(by) FROM every WHERE id <> 3
SELECT id, octet_length(s) FROM every WHERE id <> 3
SELECT id, pg_size_bytes(s) FROM every WHERE id <> 3
SELECT id, pg_size_pretty(i8) FROM every WHERE id <> 3
SELECT id, pg_size_pretty(n2) FROM every WHERE id <> 3
SELECT id, quote_ident(s) FROM every WHERE id <> 3
SELECT id, quote_literal(i4) FROM every WHERE id <> 3
SELECT id, quote_literal(s) FROM every WHERE id <> 3
SELECT id, quote_nullable(i4) FROM every WHERE id <> 3
SELECT id, quote_nullable(s) FROM every WHERE id <> 3
SELECT id, radians(f8) FROM every WHERE id <> 3
SELECT id, reverse(by) FROM every WHERE id <> 3
SELECT id, reverse(s) FROM every WHERE id <> 3
SELECT id, round(f8) FROM every WHERE id <> 3
SELECT id, round(n2) FROM every WHERE id <> 3
SELECT id, rtrim(s) FROM every WHERE id <> 3
SELECT id, scale(n2) FROM every WHERE id <> 3
SELECT id, sha224(by) FROM every WHERE id <> 3
SELECT id, sha256(by) FROM every WHERE id <> 3
SELECT id, sha384(by) FROM every WHERE id <> 3
SELECT id, sha512(by) FROM every WHERE id <> 3
SELECT id, sign(f8) FROM every WHERE id <> 3
SELECT id, sign(n2) FROM every WHERE id <> 3
SELECT id, sin(f8) FROM every WHERE id <> 3
SELECT id, sind(f8) FROM every WHERE id <> 3
SELECT id, sinh(f8) FROM every WHERE id <> 3
SELECT id, sqrt(f8) FROM every WHERE id <> 3
SELECT id, sqrt(n2) FROM every WHERE id <> 3
SELECT id, tan(f8) FROM every WHERE id <> 3
SELECT id, tand(f8) FROM every WHERE id <> 3
SELECT id, tanh(f8) FROM every WHERE id <> 3
SELECT id, text(b) FROM every WHERE id <> 3
SELECT id, timezone(ts) FROM every WHERE id <> 3
SELECT id, timezone(tz) FROM every WHERE id <> 3
SELECT id, to_ascii(s) FROM every WHERE id <> 3
SELECT id, to_bin(i4) FROM every WHERE id <> 3
SELECT id, to_bin(i8) FROM every WHERE id <> 3
SELECT id, to_hex(i4) FROM every WHERE id <> 3
SELECT id, to_hex(i8) FROM every WHERE id <> 3
SELECT id, to_json(i4) FROM every WHERE id <> 3
SELECT id, to_jsonb(i4) FROM every WHERE id <> 3
SELECT id, to_oct(i4) FROM every WHERE id <> 3
SELECT id, to_oct(i8) FROM every WHERE id <> 3
SELECT id, to_timestamp(f8) FROM every WHERE id <> 3
SELECT id, trim_scale(n2) FROM every WHERE id <> 3
SELECT id, trunc(f8) FROM every WHERE id <> 3
SELECT id, trunc(n2) FROM every WHERE id <> 3
SELECT id, unicode_assigned(s) FROM every WHERE id <> 3
SELECT id, unistr(s) FROM every WHERE id <> 3
SELECT id, unnest(ia) FROM every WHERE id <> 3
SELECT id, upper(r) FROM every WHERE id <> 3
SELECT id, upper(s) FROM every WHERE id <> 3
SELECT id, upper_inc(r) FROM every WHERE id <> 3
SELECT id, upper_inf(r) FROM every WHERE id <> 3
SELECT id, uuid_extract_timestamp(u) FROM every WHERE id <> 3
SELECT id, uuid_extract_version(u) FROM every WHERE id <> 3
SELECT x.id, y.id, x.s !~ y.s FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.s !~* y.s FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.by !~~ y.by FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.s !~~ y.s FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.s !~~* y.s FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 # y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 # y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 # y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.j #- y.ta FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.j #> y.ta FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.j #>> y.ta FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 % y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 % y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 % y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.n2 % y.n2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 & y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 & y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 & y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ia && y.ia FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.r && y.r FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.r &< y.r FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.r &> y.r FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.r * y.r FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f4 * y.f4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f4 * y.f8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f8 * y.f4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f8 * y.f8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f8 * y.iv FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 * y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 * y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 * y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 * y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 * y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 * y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 * y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 * y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 * y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.iv * y.f8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.n2 * y.n2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.r + y.r FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.d + y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.d + y.iv FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.d + y.t FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f4 + y.f4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f4 + y.f8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f8 + y.f4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f8 + y.f8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 + y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 + y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 + y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 + y.d FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 + y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 + y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 + y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 + y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 + y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 + y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.iv + y.d FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.iv + y.iv FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.iv + y.t FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.iv + y.ts FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.iv + y.tz FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.n2 + y.n2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.t + y.d FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.t + y.iv FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ts + y.iv FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.tz + y.iv FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.r - y.r FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.d - y.d FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.d - y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.d - y.iv FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f4 - y.f4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f4 - y.f8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f8 - y.f4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f8 - y.f8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 - y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 - y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 - y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 - y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 - y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 - y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 - y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 - y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 - y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.iv - y.iv FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.j - y.ta FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.j - y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.j - y.s FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.n2 - y.n2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.t - y.iv FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.t - y.t FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ts - y.iv FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ts - y.ts FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.tz - y.iv FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.tz - y.tz FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.j -> y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.j -> y.s FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.j ->> y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.j ->> y.s FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.r -|- y.r FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f4 / y.f4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f4 / y.f8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f8 / y.f4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f8 / y.f8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 / y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 / y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 / y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 / y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 / y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 / y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 / y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 / y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 / y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.iv / y.f8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.n2 / y.n2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ia < y.ia FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.r < y.r FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.b < y.b FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.by < y.by FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.d < y.d FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.d < y.ts FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.d < y.tz FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f4 < y.f4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f4 < y.f8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f8 < y.f4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f8 < y.f8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 < y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 < y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 < y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 < y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 < y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 < y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 < y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 < y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 < y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.iv < y.iv FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.j < y.j FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.n2 < y.n2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.s < y.s FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.t < y.t FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ts < y.d FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ts < y.ts FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ts < y.tz FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.tz < y.d FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.tz < y.ts FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.tz < y.tz FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.u < y.u FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.r << y.r FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 << y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 << y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 << y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ia <= y.ia FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.r <= y.r FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.b <= y.b FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.by <= y.by FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.d <= y.d FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.d <= y.ts FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.d <= y.tz FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f4 <= y.f4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f4 <= y.f8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f8 <= y.f4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f8 <= y.f8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 <= y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 <= y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 <= y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 <= y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 <= y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 <= y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 <= y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 <= y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 <= y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.iv <= y.iv FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.j <= y.j FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.n2 <= y.n2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.s <= y.s FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.t <= y.t FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ts <= y.d FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ts <= y.ts FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ts <= y.tz FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.tz <= y.d FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.tz <= y.ts FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.tz <= y.tz FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.u <= y.u FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ia <> y.ia FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.r <> y.r FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.b <> y.b FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.by <> y.by FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.d <> y.d FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.d <> y.ts FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.d <> y.tz FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f4 <> y.f4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f4 <> y.f8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f8 <> y.f4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f8 <> y.f8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 <> y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 <> y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 <> y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 <> y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 <> y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 <> y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 <> y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 <> y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 <> y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.iv <> y.iv FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.j <> y.j FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.n2 <> y.n2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.s <> y.s FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.t <> y.t FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ts <> y.d FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ts <> y.ts FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ts <> y.tz FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.tz <> y.d FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.tz <> y.ts FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.tz <> y.tz FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.u <> y.u FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ia <@ y.ia FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 <@ y.r FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.r <@ y.r FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.j <@ y.j FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ia = y.ia FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.r = y.r FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.b = y.b FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.by = y.by FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.d = y.d FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.d = y.ts FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.d = y.tz FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f4 = y.f4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f4 = y.f8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f8 = y.f4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f8 = y.f8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 = y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 = y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 = y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 = y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 = y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 = y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 = y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 = y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 = y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.iv = y.iv FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.j = y.j FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.n2 = y.n2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.s = y.s FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.t = y.t FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ts = y.d FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ts = y.ts FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ts = y.tz FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.tz = y.d FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.tz = y.ts FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.tz = y.tz FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.u = y.u FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ia > y.ia FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.r > y.r FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.b > y.b FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.by > y.by FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.d > y.d FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.d > y.ts FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.d > y.tz FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f4 > y.f4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f4 > y.f8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f8 > y.f4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f8 > y.f8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 > y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 > y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 > y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 > y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 > y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 > y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 > y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 > y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 > y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.iv > y.iv FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.j > y.j FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.n2 > y.n2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.s > y.s FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.t > y.t FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ts > y.d FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ts > y.ts FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ts > y.tz FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.tz > y.d FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.tz > y.ts FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.tz > y.tz FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.u > y.u FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ia >= y.ia FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.r >= y.r FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.b >= y.b FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.by >= y.by FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.d >= y.d FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.d >= y.ts FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.d >= y.tz FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f4 >= y.f4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f4 >= y.f8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f8 >= y.f4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f8 >= y.f8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 >= y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 >= y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 >= y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 >= y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 >= y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 >= y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 >= y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 >= y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 >= y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.iv >= y.iv FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.j >= y.j FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.n2 >= y.n2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.s >= y.s FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.t >= y.t FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ts >= y.d FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ts >= y.ts FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ts >= y.tz FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.tz >= y.d FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.tz >= y.ts FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.tz >= y.tz FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.u >= y.u FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.r >> y.r FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 >> y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 >> y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 >> y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.j ? y.s FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.j ?& y.ta FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.j ?| y.ta FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ia @> y.ia FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.r @> y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.r @> y.r FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.j @> y.j FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.s @@ y.s FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.f8 ^ y.f8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.n2 ^ y.n2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.s ^@ y.s FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i2 | y.i2 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 | y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i8 | y.i8 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 || y.ia FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ia || y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.ia || y.ia FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.i4 || y.s FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.by || y.by FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.j || y.j FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.s || y.i4 FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.s || y.s FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.s ~ y.s FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.s ~* y.s FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.by ~~ y.by FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.s ~~ y.s FROM every x, every y WHERE x.id < 4
SELECT x.id, y.id, x.s ~~* y.s FROM every x, every y WHERE x.id < 4
