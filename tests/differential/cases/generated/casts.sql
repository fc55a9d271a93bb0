SELECT 't'::bool
SELECT 'yes'::bool
SELECT ' off '::bool
SELECT '1'::bool
SELECT 'maybe'::bool
SELECT '12'::int2
SELECT ' -7 '::int2
SELECT '0x1F'::int2
SELECT '1_000'::int2
SELECT '40000'::int2
SELECT '1.5'::int2
SELECT ''::int2
SELECT '12'::int4
SELECT '+7'::int4
SELECT '0b101'::int4
SELECT '3000000000'::int4
SELECT '1e3'::int4
SELECT 'x'::int4
SELECT '12'::int8
SELECT '0o17'::int8
SELECT '9223372036854775808'::int8
SELECT '--1'::int8
SELECT '1.5'::float4
SELECT '1e40'::float4
SELECT 'nan'::float4
SELECT 'inf'::float4
SELECT '1e-50'::float4
SELECT '1.5x'::float4
SELECT '1.5'::float8
SELECT ' -1e5 '::float8
SELECT '1e400'::float8
SELECT '-inf'::float8
SELECT '.5'::float8
SELECT '5.'::float8
SELECT '1e'::float8
SELECT 'abc'::float8
SELECT '1.50'::numeric
SELECT '1e5'::numeric
SELECT '-.5'::numeric
SELECT '0x10'::numeric
SELECT '1_0.5'::numeric
SELECT '1.5.2'::numeric
SELECT ''::numeric
SELECT 'abc'::text
SELECT 'abc'::varchar
SELECT 'ab'::char(3)
SELECT 'abcd'::char(3)
SELECT 'abc  '::char(3)
SELECT 'a'::"char"
SELECT 'abc'::"char"
SELECT 'abc'::name
SELECT '\x61'::bytea
SELECT 'a\\b'::bytea
SELECT 'a\000b'::bytea
SELECT '\xg1'::bytea
SELECT '\x6'::bytea
SELECT 'a\'::bytea
SELECT '2024-02-29'::date
SELECT '20240229'::date
SELECT 'Feb 29, 2024'::date
SELECT '29 Feb 2024'::date
SELECT '2023-02-29'::date
SELECT '02/03/2024'::date
SELECT 'epoch'::date
SELECT 'infinity'::date
SELECT '2024-060'::date
SELECT 'J2451545'::date
SELECT '0044-03-15 BC'::date
SELECT '2024-13-01'::date
SELECT 'x'::date
SELECT '12:34'::time
SELECT '12:34:56.7891234'::time
SELECT '3 PM'::time
SELECT '24:00'::time
SELECT '24:01'::time
SELECT '040506'::time
SELECT '12:60'::time
SELECT 'allballs'::time
SELECT '12:34+02'::timetz
SELECT '12:34'::timetz
SELECT '2024-02-29 12:34:56'::timestamp
SELECT '2024-02-29T12:34:56Z'::timestamp
SELECT '2024-02-29 12:34:56+05'::timestamp
SELECT 'epoch'::timestamp
SELECT '-infinity'::timestamp
SELECT '2024-02-30 00:00'::timestamp
SELECT '20240229T123456'::timestamp
SELECT '2024-02-29 25:00'::timestamp
SELECT '99999-01-01'::timestamp
SELECT '2024-02-29 12:34:56.9999999'::timestamp
SELECT '2024-02-29 12:34:56+02'::timestamptz
SELECT '2024-02-29 12:34:56 America/New_York'::timestamptz
SELECT '2024-02-29 12:34:56 PST'::timestamptz
SELECT '2024-02-29'::timestamptz
SELECT '2024-02-29 12:34:56-05:30:15'::timestamptz
SELECT '2024-02-29 12:34 Nowhere/City'::timestamptz
SELECT '1 day'::interval
SELECT '1-2'::interval
SELECT '1 2:03:04'::interval
SELECT 'P1Y2M3DT4H5M6S'::interval
SELECT 'P0001-02-03T04:05:06'::interval
SELECT '-1 mon 3 days ago'::interval
SELECT '1.5 months'::interval
SELECT '5'::interval
SELECT '1 fortnight'::interval
SELECT '2 weeks -3 hours'::interval
SELECT '1 century'::interval
SELECT 'infinity'::interval
SELECT '@ 1 minute'::interval
SELECT '00:00:00.0000001'::interval
SELECT ''::interval
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT '{A0EEBC999C0B4EF8BB6D6BB9BD380A11}'::uuid
SELECT 'a0eebc99'::uuid
SELECT ''::uuid
SELECT '[1, 2.50, 1e2]'::jsonb
SELECT '{"b": 1, "a": 2, "b": 3}'::jsonb
SELECT '"\u00e4"'::jsonb
SELECT '{'::jsonb
SELECT ''::jsonb
SELECT 'nul'::jsonb
SELECT '[1,]'::jsonb
SELECT '"\u0000"'::jsonb
SELECT '[1]'::json
SELECT '12'::oid
SELECT '-1'::oid
SELECT '4294967296'::oid
SELECT '{1,2}'::int4[]
SELECT '{ 1 , NULL }'::int4[]
SELECT '{1,x}'::int4[]
SELECT '{1'::int4[]
SELECT '[2:3]={1,2}'::int4[]
SELECT '{{1,2},{3,4}}'::int4[]
SELECT '1'::int4[]
SELECT '{}'::int4[]
SELECT '{a,"b c",null,"null"}'::text[]
SELECT '{a b}'::text[]
SELECT '{"a\"b"}'::text[]
SELECT '{a,,b}'::text[]
SELECT '{a}x'::text[]
SELECT '{1e5,NaN}'::float8[]
SELECT '{1}'::int8[]
SELECT '{t,no}'::bool[]
SELECT '{x}'::bool[]
SELECT '{1.50,2}'::numeric[]
SELECT '{2024-01-01}'::date[]
SELECT '[1,5)'::int4range
SELECT '[1,5]'::int4range
SELECT ' (1,5] '::int4range
SELECT '(1,2)'::int4range
SELECT 'empty'::int4range
SELECT 'EMPTY '::int4range
SELECT '(,)'::int4range
SELECT '[1,)'::int4range
SELECT '[5,1]'::int4range
SELECT '[1,2'::int4range
SELECT '1,2'::int4range
SELECT '[1,2,3]'::int4range
SELECT '["1",2]'::int4range
SELECT '[1,2147483647]'::int4range
SELECT '[ 1, 2 ]'::int4range
SELECT '[a,2]'::int4range
SELECT ''::int4range
SELECT '[1,3000000000]'::int4range
SELECT '[1,5)'::int8range
SELECT '(1,9223372036854775807]'::int8range
SELECT '[x,)'::int8range
SELECT '[1.5,2)'::numrange
SELECT '(1,1)'::numrange
SELECT '[1,1]'::numrange
SELECT '[1e3,1e4]'::numrange
SELECT '[NaN,)x'::numrange
SELECT '[2024-01-01,2024-01-31]'::daterange
SELECT '[2024-02-30,)'::daterange
SELECT '(infinity,)'::daterange
SELECT '[5874897-12-31,5874897-12-31]'::daterange
SELECT '[,]'::daterange
SELECT '[2024-01-01 10:00, 2024-01-01 11:00)'::tsrange
SELECT '["2024-01-01 10:00",]'::tsrange
SELECT '[2024-01-02,2024-01-01]'::tsrange
SELECT '[2024-01-01 10:00+02,2024-01-01 10:00Z)'::tstzrange
SELECT '(,2024-01-01]'::tstzrange
SELECT 't'::text::bool, NULL::bool
SELECT v::text AS v FROM (VALUES (true), (false)) AS x (v)
SELECT '12'::text::int2, NULL::int2
SELECT v::text AS v FROM (VALUES (7::int2), ('-3'::int2), (2::int2), ('32767'::int2), ('-32768'::int2), (0::int2)) AS x (v)
SELECT '12'::text::int4, NULL::int4
SELECT v::text AS v FROM (VALUES (5), (-7), (2), (2147483647), ('-2147483648'::int4), (0)) AS x (v)
SELECT '12'::text::int8, NULL::int8
SELECT v::text AS v FROM (VALUES (12::int8), ('-5'::int8), (3::int8), (9223372036854775807), ('-9223372036854775808'::int8), (0::int8)) AS x (v)
SELECT '1.5'::text::float4, NULL::float4
SELECT v::text AS v FROM (VALUES (1.5::float4), ('-2.25'::float4), (3::float4), ('NaN'::float4), ('-Infinity'::float4), ('3.4e38'::float4), ('-0'::float4)) AS x (v)
SELECT '1.5'::text::float8, NULL::float8
SELECT v::text AS v FROM (VALUES (2.5::float8), ('-0.5'::float8), (4::float8), ('NaN'::float8), ('Infinity'::float8), ('1e308'::float8), ('-0'::float8), ('1e-310'::float8)) AS x (v)
SELECT '1.50'::text::numeric, NULL::numeric
SELECT 'abc'::text::text, NULL::text
SELECT v::text AS v FROM (VALUES ('abc'::text), ('Hello World'::text), ('l'::text), (''::text), ('äöü €'::text), ('  42 '::text), ('a%b\c_'::text)) AS x (v)
SELECT 'abc'::text::varchar, NULL::varchar
SELECT v::text AS v FROM (VALUES ('abc'::varchar), ('xyz'::varchar(3)), (''::varchar)) AS x (v)
SELECT 'ab'::text::char(3), NULL::char(3)
SELECT v::text AS v FROM (VALUES ('ab'::char(4)), ('xyz'::char(3)), (''::char(2)), ('a '::char(3))) AS x (v)
SELECT 'a'::text::"char", NULL::"char"
SELECT v::text AS v FROM (VALUES ('x'::"char"), ('y'::"char"), (''::"char")) AS x (v)
SELECT 'abc'::text::name, NULL::name
SELECT v::text AS v FROM (VALUES ('abc'::name), ('some_name'::name), (''::name)) AS x (v)
SELECT '\x61'::text::bytea, NULL::bytea
SELECT v::text AS v FROM (VALUES ('\x6162'::bytea), ('\x00ff10'::bytea), ('\x62'::bytea), (''::bytea), ('\xffffffffffffffff'::bytea)) AS x (v)
SELECT '2024-02-29'::text::date, NULL::date
SELECT v::text AS v FROM (VALUES ('2024-02-29'::date), ('1999-12-31'::date), ('infinity'::date), ('0001-01-01 BC'::date), ('9999-12-31'::date)) AS x (v)
SELECT '12:34'::text::time, NULL::time
SELECT v::text AS v FROM (VALUES ('12:34:56.789'::time), ('03:00:00'::time), ('24:00:00'::time), ('00:00:00'::time)) AS x (v)
SELECT '12:34+02'::text::timetz, NULL::timetz
SELECT v::text AS v FROM (VALUES ('12:34:56+02'::timetz), ('03:00:00+00'::timetz), ('24:00:00-12'::timetz)) AS x (v)
SELECT '2024-02-29 12:34:56'::text::timestamp, NULL::timestamp
SELECT v::text AS v FROM (VALUES ('2024-02-29 12:34:56.789'::timestamp), ('1999-12-31 23:59:59'::timestamp), ('-infinity'::timestamp), ('0044-03-15 BC'::timestamp), ('9999-12-31 23:59:59.999999'::timestamp)) AS x (v)
SELECT '2024-02-29 12:34:56+02'::text::timestamptz, NULL::timestamptz
SELECT v::text AS v FROM (VALUES ('2024-02-29 12:34:56.789+02'::timestamptz), ('1999-12-31 23:59:59Z'::timestamptz), ('infinity'::timestamptz), ('0044-03-15 BC'::timestamptz)) AS x (v)
SELECT '1 day'::text::interval, NULL::interval
SELECT v::text AS v FROM (VALUES ('1 mon 2 days 03:04:05.5'::interval), ('-1 day'::interval), ('36:00:00'::interval), ('infinity'::interval), ('-178000000 years'::interval), ('00:00:00'::interval)) AS x (v)
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::text::uuid, NULL::uuid
SELECT v::text AS v FROM (VALUES ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid), ('00000000-0000-0000-0000-000000000001'::uuid), ('ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)) AS x (v)
SELECT '[1, 2.50, 1e2]'::text::jsonb, NULL::jsonb
SELECT v::text AS v FROM (VALUES ('{"a": 1, "b": [1, 2]}'::jsonb), ('[1, "x", null]'::jsonb), ('"a"'::jsonb), ('null'::jsonb), ('1.50'::jsonb), ('{}'::jsonb), ('true'::jsonb)) AS x (v)
SELECT '[1]'::text::json, NULL::json
SELECT v::text AS v FROM (VALUES ('{"a": 1}'::json), ('[1, 2]'::json), ('null'::json)) AS x (v)
SELECT '12'::text::oid, NULL::oid
SELECT v::text AS v FROM (VALUES (5::oid), (3000000000::oid), (0::oid)) AS x (v)
SELECT '{1,2}'::text::int4[], NULL::int4[]
SELECT v::text AS v FROM (VALUES (array[1, 2, 3]), ('{4,NULL,1}'::int4[]), (array[2]), ('{}'::int4[])) AS x (v)
SELECT '{a,"b c",null,"null"}'::text::text[], NULL::text[]
SELECT v::text AS v FROM (VALUES (array['a', 'b']), ('{"x y",NULL,""}'::text[]), (array['a']), ('{}'::text[]), ('{"a,b","q\"q"}'::text[])) AS x (v)
SELECT '{1e5,NaN}'::text::float8[], NULL::float8[]
SELECT v::text AS v FROM (VALUES ('{1.5,-2}'::float8[]), ('{3}'::float8[]), ('{}'::float8[]), ('{NaN,Infinity}'::float8[])) AS x (v)
SELECT '{1}'::text::int8[], NULL::int8[]
SELECT v::text AS v FROM (VALUES ('{10,20}'::int8[]), ('{20}'::int8[]), ('{}'::int8[])) AS x (v)
SELECT '{t,no}'::text::bool[], NULL::bool[]
SELECT v::text AS v FROM (VALUES ('{t,f}'::bool[]), ('{t}'::bool[]), ('{}'::bool[])) AS x (v)
SELECT '{1.50,2}'::text::numeric[], NULL::numeric[]
SELECT v::text AS v FROM (VALUES ('{1.5,-2}'::numeric[]), ('{1.5}'::numeric[]), ('{}'::numeric[])) AS x (v)
SELECT '{2024-01-01}'::text::date[], NULL::date[]
SELECT v::text AS v FROM (VALUES ('{2024-02-29,NULL}'::date[]), ('{2024-02-29}'::date[]), ('{}'::date[])) AS x (v)
SELECT '[1,5)'::text::int4range, NULL::int4range
SELECT v::text AS v FROM (VALUES ('[1,5)'::int4range), ('[3,8)'::int4range), ('empty'::int4range), ('(,)'::int4range), ('[5,8]'::int4range), ('(,1)'::int4range)) AS x (v)
SELECT '[1,5)'::text::int8range, NULL::int8range
SELECT v::text AS v FROM (VALUES ('[1,5000000000)'::int8range), ('[3,8)'::int8range), ('empty'::int8range), ('[-9223372036854775808,)'::int8range)) AS x (v)
SELECT '[1.5,2)'::text::numrange, NULL::numrange
SELECT v::text AS v FROM (VALUES ('[1.5,5)'::numrange), ('(3.25,8]'::numrange), ('empty'::numrange), ('(,3.25]'::numrange), ('[3.25,3.25]'::numrange)) AS x (v)
SELECT '[2024-01-01,2024-01-31]'::text::daterange, NULL::daterange
SELECT v::text AS v FROM (VALUES ('[2024-01-01,2024-02-29]'::daterange), ('[2024-02-01,2024-03-01)'::daterange), ('empty'::daterange), ('[-infinity,infinity]'::daterange), ('[0044-03-15 BC,)'::daterange)) AS x (v)
SELECT '[2024-01-01 10:00, 2024-01-01 11:00)'::text::tsrange, NULL::tsrange
SELECT v::text AS v FROM (VALUES ('[2024-01-01,2024-02-29 12:00]'::tsrange), ('[2024-02-01 01:02:03.5,2024-03-01)'::tsrange), ('empty'::tsrange), ('[2024-03-01,infinity]'::tsrange), ('(-infinity,)'::tsrange)) AS x (v)
SELECT '[2024-01-01 10:00+02,2024-01-01 10:00Z)'::text::tstzrange, NULL::tstzrange
SELECT v::text AS v FROM (VALUES ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange), ('(2024-02-01 00:00Z,)'::tstzrange), ('empty'::tstzrange), ('(,)'::tstzrange)) AS x (v)
SELECT (true)::int2
SELECT (true)::int4
SELECT (false)::int4
SELECT (true)::int8
SELECT (true)::float4
SELECT (true)::float8
SELECT (true)::numeric
SELECT (true)::text
SELECT (false)::text
SELECT (true)::varchar
SELECT (false)::varchar
SELECT (true)::char(3)
SELECT (false)::char(3)
SELECT (true)::"char"
SELECT (true)::name
SELECT (true)::bytea
SELECT (true)::date
SELECT (true)::time
SELECT (true)::timetz
SELECT (true)::timestamp
SELECT (true)::timestamptz
SELECT (true)::interval
SELECT (true)::uuid
SELECT (true)::jsonb
SELECT (true)::json
SELECT (true)::oid
SELECT (true)::int4[]
SELECT (true)::text[]
SELECT (true)::float8[]
SELECT (true)::int8[]
SELECT (true)::bool[]
SELECT (true)::numeric[]
SELECT (true)::date[]
SELECT (true)::int4range
SELECT (true)::int8range
SELECT (true)::numrange
SELECT (true)::daterange
SELECT (true)::tsrange
SELECT (true)::tstzrange
SELECT (7::int2)::bool
SELECT (7::int2)::int4
SELECT ('-3'::int2)::int4
SELECT (2::int2)::int4
SELECT ('32767'::int2)::int4
SELECT ('-32768'::int2)::int4
SELECT (0::int2)::int4
SELECT (7::int2)::int8
SELECT ('-3'::int2)::int8
SELECT (2::int2)::int8
SELECT ('32767'::int2)::int8
SELECT ('-32768'::int2)::int8
SELECT (0::int2)::int8
SELECT (7::int2)::float4
SELECT ('-3'::int2)::float4
SELECT (2::int2)::float4
SELECT ('32767'::int2)::float4
SELECT ('-32768'::int2)::float4
SELECT (0::int2)::float4
SELECT (7::int2)::float8
SELECT ('-3'::int2)::float8
SELECT (2::int2)::float8
SELECT ('32767'::int2)::float8
SELECT ('-32768'::int2)::float8
SELECT (0::int2)::float8
SELECT (7::int2)::numeric
SELECT ('-3'::int2)::numeric
SELECT (2::int2)::numeric
SELECT ('32767'::int2)::numeric
SELECT ('-32768'::int2)::numeric
SELECT (0::int2)::numeric
SELECT (7::int2)::text
SELECT (7::int2)::varchar
SELECT (7::int2)::char(3)
SELECT (7::int2)::"char"
SELECT (7::int2)::name
SELECT (7::int2)::bytea
SELECT ('-3'::int2)::bytea
SELECT (2::int2)::bytea
SELECT ('32767'::int2)::bytea
SELECT ('-32768'::int2)::bytea
SELECT (0::int2)::bytea
SELECT (7::int2)::date
SELECT (7::int2)::time
SELECT (7::int2)::timetz
SELECT (7::int2)::timestamp
SELECT (7::int2)::timestamptz
SELECT (7::int2)::interval
SELECT (7::int2)::uuid
SELECT (7::int2)::jsonb
SELECT (7::int2)::json
SELECT (7::int2)::oid
SELECT ('-3'::int2)::oid
SELECT (2::int2)::oid
SELECT ('32767'::int2)::oid
SELECT ('-32768'::int2)::oid
SELECT (0::int2)::oid
SELECT (7::int2)::int4[]
SELECT (7::int2)::text[]
SELECT (7::int2)::float8[]
SELECT (7::int2)::int8[]
SELECT (7::int2)::bool[]
SELECT (7::int2)::numeric[]
SELECT (7::int2)::date[]
SELECT (7::int2)::int4range
SELECT (7::int2)::int8range
SELECT (7::int2)::numrange
SELECT (7::int2)::daterange
SELECT (7::int2)::tsrange
SELECT (7::int2)::tstzrange
SELECT (5)::bool
SELECT (-7)::bool
SELECT (2)::bool
SELECT (2147483647)::bool
SELECT ('-2147483648'::int4)::bool
SELECT (0)::bool
SELECT (5)::int2
SELECT (-7)::int2
SELECT (2)::int2
SELECT (2147483647)::int2
SELECT ('-2147483648'::int4)::int2
SELECT (0)::int2
SELECT (5)::int8
SELECT (-7)::int8
SELECT (2)::int8
SELECT (2147483647)::int8
SELECT ('-2147483648'::int4)::int8
SELECT (0)::int8
SELECT (5)::float4
SELECT (-7)::float4
SELECT (2)::float4
SELECT (2147483647)::float4
SELECT ('-2147483648'::int4)::float4
SELECT (0)::float4
SELECT (5)::float8
SELECT (-7)::float8
SELECT (2)::float8
SELECT (2147483647)::float8
SELECT ('-2147483648'::int4)::float8
SELECT (0)::float8
SELECT (5)::numeric
SELECT (-7)::numeric
SELECT (2)::numeric
SELECT (2147483647)::numeric
SELECT ('-2147483648'::int4)::numeric
SELECT (0)::numeric
SELECT (5)::text
SELECT (5)::varchar
SELECT (5)::char(3)
SELECT (5)::"char"
SELECT (-7)::"char"
SELECT (2)::"char"
SELECT (2147483647)::"char"
SELECT ('-2147483648'::int4)::"char"
SELECT (0)::"char"
SELECT (5)::name
SELECT (5)::bytea
SELECT (-7)::bytea
SELECT (2)::bytea
SELECT (2147483647)::bytea
SELECT ('-2147483648'::int4)::bytea
SELECT (0)::bytea
SELECT (5)::date
SELECT (5)::time
SELECT (5)::timetz
SELECT (5)::timestamp
SELECT (5)::timestamptz
SELECT (5)::interval
SELECT (5)::uuid
SELECT (5)::jsonb
SELECT (5)::json
SELECT (5)::oid
SELECT (-7)::oid
SELECT (2)::oid
SELECT (2147483647)::oid
SELECT ('-2147483648'::int4)::oid
SELECT (0)::oid
SELECT (5)::int4[]
SELECT (5)::text[]
SELECT (5)::float8[]
SELECT (5)::int8[]
SELECT (5)::bool[]
SELECT (5)::numeric[]
SELECT (5)::date[]
SELECT (5)::int4range
SELECT (5)::int8range
SELECT (5)::numrange
SELECT (5)::daterange
SELECT (5)::tsrange
SELECT (5)::tstzrange
SELECT (12::int8)::bool
SELECT (12::int8)::int2
SELECT ('-5'::int8)::int2
SELECT (3::int8)::int2
SELECT (9223372036854775807)::int2
SELECT ('-9223372036854775808'::int8)::int2
SELECT (0::int8)::int2
SELECT (12::int8)::int4
SELECT ('-5'::int8)::int4
SELECT (3::int8)::int4
SELECT (9223372036854775807)::int4
SELECT ('-9223372036854775808'::int8)::int4
SELECT (0::int8)::int4
SELECT (12::int8)::float4
SELECT ('-5'::int8)::float4
SELECT (3::int8)::float4
SELECT (9223372036854775807)::float4
SELECT ('-9223372036854775808'::int8)::float4
SELECT (0::int8)::float4
SELECT (12::int8)::float8
SELECT ('-5'::int8)::float8
SELECT (3::int8)::float8
SELECT (9223372036854775807)::float8
SELECT ('-9223372036854775808'::int8)::float8
SELECT (0::int8)::float8
SELECT (12::int8)::numeric
SELECT ('-5'::int8)::numeric
SELECT (3::int8)::numeric
SELECT (9223372036854775807)::numeric
SELECT ('-9223372036854775808'::int8)::numeric
SELECT (0::int8)::numeric
SELECT (12::int8)::text
SELECT (12::int8)::varchar
SELECT (12::int8)::char(3)
SELECT (12::int8)::"char"
SELECT (12::int8)::name
SELECT (12::int8)::bytea
SELECT ('-5'::int8)::bytea
SELECT (3::int8)::bytea
SELECT (9223372036854775807)::bytea
SELECT ('-9223372036854775808'::int8)::bytea
SELECT (0::int8)::bytea
SELECT (12::int8)::date
SELECT (12::int8)::time
SELECT (12::int8)::timetz
SELECT (12::int8)::timestamp
SELECT (12::int8)::timestamptz
SELECT (12::int8)::interval
SELECT (12::int8)::uuid
SELECT (12::int8)::jsonb
SELECT (12::int8)::json
SELECT (12::int8)::oid
SELECT ('-5'::int8)::oid
SELECT (3::int8)::oid
SELECT (9223372036854775807)::oid
SELECT ('-9223372036854775808'::int8)::oid
SELECT (0::int8)::oid
SELECT (12::int8)::int4[]
SELECT (12::int8)::text[]
SELECT (12::int8)::float8[]
SELECT (12::int8)::int8[]
SELECT (12::int8)::bool[]
SELECT (12::int8)::numeric[]
SELECT (12::int8)::date[]
SELECT (12::int8)::int4range
SELECT (12::int8)::int8range
SELECT (12::int8)::numrange
SELECT (12::int8)::daterange
SELECT (12::int8)::tsrange
SELECT (12::int8)::tstzrange
SELECT (1.5::float4)::bool
SELECT (1.5::float4)::int2
SELECT ('-2.25'::float4)::int2
SELECT (3::float4)::int2
SELECT ('NaN'::float4)::int2
SELECT ('-Infinity'::float4)::int2
SELECT ('3.4e38'::float4)::int2
SELECT ('-0'::float4)::int2
SELECT (1.5::float4)::int4
SELECT ('-2.25'::float4)::int4
SELECT (3::float4)::int4
SELECT ('NaN'::float4)::int4
SELECT ('-Infinity'::float4)::int4
SELECT ('3.4e38'::float4)::int4
SELECT ('-0'::float4)::int4
SELECT (1.5::float4)::int8
SELECT ('-2.25'::float4)::int8
SELECT (3::float4)::int8
SELECT ('NaN'::float4)::int8
SELECT ('-Infinity'::float4)::int8
SELECT ('3.4e38'::float4)::int8
SELECT ('-0'::float4)::int8
SELECT (1.5::float4)::float8
SELECT ('-2.25'::float4)::float8
SELECT (3::float4)::float8
SELECT ('NaN'::float4)::float8
SELECT ('-Infinity'::float4)::float8
SELECT ('3.4e38'::float4)::float8
SELECT ('-0'::float4)::float8
SELECT (1.5::float4)::numeric
SELECT ('-2.25'::float4)::numeric
SELECT (3::float4)::numeric
SELECT ('NaN'::float4)::numeric
SELECT ('-Infinity'::float4)::numeric
SELECT ('3.4e38'::float4)::numeric
SELECT ('-0'::float4)::numeric
SELECT (1.5::float4)::text
SELECT (1.5::float4)::varchar
SELECT (1.5::float4)::char(3)
SELECT (1.5::float4)::"char"
SELECT (1.5::float4)::name
SELECT (1.5::float4)::bytea
SELECT (1.5::float4)::date
SELECT (1.5::float4)::time
SELECT (1.5::float4)::timetz
SELECT (1.5::float4)::timestamp
SELECT (1.5::float4)::timestamptz
SELECT (1.5::float4)::interval
SELECT (1.5::float4)::uuid
SELECT (1.5::float4)::jsonb
SELECT (1.5::float4)::json
SELECT (1.5::float4)::oid
SELECT (1.5::float4)::int4[]
SELECT (1.5::float4)::text[]
SELECT (1.5::float4)::float8[]
SELECT (1.5::float4)::int8[]
SELECT (1.5::float4)::bool[]
SELECT (1.5::float4)::numeric[]
SELECT (1.5::float4)::date[]
SELECT (1.5::float4)::int4range
SELECT (1.5::float4)::int8range
SELECT (1.5::float4)::numrange
SELECT (1.5::float4)::daterange
SELECT (1.5::float4)::tsrange
SELECT (1.5::float4)::tstzrange
SELECT (2.5::float8)::bool
SELECT (2.5::float8)::int2
SELECT ('-0.5'::float8)::int2
SELECT (4::float8)::int2
SELECT ('NaN'::float8)::int2
SELECT ('Infinity'::float8)::int2
SELECT ('1e308'::float8)::int2
SELECT ('-0'::float8)::int2
SELECT ('1e-310'::float8)::int2
SELECT (2.5::float8)::int4
SELECT ('-0.5'::float8)::int4
SELECT (4::float8)::int4
SELECT ('NaN'::float8)::int4
SELECT ('Infinity'::float8)::int4
SELECT ('1e308'::float8)::int4
SELECT ('-0'::float8)::int4
SELECT ('1e-310'::float8)::int4
SELECT (2.5::float8)::int8
SELECT ('-0.5'::float8)::int8
SELECT (4::float8)::int8
SELECT ('NaN'::float8)::int8
SELECT ('Infinity'::float8)::int8
SELECT ('1e308'::float8)::int8
SELECT ('-0'::float8)::int8
SELECT ('1e-310'::float8)::int8
SELECT (2.5::float8)::float4
SELECT ('-0.5'::float8)::float4
SELECT (4::float8)::float4
SELECT ('NaN'::float8)::float4
SELECT ('Infinity'::float8)::float4
SELECT ('1e308'::float8)::float4
SELECT ('-0'::float8)::float4
SELECT ('1e-310'::float8)::float4
SELECT (2.5::float8)::numeric
SELECT ('-0.5'::float8)::numeric
SELECT (4::float8)::numeric
SELECT ('NaN'::float8)::numeric
SELECT ('Infinity'::float8)::numeric
SELECT ('1e308'::float8)::numeric
SELECT ('-0'::float8)::numeric
SELECT ('1e-310'::float8)::numeric
SELECT (2.5::float8)::text
SELECT (2.5::float8)::varchar
SELECT (2.5::float8)::char(3)
SELECT (2.5::float8)::"char"
SELECT (2.5::float8)::name
SELECT (2.5::float8)::bytea
SELECT (2.5::float8)::date
SELECT (2.5::float8)::time
SELECT (2.5::float8)::timetz
SELECT (2.5::float8)::timestamp
SELECT (2.5::float8)::timestamptz
SELECT (2.5::float8)::interval
SELECT (2.5::float8)::uuid
SELECT (2.5::float8)::jsonb
SELECT (2.5::float8)::json
SELECT (2.5::float8)::oid
SELECT (2.5::float8)::int4[]
SELECT (2.5::float8)::text[]
SELECT (2.5::float8)::float8[]
SELECT (2.5::float8)::int8[]
SELECT (2.5::float8)::bool[]
SELECT (2.5::float8)::numeric[]
SELECT (2.5::float8)::date[]
SELECT (2.5::float8)::int4range
SELECT (2.5::float8)::int8range
SELECT (2.5::float8)::numrange
SELECT (2.5::float8)::daterange
SELECT (2.5::float8)::tsrange
SELECT (2.5::float8)::tstzrange
SELECT (3.75)::bool
SELECT (3.75)::int2
SELECT (-1.5::numeric)::int2
SELECT (2.25::numeric(6,2))::int2
SELECT (99999999999999999999.999)::int2
SELECT (0.00)::int2
SELECT (-0.000001)::int2
SELECT (3.75)::int4
SELECT (-1.5::numeric)::int4
SELECT (2.25::numeric(6,2))::int4
SELECT (99999999999999999999.999)::int4
SELECT (0.00)::int4
SELECT (-0.000001)::int4
SELECT (3.75)::int8
SELECT (-1.5::numeric)::int8
SELECT (2.25::numeric(6,2))::int8
SELECT (99999999999999999999.999)::int8
SELECT (0.00)::int8
SELECT (-0.000001)::int8
SELECT (3.75)::float4
SELECT (-1.5::numeric)::float4
SELECT (2.25::numeric(6,2))::float4
SELECT (99999999999999999999.999)::float4
SELECT (0.00)::float4
SELECT (-0.000001)::float4
SELECT (3.75)::float8
SELECT (-1.5::numeric)::float8
SELECT (2.25::numeric(6,2))::float8
SELECT (99999999999999999999.999)::float8
SELECT (0.00)::float8
SELECT (-0.000001)::float8
SELECT (3.75)::text
SELECT (3.75)::varchar
SELECT (3.75)::char(3)
SELECT (3.75)::"char"
SELECT (3.75)::name
SELECT (3.75)::bytea
SELECT (3.75)::date
SELECT (3.75)::time
SELECT (3.75)::timetz
SELECT (3.75)::timestamp
SELECT (3.75)::timestamptz
SELECT (3.75)::interval
SELECT (3.75)::uuid
SELECT (3.75)::jsonb
SELECT (3.75)::json
SELECT (3.75)::oid
SELECT (3.75)::int4[]
SELECT (3.75)::text[]
SELECT (3.75)::float8[]
SELECT (3.75)::int8[]
SELECT (3.75)::bool[]
SELECT (3.75)::numeric[]
SELECT (3.75)::date[]
SELECT (3.75)::int4range
SELECT (3.75)::int8range
SELECT (3.75)::numrange
SELECT (3.75)::daterange
SELECT (3.75)::tsrange
SELECT (3.75)::tstzrange
SELECT ('abc'::text)::bool
SELECT ('abc'::text)::int2
SELECT ('abc'::text)::int4
SELECT ('abc'::text)::int8
SELECT ('abc'::text)::float4
SELECT ('abc'::text)::float8
SELECT ('abc'::text)::numeric
SELECT ('abc'::text)::varchar
SELECT ('Hello World'::text)::varchar
SELECT ('l'::text)::varchar
SELECT (''::text)::varchar
SELECT ('äöü €'::text)::varchar
SELECT ('  42 '::text)::varchar
SELECT ('a%b\c_'::text)::varchar
SELECT ('abc'::text)::char(3)
SELECT ('Hello World'::text)::char(3)
SELECT ('l'::text)::char(3)
SELECT (''::text)::char(3)
SELECT ('äöü €'::text)::char(3)
SELECT ('  42 '::text)::char(3)
SELECT ('a%b\c_'::text)::char(3)
SELECT ('abc'::text)::"char"
SELECT ('Hello World'::text)::"char"
SELECT ('l'::text)::"char"
SELECT (''::text)::"char"
SELECT ('äöü €'::text)::"char"
SELECT ('  42 '::text)::"char"
SELECT ('a%b\c_'::text)::"char"
SELECT ('abc'::text)::name
SELECT ('Hello World'::text)::name
SELECT ('l'::text)::name
SELECT (''::text)::name
SELECT ('äöü €'::text)::name
SELECT ('  42 '::text)::name
SELECT ('a%b\c_'::text)::name
SELECT ('abc'::text)::bytea
SELECT ('abc'::text)::date
SELECT ('abc'::text)::time
SELECT ('abc'::text)::timetz
SELECT ('abc'::text)::timestamp
SELECT ('abc'::text)::timestamptz
SELECT ('abc'::text)::interval
SELECT ('abc'::text)::uuid
SELECT ('abc'::text)::jsonb
SELECT ('abc'::text)::json
SELECT ('abc'::text)::oid
SELECT ('abc'::text)::int4[]
SELECT ('abc'::text)::text[]
SELECT ('abc'::text)::float8[]
SELECT ('abc'::text)::int8[]
SELECT ('abc'::text)::bool[]
SELECT ('abc'::text)::numeric[]
SELECT ('abc'::text)::date[]
SELECT ('abc'::text)::int4range
SELECT ('abc'::text)::int8range
SELECT ('abc'::text)::numrange
SELECT ('abc'::text)::daterange
SELECT ('abc'::text)::tsrange
SELECT ('abc'::text)::tstzrange
SELECT ('abc'::varchar)::bool
SELECT ('abc'::varchar)::int2
SELECT ('abc'::varchar)::int4
SELECT ('abc'::varchar)::int8
SELECT ('abc'::varchar)::float4
SELECT ('abc'::varchar)::float8
SELECT ('abc'::varchar)::numeric
SELECT ('abc'::varchar)::text
SELECT ('xyz'::varchar(3))::text
SELECT (''::varchar)::text
SELECT ('abc'::varchar)::char(3)
SELECT ('xyz'::varchar(3))::char(3)
SELECT (''::varchar)::char(3)
SELECT ('abc'::varchar)::"char"
SELECT ('xyz'::varchar(3))::"char"
SELECT (''::varchar)::"char"
SELECT ('abc'::varchar)::name
SELECT ('xyz'::varchar(3))::name
SELECT (''::varchar)::name
SELECT ('abc'::varchar)::bytea
SELECT ('abc'::varchar)::date
SELECT ('abc'::varchar)::time
SELECT ('abc'::varchar)::timetz
SELECT ('abc'::varchar)::timestamp
SELECT ('abc'::varchar)::timestamptz
SELECT ('abc'::varchar)::interval
SELECT ('abc'::varchar)::uuid
SELECT ('abc'::varchar)::jsonb
SELECT ('abc'::varchar)::json
SELECT ('abc'::varchar)::oid
SELECT ('abc'::varchar)::int4[]
SELECT ('abc'::varchar)::text[]
SELECT ('abc'::varchar)::float8[]
SELECT ('abc'::varchar)::int8[]
SELECT ('abc'::varchar)::bool[]
SELECT ('abc'::varchar)::numeric[]
SELECT ('abc'::varchar)::date[]
SELECT ('abc'::varchar)::int4range
SELECT ('abc'::varchar)::int8range
SELECT ('abc'::varchar)::numrange
SELECT ('abc'::varchar)::daterange
SELECT ('abc'::varchar)::tsrange
SELECT ('abc'::varchar)::tstzrange
SELECT ('ab'::char(4))::bool
SELECT ('ab'::char(4))::int2
SELECT ('ab'::char(4))::int4
SELECT ('ab'::char(4))::int8
SELECT ('ab'::char(4))::float4
SELECT ('ab'::char(4))::float8
SELECT ('ab'::char(4))::numeric
SELECT ('ab'::char(4))::text
SELECT ('xyz'::char(3))::text
SELECT (''::char(2))::text
SELECT ('a '::char(3))::text
SELECT ('ab'::char(4))::varchar
SELECT ('xyz'::char(3))::varchar
SELECT (''::char(2))::varchar
SELECT ('a '::char(3))::varchar
SELECT ('ab'::char(4))::"char"
SELECT ('xyz'::char(3))::"char"
SELECT (''::char(2))::"char"
SELECT ('a '::char(3))::"char"
SELECT ('ab'::char(4))::name
SELECT ('xyz'::char(3))::name
SELECT (''::char(2))::name
SELECT ('a '::char(3))::name
SELECT ('ab'::char(4))::bytea
SELECT ('ab'::char(4))::date
SELECT ('ab'::char(4))::time
SELECT ('ab'::char(4))::timetz
SELECT ('ab'::char(4))::timestamp
SELECT ('ab'::char(4))::timestamptz
SELECT ('ab'::char(4))::interval
SELECT ('ab'::char(4))::uuid
SELECT ('ab'::char(4))::jsonb
SELECT ('ab'::char(4))::json
SELECT ('ab'::char(4))::oid
SELECT ('ab'::char(4))::int4[]
SELECT ('ab'::char(4))::text[]
SELECT ('ab'::char(4))::float8[]
SELECT ('ab'::char(4))::int8[]
SELECT ('ab'::char(4))::bool[]
SELECT ('ab'::char(4))::numeric[]
SELECT ('ab'::char(4))::date[]
SELECT ('ab'::char(4))::int4range
SELECT ('ab'::char(4))::int8range
SELECT ('ab'::char(4))::numrange
SELECT ('ab'::char(4))::daterange
SELECT ('ab'::char(4))::tsrange
SELECT ('ab'::char(4))::tstzrange
SELECT ('x'::"char")::bool
SELECT ('x'::"char")::int2
SELECT ('x'::"char")::int4
SELECT ('y'::"char")::int4
SELECT (''::"char")::int4
SELECT ('x'::"char")::int8
SELECT ('x'::"char")::float4
SELECT ('x'::"char")::float8
SELECT ('x'::"char")::numeric
SELECT ('x'::"char")::text
SELECT ('y'::"char")::text
SELECT (''::"char")::text
SELECT ('x'::"char")::varchar
SELECT ('y'::"char")::varchar
SELECT (''::"char")::varchar
SELECT ('x'::"char")::char(3)
SELECT ('y'::"char")::char(3)
SELECT (''::"char")::char(3)
SELECT ('x'::"char")::name
SELECT ('x'::"char")::bytea
SELECT ('x'::"char")::date
SELECT ('x'::"char")::time
SELECT ('x'::"char")::timetz
SELECT ('x'::"char")::timestamp
SELECT ('x'::"char")::timestamptz
SELECT ('x'::"char")::interval
SELECT ('x'::"char")::uuid
SELECT ('x'::"char")::jsonb
SELECT ('x'::"char")::json
SELECT ('x'::"char")::oid
SELECT ('x'::"char")::int4[]
SELECT ('x'::"char")::text[]
SELECT ('x'::"char")::float8[]
SELECT ('x'::"char")::int8[]
SELECT ('x'::"char")::bool[]
SELECT ('x'::"char")::numeric[]
SELECT ('x'::"char")::date[]
SELECT ('x'::"char")::int4range
SELECT ('x'::"char")::int8range
SELECT ('x'::"char")::numrange
SELECT ('x'::"char")::daterange
SELECT ('x'::"char")::tsrange
SELECT ('x'::"char")::tstzrange
SELECT ('abc'::name)::bool
SELECT ('abc'::name)::int2
SELECT ('abc'::name)::int4
SELECT ('abc'::name)::int8
SELECT ('abc'::name)::float4
SELECT ('abc'::name)::float8
SELECT ('abc'::name)::numeric
SELECT ('abc'::name)::text
SELECT ('some_name'::name)::text
SELECT (''::name)::text
SELECT ('abc'::name)::varchar
SELECT ('some_name'::name)::varchar
SELECT (''::name)::varchar
SELECT ('abc'::name)::char(3)
SELECT ('some_name'::name)::char(3)
SELECT (''::name)::char(3)
SELECT ('abc'::name)::"char"
SELECT ('abc'::name)::bytea
SELECT ('abc'::name)::date
SELECT ('abc'::name)::time
SELECT ('abc'::name)::timetz
SELECT ('abc'::name)::timestamp
SELECT ('abc'::name)::timestamptz
SELECT ('abc'::name)::interval
SELECT ('abc'::name)::uuid
SELECT ('abc'::name)::jsonb
SELECT ('abc'::name)::json
SELECT ('abc'::name)::oid
SELECT ('abc'::name)::int4[]
SELECT ('abc'::name)::text[]
SELECT ('abc'::name)::float8[]
SELECT ('abc'::name)::int8[]
SELECT ('abc'::name)::bool[]
SELECT ('abc'::name)::numeric[]
SELECT ('abc'::name)::date[]
SELECT ('abc'::name)::int4range
SELECT ('abc'::name)::int8range
SELECT ('abc'::name)::numrange
SELECT ('abc'::name)::daterange
SELECT ('abc'::name)::tsrange
SELECT ('abc'::name)::tstzrange
SELECT ('\x6162'::bytea)::bool
SELECT ('\x6162'::bytea)::int2
SELECT ('\x00ff10'::bytea)::int2
SELECT ('\x62'::bytea)::int2
SELECT (''::bytea)::int2
SELECT ('\xffffffffffffffff'::bytea)::int2
SELECT ('\x6162'::bytea)::int4
SELECT ('\x00ff10'::bytea)::int4
SELECT ('\x62'::bytea)::int4
SELECT (''::bytea)::int4
SELECT ('\xffffffffffffffff'::bytea)::int4
SELECT ('\x6162'::bytea)::int8
SELECT ('\x00ff10'::bytea)::int8
SELECT ('\x62'::bytea)::int8
SELECT (''::bytea)::int8
SELECT ('\xffffffffffffffff'::bytea)::int8
SELECT ('\x6162'::bytea)::float4
SELECT ('\x6162'::bytea)::float8
SELECT ('\x6162'::bytea)::numeric
SELECT ('\x6162'::bytea)::text
SELECT ('\x6162'::bytea)::varchar
SELECT ('\x6162'::bytea)::char(3)
SELECT ('\x6162'::bytea)::"char"
SELECT ('\x6162'::bytea)::name
SELECT ('\x6162'::bytea)::date
SELECT ('\x6162'::bytea)::time
SELECT ('\x6162'::bytea)::timetz
SELECT ('\x6162'::bytea)::timestamp
SELECT ('\x6162'::bytea)::timestamptz
SELECT ('\x6162'::bytea)::interval
SELECT ('\x6162'::bytea)::uuid
SELECT ('\x6162'::bytea)::jsonb
SELECT ('\x6162'::bytea)::json
SELECT ('\x6162'::bytea)::oid
SELECT ('\x6162'::bytea)::int4[]
SELECT ('\x6162'::bytea)::text[]
SELECT ('\x6162'::bytea)::float8[]
SELECT ('\x6162'::bytea)::int8[]
SELECT ('\x6162'::bytea)::bool[]
SELECT ('\x6162'::bytea)::numeric[]
SELECT ('\x6162'::bytea)::date[]
SELECT ('\x6162'::bytea)::int4range
SELECT ('\x6162'::bytea)::int8range
SELECT ('\x6162'::bytea)::numrange
SELECT ('\x6162'::bytea)::daterange
SELECT ('\x6162'::bytea)::tsrange
SELECT ('\x6162'::bytea)::tstzrange
SELECT ('2024-02-29'::date)::bool
SELECT ('2024-02-29'::date)::int2
SELECT ('2024-02-29'::date)::int4
SELECT ('2024-02-29'::date)::int8
SELECT ('2024-02-29'::date)::float4
SELECT ('2024-02-29'::date)::float8
SELECT ('2024-02-29'::date)::numeric
SELECT ('2024-02-29'::date)::text
SELECT ('2024-02-29'::date)::varchar
SELECT ('2024-02-29'::date)::char(3)
SELECT ('2024-02-29'::date)::"char"
SELECT ('2024-02-29'::date)::name
SELECT ('2024-02-29'::date)::bytea
SELECT ('2024-02-29'::date)::time
SELECT ('2024-02-29'::date)::timetz
SELECT ('2024-02-29'::date)::timestamp
SELECT ('1999-12-31'::date)::timestamp
SELECT ('infinity'::date)::timestamp
SELECT ('0001-01-01 BC'::date)::timestamp
SELECT ('9999-12-31'::date)::timestamp
SELECT ('2024-02-29'::date)::timestamptz
SELECT ('1999-12-31'::date)::timestamptz
SELECT ('infinity'::date)::timestamptz
SELECT ('0001-01-01 BC'::date)::timestamptz
SELECT ('9999-12-31'::date)::timestamptz
SELECT ('2024-02-29'::date)::interval
SELECT ('2024-02-29'::date)::uuid
SELECT ('2024-02-29'::date)::jsonb
SELECT ('2024-02-29'::date)::json
SELECT ('2024-02-29'::date)::oid
SELECT ('2024-02-29'::date)::int4[]
SELECT ('2024-02-29'::date)::text[]
SELECT ('2024-02-29'::date)::float8[]
SELECT ('2024-02-29'::date)::int8[]
SELECT ('2024-02-29'::date)::bool[]
SELECT ('2024-02-29'::date)::numeric[]
SELECT ('2024-02-29'::date)::date[]
SELECT ('2024-02-29'::date)::int4range
SELECT ('2024-02-29'::date)::int8range
SELECT ('2024-02-29'::date)::numrange
SELECT ('2024-02-29'::date)::daterange
SELECT ('2024-02-29'::date)::tsrange
SELECT ('2024-02-29'::date)::tstzrange
SELECT ('12:34:56.789'::time)::bool
SELECT ('12:34:56.789'::time)::int2
SELECT ('12:34:56.789'::time)::int4
SELECT ('12:34:56.789'::time)::int8
SELECT ('12:34:56.789'::time)::float4
SELECT ('12:34:56.789'::time)::float8
SELECT ('12:34:56.789'::time)::numeric
SELECT ('12:34:56.789'::time)::text
SELECT ('12:34:56.789'::time)::varchar
SELECT ('12:34:56.789'::time)::char(3)
SELECT ('12:34:56.789'::time)::"char"
SELECT ('12:34:56.789'::time)::name
SELECT ('12:34:56.789'::time)::bytea
SELECT ('12:34:56.789'::time)::date
SELECT ('12:34:56.789'::time)::timetz
SELECT ('03:00:00'::time)::timetz
SELECT ('24:00:00'::time)::timetz
SELECT ('00:00:00'::time)::timetz
SELECT ('12:34:56.789'::time)::timestamp
SELECT ('12:34:56.789'::time)::timestamptz
SELECT ('12:34:56.789'::time)::interval
SELECT ('03:00:00'::time)::interval
SELECT ('24:00:00'::time)::interval
SELECT ('00:00:00'::time)::interval
SELECT ('12:34:56.789'::time)::uuid
SELECT ('12:34:56.789'::time)::jsonb
SELECT ('12:34:56.789'::time)::json
SELECT ('12:34:56.789'::time)::oid
SELECT ('12:34:56.789'::time)::int4[]
SELECT ('12:34:56.789'::time)::text[]
SELECT ('12:34:56.789'::time)::float8[]
SELECT ('12:34:56.789'::time)::int8[]
SELECT ('12:34:56.789'::time)::bool[]
SELECT ('12:34:56.789'::time)::numeric[]
SELECT ('12:34:56.789'::time)::date[]
SELECT ('12:34:56.789'::time)::int4range
SELECT ('12:34:56.789'::time)::int8range
SELECT ('12:34:56.789'::time)::numrange
SELECT ('12:34:56.789'::time)::daterange
SELECT ('12:34:56.789'::time)::tsrange
SELECT ('12:34:56.789'::time)::tstzrange
SELECT ('12:34:56+02'::timetz)::bool
SELECT ('12:34:56+02'::timetz)::int2
SELECT ('12:34:56+02'::timetz)::int4
SELECT ('12:34:56+02'::timetz)::int8
SELECT ('12:34:56+02'::timetz)::float4
SELECT ('12:34:56+02'::timetz)::float8
SELECT ('12:34:56+02'::timetz)::numeric
SELECT ('12:34:56+02'::timetz)::text
SELECT ('12:34:56+02'::timetz)::varchar
SELECT ('12:34:56+02'::timetz)::char(3)
SELECT ('12:34:56+02'::timetz)::"char"
SELECT ('12:34:56+02'::timetz)::name
SELECT ('12:34:56+02'::timetz)::bytea
SELECT ('12:34:56+02'::timetz)::date
SELECT ('12:34:56+02'::timetz)::time
SELECT ('03:00:00+00'::timetz)::time
SELECT ('24:00:00-12'::timetz)::time
SELECT ('12:34:56+02'::timetz)::timestamp
SELECT ('12:34:56+02'::timetz)::timestamptz
SELECT ('12:34:56+02'::timetz)::interval
SELECT ('12:34:56+02'::timetz)::uuid
SELECT ('12:34:56+02'::timetz)::jsonb
SELECT ('12:34:56+02'::timetz)::json
SELECT ('12:34:56+02'::timetz)::oid
SELECT ('12:34:56+02'::timetz)::int4[]
SELECT ('12:34:56+02'::timetz)::text[]
SELECT ('12:34:56+02'::timetz)::float8[]
SELECT ('12:34:56+02'::timetz)::int8[]
SELECT ('12:34:56+02'::timetz)::bool[]
SELECT ('12:34:56+02'::timetz)::numeric[]
SELECT ('12:34:56+02'::timetz)::date[]
SELECT ('12:34:56+02'::timetz)::int4range
SELECT ('12:34:56+02'::timetz)::int8range
SELECT ('12:34:56+02'::timetz)::numrange
SELECT ('12:34:56+02'::timetz)::daterange
SELECT ('12:34:56+02'::timetz)::tsrange
SELECT ('12:34:56+02'::timetz)::tstzrange
SELECT ('2024-02-29 12:34:56.789'::timestamp)::bool
SELECT ('2024-02-29 12:34:56.789'::timestamp)::int2
SELECT ('2024-02-29 12:34:56.789'::timestamp)::int4
SELECT ('2024-02-29 12:34:56.789'::timestamp)::int8
SELECT ('2024-02-29 12:34:56.789'::timestamp)::float4
SELECT ('2024-02-29 12:34:56.789'::timestamp)::float8
SELECT ('2024-02-29 12:34:56.789'::timestamp)::numeric
SELECT ('2024-02-29 12:34:56.789'::timestamp)::text
SELECT ('2024-02-29 12:34:56.789'::timestamp)::varchar
SELECT ('2024-02-29 12:34:56.789'::timestamp)::char(3)
SELECT ('2024-02-29 12:34:56.789'::timestamp)::"char"
SELECT ('2024-02-29 12:34:56.789'::timestamp)::name
SELECT ('2024-02-29 12:34:56.789'::timestamp)::bytea
SELECT ('2024-02-29 12:34:56.789'::timestamp)::date
SELECT ('1999-12-31 23:59:59'::timestamp)::date
SELECT ('-infinity'::timestamp)::date
SELECT ('0044-03-15 BC'::timestamp)::date
SELECT ('9999-12-31 23:59:59.999999'::timestamp)::date
SELECT ('2024-02-29 12:34:56.789'::timestamp)::time
SELECT ('1999-12-31 23:59:59'::timestamp)::time
SELECT ('-infinity'::timestamp)::time
SELECT ('0044-03-15 BC'::timestamp)::time
SELECT ('9999-12-31 23:59:59.999999'::timestamp)::time
SELECT ('2024-02-29 12:34:56.789'::timestamp)::timetz
SELECT ('2024-02-29 12:34:56.789'::timestamp)::timestamptz
SELECT ('1999-12-31 23:59:59'::timestamp)::timestamptz
SELECT ('-infinity'::timestamp)::timestamptz
SELECT ('0044-03-15 BC'::timestamp)::timestamptz
SELECT ('9999-12-31 23:59:59.999999'::timestamp)::timestamptz
SELECT ('2024-02-29 12:34:56.789'::timestamp)::interval
SELECT ('2024-02-29 12:34:56.789'::timestamp)::uuid
SELECT ('2024-02-29 12:34:56.789'::timestamp)::jsonb
SELECT ('2024-02-29 12:34:56.789'::timestamp)::json
SELECT ('2024-02-29 12:34:56.789'::timestamp)::oid
SELECT ('2024-02-29 12:34:56.789'::timestamp)::int4[]
SELECT ('2024-02-29 12:34:56.789'::timestamp)::text[]
SELECT ('2024-02-29 12:34:56.789'::timestamp)::float8[]
SELECT ('2024-02-29 12:34:56.789'::timestamp)::int8[]
SELECT ('2024-02-29 12:34:56.789'::timestamp)::bool[]
SELECT ('2024-02-29 12:34:56.789'::timestamp)::numeric[]
SELECT ('2024-02-29 12:34:56.789'::timestamp)::date[]
SELECT ('2024-02-29 12:34:56.789'::timestamp)::int4range
SELECT ('2024-02-29 12:34:56.789'::timestamp)::int8range
SELECT ('2024-02-29 12:34:56.789'::timestamp)::numrange
SELECT ('2024-02-29 12:34:56.789'::timestamp)::daterange
SELECT ('2024-02-29 12:34:56.789'::timestamp)::tsrange
SELECT ('2024-02-29 12:34:56.789'::timestamp)::tstzrange
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::bool
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::int2
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::int4
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::int8
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::float4
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::float8
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::numeric
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::text
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::varchar
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::char(3)
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::"char"
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::name
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::bytea
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::date
SELECT ('1999-12-31 23:59:59Z'::timestamptz)::date
SELECT ('infinity'::timestamptz)::date
SELECT ('0044-03-15 BC'::timestamptz)::date
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::time
SELECT ('1999-12-31 23:59:59Z'::timestamptz)::time
SELECT ('infinity'::timestamptz)::time
SELECT ('0044-03-15 BC'::timestamptz)::time
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::timetz
SELECT ('1999-12-31 23:59:59Z'::timestamptz)::timetz
SELECT ('infinity'::timestamptz)::timetz
SELECT ('0044-03-15 BC'::timestamptz)::timetz
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::timestamp
SELECT ('1999-12-31 23:59:59Z'::timestamptz)::timestamp
SELECT ('infinity'::timestamptz)::timestamp
SELECT ('0044-03-15 BC'::timestamptz)::timestamp
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::interval
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::uuid
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::jsonb
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::json
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::oid
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::int4[]
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::text[]
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::float8[]
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::int8[]
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::bool[]
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::numeric[]
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::date[]
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::int4range
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::int8range
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::numrange
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::daterange
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::tsrange
SELECT ('2024-02-29 12:34:56.789+02'::timestamptz)::tstzrange
SELECT ('1 mon 2 days 03:04:05.5'::interval)::bool
SELECT ('1 mon 2 days 03:04:05.5'::interval)::int2
SELECT ('1 mon 2 days 03:04:05.5'::interval)::int4
SELECT ('1 mon 2 days 03:04:05.5'::interval)::int8
SELECT ('1 mon 2 days 03:04:05.5'::interval)::float4
SELECT ('1 mon 2 days 03:04:05.5'::interval)::float8
SELECT ('1 mon 2 days 03:04:05.5'::interval)::numeric
SELECT ('1 mon 2 days 03:04:05.5'::interval)::text
SELECT ('1 mon 2 days 03:04:05.5'::interval)::varchar
SELECT ('1 mon 2 days 03:04:05.5'::interval)::char(3)
SELECT ('1 mon 2 days 03:04:05.5'::interval)::"char"
SELECT ('1 mon 2 days 03:04:05.5'::interval)::name
SELECT ('1 mon 2 days 03:04:05.5'::interval)::bytea
SELECT ('1 mon 2 days 03:04:05.5'::interval)::date
SELECT ('1 mon 2 days 03:04:05.5'::interval)::time
SELECT ('-1 day'::interval)::time
SELECT ('36:00:00'::interval)::time
SELECT ('infinity'::interval)::time
SELECT ('-178000000 years'::interval)::time
SELECT ('00:00:00'::interval)::time
SELECT ('1 mon 2 days 03:04:05.5'::interval)::timetz
SELECT ('1 mon 2 days 03:04:05.5'::interval)::timestamp
SELECT ('1 mon 2 days 03:04:05.5'::interval)::timestamptz
SELECT ('1 mon 2 days 03:04:05.5'::interval)::uuid
SELECT ('1 mon 2 days 03:04:05.5'::interval)::jsonb
SELECT ('1 mon 2 days 03:04:05.5'::interval)::json
SELECT ('1 mon 2 days 03:04:05.5'::interval)::oid
SELECT ('1 mon 2 days 03:04:05.5'::interval)::int4[]
SELECT ('1 mon 2 days 03:04:05.5'::interval)::text[]
SELECT ('1 mon 2 days 03:04:05.5'::interval)::float8[]
SELECT ('1 mon 2 days 03:04:05.5'::interval)::int8[]
SELECT ('1 mon 2 days 03:04:05.5'::interval)::bool[]
SELECT ('1 mon 2 days 03:04:05.5'::interval)::numeric[]
SELECT ('1 mon 2 days 03:04:05.5'::interval)::date[]
SELECT ('1 mon 2 days 03:04:05.5'::interval)::int4range
SELECT ('1 mon 2 days 03:04:05.5'::interval)::int8range
SELECT ('1 mon 2 days 03:04:05.5'::interval)::numrange
SELECT ('1 mon 2 days 03:04:05.5'::interval)::daterange
SELECT ('1 mon 2 days 03:04:05.5'::interval)::tsrange
SELECT ('1 mon 2 days 03:04:05.5'::interval)::tstzrange
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::bool
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::int2
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::int4
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::int8
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::float4
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::float8
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::numeric
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::text
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::varchar
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::char(3)
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::"char"
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::name
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::bytea
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::date
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::time
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::timetz
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::timestamp
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::timestamptz
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::interval
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::jsonb
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::json
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::oid
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::int4[]
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::text[]
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::float8[]
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::int8[]
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::bool[]
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::numeric[]
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::date[]
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::int4range
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::int8range
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::numrange
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::daterange
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::tsrange
SELECT ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid)::tstzrange
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::bool
SELECT ('[1, "x", null]'::jsonb)::bool
SELECT ('"a"'::jsonb)::bool
SELECT ('null'::jsonb)::bool
SELECT ('1.50'::jsonb)::bool
SELECT ('{}'::jsonb)::bool
SELECT ('true'::jsonb)::bool
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::int2
SELECT ('[1, "x", null]'::jsonb)::int2
SELECT ('"a"'::jsonb)::int2
SELECT ('null'::jsonb)::int2
SELECT ('1.50'::jsonb)::int2
SELECT ('{}'::jsonb)::int2
SELECT ('true'::jsonb)::int2
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::int4
SELECT ('[1, "x", null]'::jsonb)::int4
SELECT ('"a"'::jsonb)::int4
SELECT ('null'::jsonb)::int4
SELECT ('1.50'::jsonb)::int4
SELECT ('{}'::jsonb)::int4
SELECT ('true'::jsonb)::int4
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::int8
SELECT ('[1, "x", null]'::jsonb)::int8
SELECT ('"a"'::jsonb)::int8
SELECT ('null'::jsonb)::int8
SELECT ('1.50'::jsonb)::int8
SELECT ('{}'::jsonb)::int8
SELECT ('true'::jsonb)::int8
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::float4
SELECT ('[1, "x", null]'::jsonb)::float4
SELECT ('"a"'::jsonb)::float4
SELECT ('null'::jsonb)::float4
SELECT ('1.50'::jsonb)::float4
SELECT ('{}'::jsonb)::float4
SELECT ('true'::jsonb)::float4
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::float8
SELECT ('[1, "x", null]'::jsonb)::float8
SELECT ('"a"'::jsonb)::float8
SELECT ('null'::jsonb)::float8
SELECT ('1.50'::jsonb)::float8
SELECT ('{}'::jsonb)::float8
SELECT ('true'::jsonb)::float8
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::numeric
SELECT ('[1, "x", null]'::jsonb)::numeric
SELECT ('"a"'::jsonb)::numeric
SELECT ('null'::jsonb)::numeric
SELECT ('1.50'::jsonb)::numeric
SELECT ('{}'::jsonb)::numeric
SELECT ('true'::jsonb)::numeric
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::text
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::varchar
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::char(3)
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::"char"
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::name
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::bytea
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::date
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::time
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::timetz
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::timestamp
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::timestamptz
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::interval
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::uuid
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::json
SELECT ('[1, "x", null]'::jsonb)::json
SELECT ('"a"'::jsonb)::json
SELECT ('null'::jsonb)::json
SELECT ('1.50'::jsonb)::json
SELECT ('{}'::jsonb)::json
SELECT ('true'::jsonb)::json
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::oid
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::int4[]
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::text[]
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::float8[]
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::int8[]
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::bool[]
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::numeric[]
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::date[]
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::int4range
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::int8range
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::numrange
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::daterange
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::tsrange
SELECT ('{"a": 1, "b": [1, 2]}'::jsonb)::tstzrange
SELECT ('{"a": 1}'::json)::bool
SELECT ('{"a": 1}'::json)::int2
SELECT ('{"a": 1}'::json)::int4
SELECT ('{"a": 1}'::json)::int8
SELECT ('{"a": 1}'::json)::float4
SELECT ('{"a": 1}'::json)::float8
SELECT ('{"a": 1}'::json)::numeric
SELECT ('{"a": 1}'::json)::text
SELECT ('{"a": 1}'::json)::varchar
SELECT ('{"a": 1}'::json)::char(3)
SELECT ('{"a": 1}'::json)::"char"
SELECT ('{"a": 1}'::json)::name
SELECT ('{"a": 1}'::json)::bytea
SELECT ('{"a": 1}'::json)::date
SELECT ('{"a": 1}'::json)::time
SELECT ('{"a": 1}'::json)::timetz
SELECT ('{"a": 1}'::json)::timestamp
SELECT ('{"a": 1}'::json)::timestamptz
SELECT ('{"a": 1}'::json)::interval
SELECT ('{"a": 1}'::json)::uuid
SELECT ('{"a": 1}'::json)::jsonb
SELECT ('[1, 2]'::json)::jsonb
SELECT ('null'::json)::jsonb
SELECT ('{"a": 1}'::json)::oid
SELECT ('{"a": 1}'::json)::int4[]
SELECT ('{"a": 1}'::json)::text[]
SELECT ('{"a": 1}'::json)::float8[]
SELECT ('{"a": 1}'::json)::int8[]
SELECT ('{"a": 1}'::json)::bool[]
SELECT ('{"a": 1}'::json)::numeric[]
SELECT ('{"a": 1}'::json)::date[]
SELECT ('{"a": 1}'::json)::int4range
SELECT ('{"a": 1}'::json)::int8range
SELECT ('{"a": 1}'::json)::numrange
SELECT ('{"a": 1}'::json)::daterange
SELECT ('{"a": 1}'::json)::tsrange
SELECT ('{"a": 1}'::json)::tstzrange
SELECT (5::oid)::bool
SELECT (5::oid)::int2
SELECT (5::oid)::int4
SELECT (3000000000::oid)::int4
SELECT (0::oid)::int4
SELECT (5::oid)::int8
SELECT (3000000000::oid)::int8
SELECT (0::oid)::int8
SELECT (5::oid)::float4
SELECT (5::oid)::float8
SELECT (5::oid)::numeric
SELECT (5::oid)::text
SELECT (5::oid)::varchar
SELECT (5::oid)::char(3)
SELECT (5::oid)::"char"
SELECT (5::oid)::name
SELECT (5::oid)::bytea
SELECT (5::oid)::date
SELECT (5::oid)::time
SELECT (5::oid)::timetz
SELECT (5::oid)::timestamp
SELECT (5::oid)::timestamptz
SELECT (5::oid)::interval
SELECT (5::oid)::uuid
SELECT (5::oid)::jsonb
SELECT (5::oid)::json
SELECT (5::oid)::int4[]
SELECT (5::oid)::text[]
SELECT (5::oid)::float8[]
SELECT (5::oid)::int8[]
SELECT (5::oid)::bool[]
SELECT (5::oid)::numeric[]
SELECT (5::oid)::date[]
SELECT (5::oid)::int4range
SELECT (5::oid)::int8range
SELECT (5::oid)::numrange
SELECT (5::oid)::daterange
SELECT (5::oid)::tsrange
SELECT (5::oid)::tstzrange
SELECT (array[1, 2, 3])::bool
SELECT (array[1, 2, 3])::int2
SELECT (array[1, 2, 3])::int4
SELECT (array[1, 2, 3])::int8
SELECT (array[1, 2, 3])::float4
SELECT (array[1, 2, 3])::float8
SELECT (array[1, 2, 3])::numeric
SELECT (array[1, 2, 3])::text
SELECT (array[1, 2, 3])::varchar
SELECT (array[1, 2, 3])::char(3)
SELECT (array[1, 2, 3])::"char"
SELECT (array[1, 2, 3])::name
SELECT (array[1, 2, 3])::bytea
SELECT (array[1, 2, 3])::date
SELECT (array[1, 2, 3])::time
SELECT (array[1, 2, 3])::timetz
SELECT (array[1, 2, 3])::timestamp
SELECT (array[1, 2, 3])::timestamptz
SELECT (array[1, 2, 3])::interval
SELECT (array[1, 2, 3])::uuid
SELECT (array[1, 2, 3])::jsonb
SELECT (array[1, 2, 3])::json
SELECT (array[1, 2, 3])::oid
SELECT (array[1, 2, 3])::text[]
SELECT (array[1, 2, 3])::float8[]
SELECT (array[1, 2, 3])::int8[]
SELECT (array[1, 2, 3])::bool[]
SELECT (array[1, 2, 3])::numeric[]
SELECT (array[1, 2, 3])::date[]
SELECT (array[1, 2, 3])::int4range
SELECT (array[1, 2, 3])::int8range
SELECT (array[1, 2, 3])::numrange
SELECT (array[1, 2, 3])::daterange
SELECT (array[1, 2, 3])::tsrange
SELECT (array[1, 2, 3])::tstzrange
SELECT (array['a', 'b'])::bool
SELECT (array['a', 'b'])::int2
SELECT (array['a', 'b'])::int4
SELECT (array['a', 'b'])::int8
SELECT (array['a', 'b'])::float4
SELECT (array['a', 'b'])::float8
SELECT (array['a', 'b'])::numeric
SELECT (array['a', 'b'])::text
SELECT (array['a', 'b'])::varchar
SELECT (array['a', 'b'])::char(3)
SELECT (array['a', 'b'])::"char"
SELECT (array['a', 'b'])::name
SELECT (array['a', 'b'])::bytea
SELECT (array['a', 'b'])::date
SELECT (array['a', 'b'])::time
SELECT (array['a', 'b'])::timetz
SELECT (array['a', 'b'])::timestamp
SELECT (array['a', 'b'])::timestamptz
SELECT (array['a', 'b'])::interval
SELECT (array['a', 'b'])::uuid
SELECT (array['a', 'b'])::jsonb
SELECT (array['a', 'b'])::json
SELECT (array['a', 'b'])::oid
SELECT (array['a', 'b'])::int4[]
SELECT (array['a', 'b'])::float8[]
SELECT (array['a', 'b'])::int8[]
SELECT (array['a', 'b'])::bool[]
SELECT (array['a', 'b'])::numeric[]
SELECT (array['a', 'b'])::date[]
SELECT (array['a', 'b'])::int4range
SELECT (array['a', 'b'])::int8range
SELECT (array['a', 'b'])::numrange
SELECT (array['a', 'b'])::daterange
SELECT (array['a', 'b'])::tsrange
SELECT (array['a', 'b'])::tstzrange
SELECT ('{1.5,-2}'::float8[])::bool
SELECT ('{1.5,-2}'::float8[])::int2
SELECT ('{1.5,-2}'::float8[])::int4
SELECT ('{1.5,-2}'::float8[])::int8
SELECT ('{1.5,-2}'::float8[])::float4
SELECT ('{1.5,-2}'::float8[])::float8
SELECT ('{1.5,-2}'::float8[])::numeric
SELECT ('{1.5,-2}'::float8[])::text
SELECT ('{1.5,-2}'::float8[])::varchar
SELECT ('{1.5,-2}'::float8[])::char(3)
SELECT ('{1.5,-2}'::float8[])::"char"
SELECT ('{1.5,-2}'::float8[])::name
SELECT ('{1.5,-2}'::float8[])::bytea
SELECT ('{1.5,-2}'::float8[])::date
SELECT ('{1.5,-2}'::float8[])::time
SELECT ('{1.5,-2}'::float8[])::timetz
SELECT ('{1.5,-2}'::float8[])::timestamp
SELECT ('{1.5,-2}'::float8[])::timestamptz
SELECT ('{1.5,-2}'::float8[])::interval
SELECT ('{1.5,-2}'::float8[])::uuid
SELECT ('{1.5,-2}'::float8[])::jsonb
SELECT ('{1.5,-2}'::float8[])::json
SELECT ('{1.5,-2}'::float8[])::oid
SELECT ('{1.5,-2}'::float8[])::int4[]
SELECT ('{1.5,-2}'::float8[])::text[]
SELECT ('{1.5,-2}'::float8[])::int8[]
SELECT ('{1.5,-2}'::float8[])::bool[]
SELECT ('{1.5,-2}'::float8[])::numeric[]
SELECT ('{1.5,-2}'::float8[])::date[]
SELECT ('{1.5,-2}'::float8[])::int4range
SELECT ('{1.5,-2}'::float8[])::int8range
SELECT ('{1.5,-2}'::float8[])::numrange
SELECT ('{1.5,-2}'::float8[])::daterange
SELECT ('{1.5,-2}'::float8[])::tsrange
SELECT ('{1.5,-2}'::float8[])::tstzrange
SELECT ('{10,20}'::int8[])::bool
SELECT ('{10,20}'::int8[])::int2
SELECT ('{10,20}'::int8[])::int4
SELECT ('{10,20}'::int8[])::int8
SELECT ('{10,20}'::int8[])::float4
SELECT ('{10,20}'::int8[])::float8
SELECT ('{10,20}'::int8[])::numeric
SELECT ('{10,20}'::int8[])::text
SELECT ('{10,20}'::int8[])::varchar
SELECT ('{10,20}'::int8[])::char(3)
SELECT ('{10,20}'::int8[])::"char"
SELECT ('{10,20}'::int8[])::name
SELECT ('{10,20}'::int8[])::bytea
SELECT ('{10,20}'::int8[])::date
SELECT ('{10,20}'::int8[])::time
SELECT ('{10,20}'::int8[])::timetz
SELECT ('{10,20}'::int8[])::timestamp
SELECT ('{10,20}'::int8[])::timestamptz
SELECT ('{10,20}'::int8[])::interval
SELECT ('{10,20}'::int8[])::uuid
SELECT ('{10,20}'::int8[])::jsonb
SELECT ('{10,20}'::int8[])::json
SELECT ('{10,20}'::int8[])::oid
SELECT ('{10,20}'::int8[])::int4[]
SELECT ('{10,20}'::int8[])::text[]
SELECT ('{10,20}'::int8[])::float8[]
SELECT ('{10,20}'::int8[])::bool[]
SELECT ('{10,20}'::int8[])::numeric[]
SELECT ('{10,20}'::int8[])::date[]
SELECT ('{10,20}'::int8[])::int4range
SELECT ('{10,20}'::int8[])::int8range
SELECT ('{10,20}'::int8[])::numrange
SELECT ('{10,20}'::int8[])::daterange
SELECT ('{10,20}'::int8[])::tsrange
SELECT ('{10,20}'::int8[])::tstzrange
SELECT ('{t,f}'::bool[])::bool
SELECT ('{t,f}'::bool[])::int2
SELECT ('{t,f}'::bool[])::int4
SELECT ('{t,f}'::bool[])::int8
SELECT ('{t,f}'::bool[])::float4
SELECT ('{t,f}'::bool[])::float8
SELECT ('{t,f}'::bool[])::numeric
SELECT ('{t,f}'::bool[])::text
SELECT ('{t,f}'::bool[])::varchar
SELECT ('{t,f}'::bool[])::char(3)
SELECT ('{t,f}'::bool[])::"char"
SELECT ('{t,f}'::bool[])::name
SELECT ('{t,f}'::bool[])::bytea
SELECT ('{t,f}'::bool[])::date
SELECT ('{t,f}'::bool[])::time
SELECT ('{t,f}'::bool[])::timetz
SELECT ('{t,f}'::bool[])::timestamp
SELECT ('{t,f}'::bool[])::timestamptz
SELECT ('{t,f}'::bool[])::interval
SELECT ('{t,f}'::bool[])::uuid
SELECT ('{t,f}'::bool[])::jsonb
SELECT ('{t,f}'::bool[])::json
SELECT ('{t,f}'::bool[])::oid
SELECT ('{t,f}'::bool[])::int4[]
SELECT ('{t,f}'::bool[])::text[]
SELECT ('{t,f}'::bool[])::float8[]
SELECT ('{t,f}'::bool[])::int8[]
SELECT ('{t,f}'::bool[])::numeric[]
SELECT ('{t,f}'::bool[])::date[]
SELECT ('{t,f}'::bool[])::int4range
SELECT ('{t,f}'::bool[])::int8range
SELECT ('{t,f}'::bool[])::numrange
SELECT ('{t,f}'::bool[])::daterange
SELECT ('{t,f}'::bool[])::tsrange
SELECT ('{t,f}'::bool[])::tstzrange
SELECT ('{1.5,-2}'::numeric[])::bool
SELECT ('{1.5,-2}'::numeric[])::int2
SELECT ('{1.5,-2}'::numeric[])::int4
SELECT ('{1.5,-2}'::numeric[])::int8
SELECT ('{1.5,-2}'::numeric[])::float4
SELECT ('{1.5,-2}'::numeric[])::float8
SELECT ('{1.5,-2}'::numeric[])::numeric
SELECT ('{1.5,-2}'::numeric[])::text
SELECT ('{1.5,-2}'::numeric[])::varchar
SELECT ('{1.5,-2}'::numeric[])::char(3)
SELECT ('{1.5,-2}'::numeric[])::"char"
SELECT ('{1.5,-2}'::numeric[])::name
SELECT ('{1.5,-2}'::numeric[])::bytea
SELECT ('{1.5,-2}'::numeric[])::date
SELECT ('{1.5,-2}'::numeric[])::time
SELECT ('{1.5,-2}'::numeric[])::timetz
SELECT ('{1.5,-2}'::numeric[])::timestamp
SELECT ('{1.5,-2}'::numeric[])::timestamptz
SELECT ('{1.5,-2}'::numeric[])::interval
SELECT ('{1.5,-2}'::numeric[])::uuid
SELECT ('{1.5,-2}'::numeric[])::jsonb
SELECT ('{1.5,-2}'::numeric[])::json
SELECT ('{1.5,-2}'::numeric[])::oid
SELECT ('{1.5,-2}'::numeric[])::int4[]
SELECT ('{1.5,-2}'::numeric[])::text[]
SELECT ('{1.5,-2}'::numeric[])::float8[]
SELECT ('{1.5,-2}'::numeric[])::int8[]
SELECT ('{1.5,-2}'::numeric[])::bool[]
SELECT ('{1.5,-2}'::numeric[])::date[]
SELECT ('{1.5,-2}'::numeric[])::int4range
SELECT ('{1.5,-2}'::numeric[])::int8range
SELECT ('{1.5,-2}'::numeric[])::numrange
SELECT ('{1.5,-2}'::numeric[])::daterange
SELECT ('{1.5,-2}'::numeric[])::tsrange
SELECT ('{1.5,-2}'::numeric[])::tstzrange
SELECT ('{2024-02-29,NULL}'::date[])::bool
SELECT ('{2024-02-29,NULL}'::date[])::int2
SELECT ('{2024-02-29,NULL}'::date[])::int4
SELECT ('{2024-02-29,NULL}'::date[])::int8
SELECT ('{2024-02-29,NULL}'::date[])::float4
SELECT ('{2024-02-29,NULL}'::date[])::float8
SELECT ('{2024-02-29,NULL}'::date[])::numeric
SELECT ('{2024-02-29,NULL}'::date[])::text
SELECT ('{2024-02-29,NULL}'::date[])::varchar
SELECT ('{2024-02-29,NULL}'::date[])::char(3)
SELECT ('{2024-02-29,NULL}'::date[])::"char"
SELECT ('{2024-02-29,NULL}'::date[])::name
SELECT ('{2024-02-29,NULL}'::date[])::bytea
SELECT ('{2024-02-29,NULL}'::date[])::date
SELECT ('{2024-02-29,NULL}'::date[])::time
SELECT ('{2024-02-29,NULL}'::date[])::timetz
SELECT ('{2024-02-29,NULL}'::date[])::timestamp
SELECT ('{2024-02-29,NULL}'::date[])::timestamptz
SELECT ('{2024-02-29,NULL}'::date[])::interval
SELECT ('{2024-02-29,NULL}'::date[])::uuid
SELECT ('{2024-02-29,NULL}'::date[])::jsonb
SELECT ('{2024-02-29,NULL}'::date[])::json
SELECT ('{2024-02-29,NULL}'::date[])::oid
SELECT ('{2024-02-29,NULL}'::date[])::int4[]
SELECT ('{2024-02-29,NULL}'::date[])::text[]
SELECT ('{2024-02-29,NULL}'::date[])::float8[]
SELECT ('{2024-02-29,NULL}'::date[])::int8[]
SELECT ('{2024-02-29,NULL}'::date[])::bool[]
SELECT ('{2024-02-29,NULL}'::date[])::numeric[]
SELECT ('{2024-02-29,NULL}'::date[])::int4range
SELECT ('{2024-02-29,NULL}'::date[])::int8range
SELECT ('{2024-02-29,NULL}'::date[])::numrange
SELECT ('{2024-02-29,NULL}'::date[])::daterange
SELECT ('{2024-02-29,NULL}'::date[])::tsrange
SELECT ('{2024-02-29,NULL}'::date[])::tstzrange
SELECT ('[1,5)'::int4range)::bool
SELECT ('[1,5)'::int4range)::int2
SELECT ('[1,5)'::int4range)::int4
SELECT ('[1,5)'::int4range)::int8
SELECT ('[1,5)'::int4range)::float4
SELECT ('[1,5)'::int4range)::float8
SELECT ('[1,5)'::int4range)::numeric
SELECT ('[1,5)'::int4range)::text
SELECT ('[1,5)'::int4range)::varchar
SELECT ('[1,5)'::int4range)::char(3)
SELECT ('[1,5)'::int4range)::"char"
SELECT ('[1,5)'::int4range)::name
SELECT ('[1,5)'::int4range)::bytea
SELECT ('[1,5)'::int4range)::date
SELECT ('[1,5)'::int4range)::time
SELECT ('[1,5)'::int4range)::timetz
SELECT ('[1,5)'::int4range)::timestamp
SELECT ('[1,5)'::int4range)::timestamptz
SELECT ('[1,5)'::int4range)::interval
SELECT ('[1,5)'::int4range)::uuid
SELECT ('[1,5)'::int4range)::jsonb
SELECT ('[1,5)'::int4range)::json
SELECT ('[1,5)'::int4range)::oid
SELECT ('[1,5)'::int4range)::int4[]
SELECT ('[1,5)'::int4range)::text[]
SELECT ('[1,5)'::int4range)::float8[]
SELECT ('[1,5)'::int4range)::int8[]
SELECT ('[1,5)'::int4range)::bool[]
SELECT ('[1,5)'::int4range)::numeric[]
SELECT ('[1,5)'::int4range)::date[]
SELECT ('[1,5)'::int4range)::int8range
SELECT ('[1,5)'::int4range)::numrange
SELECT ('[1,5)'::int4range)::daterange
SELECT ('[1,5)'::int4range)::tsrange
SELECT ('[1,5)'::int4range)::tstzrange
SELECT ('[1,5000000000)'::int8range)::bool
SELECT ('[1,5000000000)'::int8range)::int2
SELECT ('[1,5000000000)'::int8range)::int4
SELECT ('[1,5000000000)'::int8range)::int8
SELECT ('[1,5000000000)'::int8range)::float4
SELECT ('[1,5000000000)'::int8range)::float8
SELECT ('[1,5000000000)'::int8range)::numeric
SELECT ('[1,5000000000)'::int8range)::text
SELECT ('[1,5000000000)'::int8range)::varchar
SELECT ('[1,5000000000)'::int8range)::char(3)
SELECT ('[1,5000000000)'::int8range)::"char"
SELECT ('[1,5000000000)'::int8range)::name
SELECT ('[1,5000000000)'::int8range)::bytea
SELECT ('[1,5000000000)'::int8range)::date
SELECT ('[1,5000000000)'::int8range)::time
SELECT ('[1,5000000000)'::int8range)::timetz
SELECT ('[1,5000000000)'::int8range)::timestamp
SELECT ('[1,5000000000)'::int8range)::timestamptz
SELECT ('[1,5000000000)'::int8range)::interval
SELECT ('[1,5000000000)'::int8range)::uuid
SELECT ('[1,5000000000)'::int8range)::jsonb
SELECT ('[1,5000000000)'::int8range)::json
SELECT ('[1,5000000000)'::int8range)::oid
SELECT ('[1,5000000000)'::int8range)::int4[]
SELECT ('[1,5000000000)'::int8range)::text[]
SELECT ('[1,5000000000)'::int8range)::float8[]
SELECT ('[1,5000000000)'::int8range)::int8[]
SELECT ('[1,5000000000)'::int8range)::bool[]
SELECT ('[1,5000000000)'::int8range)::numeric[]
SELECT ('[1,5000000000)'::int8range)::date[]
SELECT ('[1,5000000000)'::int8range)::int4range
SELECT ('[1,5000000000)'::int8range)::numrange
SELECT ('[1,5000000000)'::int8range)::daterange
SELECT ('[1,5000000000)'::int8range)::tsrange
SELECT ('[1,5000000000)'::int8range)::tstzrange
SELECT ('[1.5,5)'::numrange)::bool
SELECT ('[1.5,5)'::numrange)::int2
SELECT ('[1.5,5)'::numrange)::int4
SELECT ('[1.5,5)'::numrange)::int8
SELECT ('[1.5,5)'::numrange)::float4
SELECT ('[1.5,5)'::numrange)::float8
SELECT ('[1.5,5)'::numrange)::numeric
SELECT ('[1.5,5)'::numrange)::text
SELECT ('[1.5,5)'::numrange)::varchar
SELECT ('[1.5,5)'::numrange)::char(3)
SELECT ('[1.5,5)'::numrange)::"char"
SELECT ('[1.5,5)'::numrange)::name
SELECT ('[1.5,5)'::numrange)::bytea
SELECT ('[1.5,5)'::numrange)::date
SELECT ('[1.5,5)'::numrange)::time
SELECT ('[1.5,5)'::numrange)::timetz
SELECT ('[1.5,5)'::numrange)::timestamp
SELECT ('[1.5,5)'::numrange)::timestamptz
SELECT ('[1.5,5)'::numrange)::interval
SELECT ('[1.5,5)'::numrange)::uuid
SELECT ('[1.5,5)'::numrange)::jsonb
SELECT ('[1.5,5)'::numrange)::json
SELECT ('[1.5,5)'::numrange)::oid
SELECT ('[1.5,5)'::numrange)::int4[]
SELECT ('[1.5,5)'::numrange)::text[]
SELECT ('[1.5,5)'::numrange)::float8[]
SELECT ('[1.5,5)'::numrange)::int8[]
SELECT ('[1.5,5)'::numrange)::bool[]
SELECT ('[1.5,5)'::numrange)::numeric[]
SELECT ('[1.5,5)'::numrange)::date[]
SELECT ('[1.5,5)'::numrange)::int4range
SELECT ('[1.5,5)'::numrange)::int8range
SELECT ('[1.5,5)'::numrange)::daterange
SELECT ('[1.5,5)'::numrange)::tsrange
SELECT ('[1.5,5)'::numrange)::tstzrange
SELECT ('[2024-01-01,2024-02-29]'::daterange)::bool
SELECT ('[2024-01-01,2024-02-29]'::daterange)::int2
SELECT ('[2024-01-01,2024-02-29]'::daterange)::int4
SELECT ('[2024-01-01,2024-02-29]'::daterange)::int8
SELECT ('[2024-01-01,2024-02-29]'::daterange)::float4
SELECT ('[2024-01-01,2024-02-29]'::daterange)::float8
SELECT ('[2024-01-01,2024-02-29]'::daterange)::numeric
SELECT ('[2024-01-01,2024-02-29]'::daterange)::text
SELECT ('[2024-01-01,2024-02-29]'::daterange)::varchar
SELECT ('[2024-01-01,2024-02-29]'::daterange)::char(3)
SELECT ('[2024-01-01,2024-02-29]'::daterange)::"char"
SELECT ('[2024-01-01,2024-02-29]'::daterange)::name
SELECT ('[2024-01-01,2024-02-29]'::daterange)::bytea
SELECT ('[2024-01-01,2024-02-29]'::daterange)::date
SELECT ('[2024-01-01,2024-02-29]'::daterange)::time
SELECT ('[2024-01-01,2024-02-29]'::daterange)::timetz
SELECT ('[2024-01-01,2024-02-29]'::daterange)::timestamp
SELECT ('[2024-01-01,2024-02-29]'::daterange)::timestamptz
SELECT ('[2024-01-01,2024-02-29]'::daterange)::interval
SELECT ('[2024-01-01,2024-02-29]'::daterange)::uuid
SELECT ('[2024-01-01,2024-02-29]'::daterange)::jsonb
SELECT ('[2024-01-01,2024-02-29]'::daterange)::json
SELECT ('[2024-01-01,2024-02-29]'::daterange)::oid
SELECT ('[2024-01-01,2024-02-29]'::daterange)::int4[]
SELECT ('[2024-01-01,2024-02-29]'::daterange)::text[]
SELECT ('[2024-01-01,2024-02-29]'::daterange)::float8[]
SELECT ('[2024-01-01,2024-02-29]'::daterange)::int8[]
SELECT ('[2024-01-01,2024-02-29]'::daterange)::bool[]
SELECT ('[2024-01-01,2024-02-29]'::daterange)::numeric[]
SELECT ('[2024-01-01,2024-02-29]'::daterange)::date[]
SELECT ('[2024-01-01,2024-02-29]'::daterange)::int4range
SELECT ('[2024-01-01,2024-02-29]'::daterange)::int8range
SELECT ('[2024-01-01,2024-02-29]'::daterange)::numrange
SELECT ('[2024-01-01,2024-02-29]'::daterange)::tsrange
SELECT ('[2024-01-01,2024-02-29]'::daterange)::tstzrange
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::bool
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::int2
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::int4
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::int8
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::float4
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::float8
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::numeric
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::text
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::varchar
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::char(3)
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::"char"
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::name
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::bytea
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::date
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::time
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::timetz
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::timestamp
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::timestamptz
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::interval
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::uuid
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::jsonb
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::json
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::oid
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::int4[]
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::text[]
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::float8[]
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::int8[]
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::bool[]
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::numeric[]
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::date[]
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::int4range
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::int8range
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::numrange
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::daterange
SELECT ('[2024-01-01,2024-02-29 12:00]'::tsrange)::tstzrange
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::bool
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::int2
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::int4
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::int8
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::float4
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::float8
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::numeric
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::text
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::varchar
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::char(3)
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::"char"
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::name
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::bytea
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::date
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::time
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::timetz
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::timestamp
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::timestamptz
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::interval
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::uuid
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::jsonb
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::json
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::oid
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::int4[]
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::text[]
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::float8[]
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::int8[]
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::bool[]
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::numeric[]
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::date[]
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::int4range
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::int8range
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::numrange
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::daterange
SELECT ('[2024-01-01 00:00+00,2024-02-29 12:00+02]'::tstzrange)::tsrange
