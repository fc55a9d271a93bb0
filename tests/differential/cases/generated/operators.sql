SELECT 'ab'::char(4) !~ 'l'::text, 'xyz'::char(3) !~ 'abc'::text
SELECT 'ab'::char(4) !~ NULL, NULL !~ 'abc'::text
SELECT ''::char(2) !~ ''::text
SELECT ''::char(2) !~ 'abc'::text
SELECT 'a '::char(3) !~ 'äöü €'::text
SELECT 'ab'::char(4) !~ ''::text
SELECT 'ab'::char(4) !~ 'äöü €'::text
SELECT 'abc'::name !~ 'l'::text, 'some_name'::name !~ 'abc'::text
SELECT 'abc'::name !~ NULL, NULL !~ 'abc'::text
SELECT ''::name !~ ''::text
SELECT ''::name !~ 'abc'::text
SELECT 'abc'::name !~ ''::text
SELECT 'abc'::name !~ 'äöü €'::text
SELECT 'abc'::text !~ 'l'::text, 'Hello World'::text !~ 'abc'::text
SELECT 'abc'::text !~ NULL, NULL !~ 'abc'::text
SELECT 'abc'::text !~ 'abc', 'abc' !~ 'Hello World'::text
SELECT ''::text !~ ''::text
SELECT ''::text !~ 'abc'::text
SELECT 'äöü €'::text !~ 'äöü €'::text
SELECT '  42 '::text !~ '  42 '::text
SELECT 'a%b\c_'::text !~ 'a%b\c_'::text
SELECT 'abc'::text !~ ''::text
SELECT 'abc'::text !~ 'äöü €'::text
SELECT 'ab'::char(4) !~* 'l'::text, 'xyz'::char(3) !~* 'abc'::text
SELECT 'ab'::char(4) !~* NULL, NULL !~* 'abc'::text
SELECT ''::char(2) !~* ''::text
SELECT ''::char(2) !~* 'abc'::text
SELECT 'a '::char(3) !~* 'äöü €'::text
SELECT 'ab'::char(4) !~* ''::text
SELECT 'ab'::char(4) !~* 'äöü €'::text
SELECT 'abc'::name !~* 'l'::text, 'some_name'::name !~* 'abc'::text
SELECT 'abc'::name !~* NULL, NULL !~* 'abc'::text
SELECT ''::name !~* ''::text
SELECT ''::name !~* 'abc'::text
SELECT 'abc'::name !~* ''::text
SELECT 'abc'::name !~* 'äöü €'::text
SELECT 'abc'::text !~* 'l'::text, 'Hello World'::text !~* 'abc'::text
SELECT 'abc'::text !~* NULL, NULL !~* 'abc'::text
SELECT 'abc'::text !~* 'abc', 'abc' !~* 'Hello World'::text
SELECT ''::text !~* ''::text
SELECT ''::text !~* 'abc'::text
SELECT 'äöü €'::text !~* 'äöü €'::text
SELECT '  42 '::text !~* '  42 '::text
SELECT 'a%b\c_'::text !~* 'a%b\c_'::text
SELECT 'abc'::text !~* ''::text
SELECT 'abc'::text !~* 'äöü €'::text
SELECT 'ab'::char(4) !~~ 'l'::text, 'xyz'::char(3) !~~ 'abc'::text
SELECT 'ab'::char(4) !~~ NULL, NULL !~~ 'abc'::text
SELECT ''::char(2) !~~ ''::text
SELECT ''::char(2) !~~ 'abc'::text
SELECT 'a '::char(3) !~~ 'äöü €'::text
SELECT 'ab'::char(4) !~~ ''::text
SELECT 'ab'::char(4) !~~ 'äöü €'::text
SELECT '\x6162'::bytea !~~ '\x62'::bytea, '\x00ff10'::bytea !~~ '\x6162'::bytea
SELECT '\x6162'::bytea !~~ NULL, NULL !~~ '\x6162'::bytea
SELECT '\x6162'::bytea !~~ '\x61', '\x61' !~~ '\x00ff10'::bytea
SELECT ''::bytea !~~ ''::bytea
SELECT ''::bytea !~~ '\x6162'::bytea
SELECT '\xffffffffffffffff'::bytea !~~ '\xffffffffffffffff'::bytea
SELECT '\x6162'::bytea !~~ ''::bytea
SELECT '\x6162'::bytea !~~ '\xffffffffffffffff'::bytea
SELECT 'abc'::name !~~ 'l'::text, 'some_name'::name !~~ 'abc'::text
SELECT 'abc'::name !~~ NULL, NULL !~~ 'abc'::text
SELECT ''::name !~~ ''::text
SELECT ''::name !~~ 'abc'::text
SELECT 'abc'::name !~~ ''::text
SELECT 'abc'::name !~~ 'äöü €'::text
SELECT 'abc'::text !~~ 'l'::text, 'Hello World'::text !~~ 'abc'::text
SELECT 'abc'::text !~~ NULL, NULL !~~ 'abc'::text
SELECT 'abc'::text !~~ 'abc', 'abc' !~~ 'Hello World'::text
SELECT ''::text !~~ ''::text
SELECT ''::text !~~ 'abc'::text
SELECT 'äöü €'::text !~~ 'äöü €'::text
SELECT '  42 '::text !~~ '  42 '::text
SELECT 'a%b\c_'::text !~~ 'a%b\c_'::text
SELECT 'abc'::text !~~ ''::text
SELECT 'abc'::text !~~ 'äöü €'::text
SELECT 'ab'::char(4) !~~* 'l'::text, 'xyz'::char(3) !~~* 'abc'::text
SELECT 'ab'::char(4) !~~* NULL, NULL !~~* 'abc'::text
SELECT ''::char(2) !~~* ''::text
SELECT ''::char(2) !~~* 'abc'::text
SELECT 'a '::char(3) !~~* 'äöü €'::text
SELECT 'ab'::char(4) !~~* ''::text
SELECT 'ab'::char(4) !~~* 'äöü €'::text
SELECT 'abc'::name !~~* 'l'::text, 'some_name'::name !~~* 'abc'::text
SELECT 'abc'::name !~~* NULL, NULL !~~* 'abc'::text
SELECT ''::name !~~* ''::text
SELECT ''::name !~~* 'abc'::text
SELECT 'abc'::name !~~* ''::text
SELECT 'abc'::name !~~* 'äöü €'::text
SELECT 'abc'::text !~~* 'l'::text, 'Hello World'::text !~~* 'abc'::text
SELECT 'abc'::text !~~* NULL, NULL !~~* 'abc'::text
SELECT 'abc'::text !~~* 'abc', 'abc' !~~* 'Hello World'::text
SELECT ''::text !~~* ''::text
SELECT ''::text !~~* 'abc'::text
SELECT 'äöü €'::text !~~* 'äöü €'::text
SELECT '  42 '::text !~~* '  42 '::text
SELECT 'a%b\c_'::text !~~* 'a%b\c_'::text
SELECT 'abc'::text !~~* ''::text
SELECT 'abc'::text !~~* 'äöü €'::text
SELECT 7::int2 # 2::int2, '-3'::int2 # 7::int2
SELECT 7::int2 # NULL, NULL # 7::int2
SELECT 7::int2 # '12', '12' # '-3'::int2
SELECT '32767'::int2 # '32767'::int2
SELECT '32767'::int2 # 7::int2
SELECT '-32768'::int2 # '-32768'::int2
SELECT 0::int2 # 0::int2
SELECT 7::int2 # '32767'::int2
SELECT 7::int2 # '-32768'::int2
SELECT 5 # 2, -7 # 5
SELECT 5 # NULL, NULL # 5
SELECT 5 # '12', '12' # -7
SELECT 2147483647 # 2147483647
SELECT 2147483647 # 5
SELECT '-2147483648'::int4 # '-2147483648'::int4
SELECT 0 # 0
SELECT 5 # 2147483647
SELECT 5 # '-2147483648'::int4
SELECT 12::int8 # 3::int8, '-5'::int8 # 12::int8
SELECT 12::int8 # NULL, NULL # 12::int8
SELECT 12::int8 # '12', '12' # '-5'::int8
SELECT 9223372036854775807 # 9223372036854775807
SELECT 9223372036854775807 # 12::int8
SELECT '-9223372036854775808'::int8 # '-9223372036854775808'::int8
SELECT 0::int8 # 0::int8
SELECT 12::int8 # 9223372036854775807
SELECT 12::int8 # '-9223372036854775808'::int8
SELECT '{"a": 1, "b": [1, 2]}'::jsonb #- array['a'], '[1, "x", null]'::jsonb #- array['a', 'b']
SELECT '{"a": 1, "b": [1, 2]}'::jsonb #- NULL, NULL #- array['a', 'b']
SELECT 'null'::jsonb #- '{}'::text[]
SELECT 'null'::jsonb #- array['a', 'b']
SELECT '1.50'::jsonb #- '{"a,b","q\"q"}'::text[]
SELECT '{}'::jsonb #- '{}'::text[]
SELECT 'true'::jsonb #- '{"a,b","q\"q"}'::text[]
SELECT '{"a": 1, "b": [1, 2]}'::jsonb #- '{}'::text[]
SELECT '{"a": 1, "b": [1, 2]}'::jsonb #- '{"a,b","q\"q"}'::text[]
SELECT '{"a": 1}'::json #> array['a'], '[1, 2]'::json #> array['a', 'b']
SELECT '{"a": 1}'::json #> NULL, NULL #> array['a', 'b']
SELECT 'null'::json #> '{}'::text[]
SELECT 'null'::json #> array['a', 'b']
SELECT '{"a": 1}'::json #> '{}'::text[]
SELECT '{"a": 1}'::json #> '{"a,b","q\"q"}'::text[]
SELECT '{"a": 1, "b": [1, 2]}'::jsonb #> array['a'], '[1, "x", null]'::jsonb #> array['a', 'b']
SELECT '{"a": 1, "b": [1, 2]}'::jsonb #> NULL, NULL #> array['a', 'b']
SELECT 'null'::jsonb #> '{}'::text[]
SELECT 'null'::jsonb #> array['a', 'b']
SELECT '1.50'::jsonb #> '{"a,b","q\"q"}'::text[]
SELECT '{}'::jsonb #> '{}'::text[]
SELECT 'true'::jsonb #> '{"a,b","q\"q"}'::text[]
SELECT '{"a": 1, "b": [1, 2]}'::jsonb #> '{}'::text[]
SELECT '{"a": 1, "b": [1, 2]}'::jsonb #> '{"a,b","q\"q"}'::text[]
SELECT '{"a": 1}'::json #>> array['a'], '[1, 2]'::json #>> array['a', 'b']
SELECT '{"a": 1}'::json #>> NULL, NULL #>> array['a', 'b']
SELECT 'null'::json #>> '{}'::text[]
SELECT 'null'::json #>> array['a', 'b']
SELECT '{"a": 1}'::json #>> '{}'::text[]
SELECT '{"a": 1}'::json #>> '{"a,b","q\"q"}'::text[]
SELECT '{"a": 1, "b": [1, 2]}'::jsonb #>> array['a'], '[1, "x", null]'::jsonb #>> array['a', 'b']
SELECT '{"a": 1, "b": [1, 2]}'::jsonb #>> NULL, NULL #>> array['a', 'b']
SELECT 'null'::jsonb #>> '{}'::text[]
SELECT 'null'::jsonb #>> array['a', 'b']
SELECT '1.50'::jsonb #>> '{"a,b","q\"q"}'::text[]
SELECT '{}'::jsonb #>> '{}'::text[]
SELECT 'true'::jsonb #>> '{"a,b","q\"q"}'::text[]
SELECT '{"a": 1, "b": [1, 2]}'::jsonb #>> '{}'::text[]
SELECT '{"a": 1, "b": [1, 2]}'::jsonb #>> '{"a,b","q\"q"}'::text[]
SELECT 7::int2 % 2::int2, '-3'::int2 % 7::int2
SELECT 7::int2 % NULL, NULL % 7::int2
SELECT 7::int2 % '12', '12' % '-3'::int2
SELECT '32767'::int2 % '32767'::int2
SELECT '32767'::int2 % 7::int2
SELECT '-32768'::int2 % '-32768'::int2
SELECT 0::int2 % 0::int2
SELECT 7::int2 % '32767'::int2
SELECT 7::int2 % '-32768'::int2
SELECT 5 % 2, -7 % 5
SELECT 5 % NULL, NULL % 5
SELECT 5 % '12', '12' % -7
SELECT 2147483647 % 2147483647
SELECT 2147483647 % 5
SELECT '-2147483648'::int4 % '-2147483648'::int4
SELECT 0 % 0
SELECT 5 % 2147483647
SELECT 5 % '-2147483648'::int4
SELECT 12::int8 % 3::int8, '-5'::int8 % 12::int8
SELECT 12::int8 % NULL, NULL % 12::int8
SELECT 12::int8 % '12', '12' % '-5'::int8
SELECT 9223372036854775807 % 9223372036854775807
SELECT 9223372036854775807 % 12::int8
SELECT '-9223372036854775808'::int8 % '-9223372036854775808'::int8
SELECT 0::int8 % 0::int8
SELECT 12::int8 % 9223372036854775807
SELECT 12::int8 % '-9223372036854775808'::int8
SELECT 3.75 % 2.25::numeric(6,2), -1.5::numeric % 3.75
SELECT 3.75 % NULL, NULL % 3.75
SELECT 3.75 % '1.50', '1.50' % -1.5::numeric
SELECT 99999999999999999999.999 % 99999999999999999999.999
SELECT 99999999999999999999.999 % 3.75
SELECT 0.00 % 0.00
SELECT -0.000001 % -0.000001
SELECT 3.75 % 99999999999999999999.999
SELECT 3.75 % 0.00
SELECT 7::int2 & 2::int2, '-3'::int2 & 7::int2
SELECT 7::int2 & NULL, NULL & 7::int2
SELECT 7::int2 & '12', '12' & '-3'::int2
SELECT '32767'::int2 & '32767'::int2
SELECT '32767'::int2 & 7::int2
SELECT '-32768'::int2 & '-32768'::int2
SELECT 0::int2 & 0::int2
SELECT 7::int2 & '32767'::int2
SELECT 7::int2 & '-32768'::int2
SELECT 5 & 2, -7 & 5
SELECT 5 & NULL, NULL & 5
SELECT 5 & '12', '12' & -7
SELECT 2147483647 & 2147483647
SELECT 2147483647 & 5
SELECT '-2147483648'::int4 & '-2147483648'::int4
SELECT 0 & 0
SELECT 5 & 2147483647
SELECT 5 & '-2147483648'::int4
SELECT 12::int8 & 3::int8, '-5'::int8 & 12::int8
SELECT 12::int8 & NULL, NULL & 12::int8
SELECT 12::int8 & '12', '12' & '-5'::int8
SELECT 9223372036854775807 & 9223372036854775807
SELECT 9223372036854775807 & 12::int8
SELECT '-9223372036854775808'::int8 & '-9223372036854775808'::int8
SELECT 0::int8 & 0::int8
SELECT 12::int8 & 9223372036854775807
SELECT 12::int8 & '-9223372036854775808'::int8
SELECT array[1, 2, 3] && array[2], '{4,NULL,1}'::int4[] && array[1, 2, 3]
SELECT array[1, 2, 3] && NULL, NULL && array[1, 2, 3]
SELECT array[1, 2, 3] && '{1,2}', '{1,2}' && '{4,NULL,1}'::int4[]
SELECT '{}'::int4[] && '{}'::int4[]
SELECT '{}'::int4[] && array[1, 2, 3]
SELECT array[1, 2, 3] && '{}'::int4[]
SELECT '[1,5)'::int4range && '[3,8)'::int4range, '[3,8)'::int4range && '[1,5)'::int4range
SELECT '[1,5)'::int4range && NULL, NULL && '[1,5)'::int4range
SELECT '[1,5)'::int4range && '[1,5)', '[1,5)' && '[3,8)'::int4range
SELECT 'empty'::int4range && 'empty'::int4range
SELECT 'empty'::int4range && '[1,5)'::int4range
SELECT '(,)'::int4range && '(,)'::int4range
SELECT '[5,8]'::int4range && '[5,8]'::int4range
SELECT '(,1)'::int4range && '(,1)'::int4range
SELECT '[1,5)'::int4range && 'empty'::int4range
SELECT '[1,5)'::int4range && '(,)'::int4range
SELECT '[1,5)'::int4range &< '[3,8)'::int4range, '[3,8)'::int4range &< '[1,5)'::int4range
SELECT '[1,5)'::int4range &< NULL, NULL &< '[1,5)'::int4range
SELECT '[1,5)'::int4range &< '[1,5)', '[1,5)' &< '[3,8)'::int4range
SELECT 'empty'::int4range &< 'empty'::int4range
SELECT 'empty'::int4range &< '[1,5)'::int4range
SELECT '(,)'::int4range &< '(,)'::int4range
SELECT '[5,8]'::int4range &< '[5,8]'::int4range
SELECT '(,1)'::int4range &< '(,1)'::int4range
SELECT '[1,5)'::int4range &< 'empty'::int4range
SELECT '[1,5)'::int4range &< '(,)'::int4range
SELECT '[1,5)'::int4range &> '[3,8)'::int4range, '[3,8)'::int4range &> '[1,5)'::int4range
SELECT '[1,5)'::int4range &> NULL, NULL &> '[1,5)'::int4range
SELECT '[1,5)'::int4range &> '[1,5)', '[1,5)' &> '[3,8)'::int4range
SELECT 'empty'::int4range &> 'empty'::int4range
SELECT 'empty'::int4range &> '[1,5)'::int4range
SELECT '(,)'::int4range &> '(,)'::int4range
SELECT '[5,8]'::int4range &> '[5,8]'::int4range
SELECT '(,1)'::int4range &> '(,1)'::int4range
SELECT '[1,5)'::int4range &> 'empty'::int4range
SELECT '[1,5)'::int4range &> '(,)'::int4range
SELECT '[1,5)'::int4range * '[3,8)'::int4range, '[3,8)'::int4range * '[1,5)'::int4range
SELECT '[1,5)'::int4range * NULL, NULL * '[1,5)'::int4range
SELECT '[1,5)'::int4range * '[1,5)', '[1,5)' * '[3,8)'::int4range
SELECT 'empty'::int4range * 'empty'::int4range
SELECT 'empty'::int4range * '[1,5)'::int4range
SELECT '(,)'::int4range * '(,)'::int4range
SELECT '[5,8]'::int4range * '[5,8]'::int4range
SELECT '(,1)'::int4range * '(,1)'::int4range
SELECT '[1,5)'::int4range * 'empty'::int4range
SELECT '[1,5)'::int4range * '(,)'::int4range
SELECT 1.5::float4 * 3::float4, '-2.25'::float4 * 1.5::float4
SELECT 1.5::float4 * NULL, NULL * 1.5::float4
SELECT 1.5::float4 * '1.5', '1.5' * '-2.25'::float4
SELECT 'NaN'::float4 * 'NaN'::float4
SELECT 'NaN'::float4 * 1.5::float4
SELECT '-Infinity'::float4 * '-Infinity'::float4
SELECT '3.4e38'::float4 * '3.4e38'::float4
SELECT '-0'::float4 * '-0'::float4
SELECT 1.5::float4 * 'NaN'::float4
SELECT 1.5::float4 * '-Infinity'::float4
SELECT 1.5::float4 * 4::float8, '-2.25'::float4 * 2.5::float8
SELECT 1.5::float4 * NULL, NULL * 2.5::float8
SELECT 'NaN'::float4 * 'NaN'::float8
SELECT 'NaN'::float4 * 2.5::float8
SELECT '-Infinity'::float4 * 'Infinity'::float8
SELECT '3.4e38'::float4 * '1e308'::float8
SELECT '-0'::float4 * '-0'::float8
SELECT 1.5::float4 * 'NaN'::float8
SELECT 1.5::float4 * 'Infinity'::float8
SELECT 2.5::float8 * 3::float4, '-0.5'::float8 * 1.5::float4
SELECT 2.5::float8 * NULL, NULL * 1.5::float4
SELECT 'NaN'::float8 * 'NaN'::float4
SELECT 'NaN'::float8 * 1.5::float4
SELECT 'Infinity'::float8 * '-Infinity'::float4
SELECT '1e308'::float8 * '3.4e38'::float4
SELECT '-0'::float8 * '-0'::float4
SELECT '1e-310'::float8 * 'NaN'::float4
SELECT 2.5::float8 * 'NaN'::float4
SELECT 2.5::float8 * '-Infinity'::float4
SELECT 2.5::float8 * 4::float8, '-0.5'::float8 * 2.5::float8
SELECT 2.5::float8 * NULL, NULL * 2.5::float8
SELECT 2.5::float8 * '1.5', '1.5' * '-0.5'::float8
SELECT 'NaN'::float8 * 'NaN'::float8
SELECT 'NaN'::float8 * 2.5::float8
SELECT 'Infinity'::float8 * 'Infinity'::float8
SELECT '1e308'::float8 * '1e308'::float8
SELECT '-0'::float8 * '-0'::float8
SELECT '1e-310'::float8 * '1e-310'::float8
SELECT 2.5::float8 * 'NaN'::float8
SELECT 2.5::float8 * 'Infinity'::float8
SELECT 2.5::float8 * '36:00:00'::interval, '-0.5'::float8 * '1 mon 2 days 03:04:05.5'::interval
SELECT 2.5::float8 * NULL, NULL * '1 mon 2 days 03:04:05.5'::interval
SELECT 'NaN'::float8 * 'infinity'::interval
SELECT 'NaN'::float8 * '1 mon 2 days 03:04:05.5'::interval
SELECT 'Infinity'::float8 * '-178000000 years'::interval
SELECT '1e308'::float8 * '00:00:00'::interval
SELECT '-0'::float8 * 'infinity'::interval
SELECT '1e-310'::float8 * '-178000000 years'::interval
SELECT 2.5::float8 * 'infinity'::interval
SELECT 2.5::float8 * '-178000000 years'::interval
SELECT 7::int2 * 2::int2, '-3'::int2 * 7::int2
SELECT 7::int2 * NULL, NULL * 7::int2
SELECT 7::int2 * '12', '12' * '-3'::int2
SELECT '32767'::int2 * '32767'::int2
SELECT '32767'::int2 * 7::int2
SELECT '-32768'::int2 * '-32768'::int2
SELECT 0::int2 * 0::int2
SELECT 7::int2 * '32767'::int2
SELECT 7::int2 * '-32768'::int2
SELECT 7::int2 * 2, '-3'::int2 * 5
SELECT 7::int2 * NULL, NULL * 5
SELECT '32767'::int2 * 2147483647
SELECT '32767'::int2 * 5
SELECT '-32768'::int2 * '-2147483648'::int4
SELECT 0::int2 * 0
SELECT 7::int2 * 2147483647
SELECT 7::int2 * '-2147483648'::int4
SELECT 7::int2 * 3::int8, '-3'::int2 * 12::int8
SELECT 7::int2 * NULL, NULL * 12::int8
SELECT '32767'::int2 * 9223372036854775807
SELECT '32767'::int2 * 12::int8
SELECT '-32768'::int2 * '-9223372036854775808'::int8
SELECT 0::int2 * 0::int8
SELECT 7::int2 * 9223372036854775807
SELECT 7::int2 * '-9223372036854775808'::int8
SELECT 5 * 2::int2, -7 * 7::int2
SELECT 5 * NULL, NULL * 7::int2
SELECT 2147483647 * '32767'::int2
SELECT 2147483647 * 7::int2
SELECT '-2147483648'::int4 * '-32768'::int2
SELECT 0 * 0::int2
SELECT 5 * '32767'::int2
SELECT 5 * '-32768'::int2
SELECT 5 * 2, -7 * 5
SELECT 5 * NULL, NULL * 5
SELECT 5 * '12', '12' * -7
SELECT 2147483647 * 2147483647
SELECT 2147483647 * 5
SELECT '-2147483648'::int4 * '-2147483648'::int4
SELECT 0 * 0
SELECT 5 * 2147483647
SELECT 5 * '-2147483648'::int4
SELECT 5 * 3::int8, -7 * 12::int8
SELECT 5 * NULL, NULL * 12::int8
SELECT 2147483647 * 9223372036854775807
SELECT 2147483647 * 12::int8
SELECT '-2147483648'::int4 * '-9223372036854775808'::int8
SELECT 0 * 0::int8
SELECT 5 * 9223372036854775807
SELECT 5 * '-9223372036854775808'::int8
SELECT 12::int8 * 2::int2, '-5'::int8 * 7::int2
SELECT 12::int8 * NULL, NULL * 7::int2
SELECT 9223372036854775807 * '32767'::int2
SELECT 9223372036854775807 * 7::int2
SELECT '-9223372036854775808'::int8 * '-32768'::int2
SELECT 0::int8 * 0::int2
SELECT 12::int8 * '32767'::int2
SELECT 12::int8 * '-32768'::int2
SELECT 12::int8 * 2, '-5'::int8 * 5
SELECT 12::int8 * NULL, NULL * 5
SELECT 9223372036854775807 * 2147483647
SELECT 9223372036854775807 * 5
SELECT '-9223372036854775808'::int8 * '-2147483648'::int4
SELECT 0::int8 * 0
SELECT 12::int8 * 2147483647
SELECT 12::int8 * '-2147483648'::int4
SELECT 12::int8 * 3::int8, '-5'::int8 * 12::int8
SELECT 12::int8 * NULL, NULL * 12::int8
SELECT 12::int8 * '12', '12' * '-5'::int8
SELECT 9223372036854775807 * 9223372036854775807
SELECT 9223372036854775807 * 12::int8
SELECT '-9223372036854775808'::int8 * '-9223372036854775808'::int8
SELECT 0::int8 * 0::int8
SELECT 12::int8 * 9223372036854775807
SELECT 12::int8 * '-9223372036854775808'::int8
SELECT '1 mon 2 days 03:04:05.5'::interval * 4::float8, '-1 day'::interval * 2.5::float8
SELECT '1 mon 2 days 03:04:05.5'::interval * NULL, NULL * 2.5::float8
SELECT 'infinity'::interval * 'NaN'::float8
SELECT 'infinity'::interval * 2.5::float8
SELECT '-178000000 years'::interval * 'Infinity'::float8
SELECT '00:00:00'::interval * '1e308'::float8
SELECT '1 mon 2 days 03:04:05.5'::interval * 'NaN'::float8
SELECT '1 mon 2 days 03:04:05.5'::interval * 'Infinity'::float8
SELECT 3.75 * 2.25::numeric(6,2), -1.5::numeric * 3.75
SELECT 3.75 * NULL, NULL * 3.75
SELECT 3.75 * '1.50', '1.50' * -1.5::numeric
SELECT 99999999999999999999.999 * 99999999999999999999.999
SELECT 99999999999999999999.999 * 3.75
SELECT 0.00 * 0.00
SELECT -0.000001 * -0.000001
SELECT 3.75 * 99999999999999999999.999
SELECT 3.75 * 0.00
SELECT + (1.5::float4)
SELECT + ('-2.25'::float4)
SELECT + (3::float4)
SELECT + ('NaN'::float4)
SELECT + ('-Infinity'::float4)
SELECT + ('3.4e38'::float4)
SELECT + ('-0'::float4)
SELECT + (2.5::float8)
SELECT + ('-0.5'::float8)
SELECT + (4::float8)
SELECT + ('NaN'::float8)
SELECT + ('Infinity'::float8)
SELECT + ('1e308'::float8)
SELECT + ('-0'::float8)
SELECT + ('1e-310'::float8)
SELECT + (7::int2)
SELECT + ('-3'::int2)
SELECT + (2::int2)
SELECT + ('32767'::int2)
SELECT + ('-32768'::int2)
SELECT + (0::int2)
SELECT + (5)
SELECT + (-7)
SELECT + (2)
SELECT + (2147483647)
SELECT + ('-2147483648'::int4)
SELECT + (0)
SELECT + (12::int8)
SELECT + ('-5'::int8)
SELECT + (3::int8)
SELECT + (9223372036854775807)
SELECT + ('-9223372036854775808'::int8)
SELECT + (0::int8)
SELECT + (3.75)
SELECT + (-1.5::numeric)
SELECT + (2.25::numeric(6,2))
SELECT + (99999999999999999999.999)
SELECT + (0.00)
SELECT + (-0.000001)
SELECT '[1,5)'::int4range + '[3,8)'::int4range, '[3,8)'::int4range + '[1,5)'::int4range
SELECT '[1,5)'::int4range + NULL, NULL + '[1,5)'::int4range
SELECT '[1,5)'::int4range + '[1,5)', '[1,5)' + '[3,8)'::int4range
SELECT 'empty'::int4range + 'empty'::int4range
SELECT 'empty'::int4range + '[1,5)'::int4range
SELECT '(,)'::int4range + '(,)'::int4range
SELECT '[5,8]'::int4range + '[5,8]'::int4range
SELECT '(,1)'::int4range + '(,1)'::int4range
SELECT '[1,5)'::int4range + 'empty'::int4range
SELECT '[1,5)'::int4range + '(,)'::int4range
SELECT '2024-02-29'::date + 2, '1999-12-31'::date + 5
SELECT '2024-02-29'::date + NULL, NULL + 5
SELECT 'infinity'::date + 2147483647
SELECT 'infinity'::date + 5
SELECT '0001-01-01 BC'::date + '-2147483648'::int4
SELECT '9999-12-31'::date + 0
SELECT '2024-02-29'::date + 2147483647
SELECT '2024-02-29'::date + '-2147483648'::int4
SELECT '2024-02-29'::date + '36:00:00'::interval, '1999-12-31'::date + '1 mon 2 days 03:04:05.5'::interval
SELECT '2024-02-29'::date + NULL, NULL + '1 mon 2 days 03:04:05.5'::interval
SELECT 'infinity'::date + 'infinity'::interval
SELECT 'infinity'::date + '1 mon 2 days 03:04:05.5'::interval
SELECT '0001-01-01 BC'::date + '-178000000 years'::interval
SELECT '9999-12-31'::date + '00:00:00'::interval
SELECT '2024-02-29'::date + 'infinity'::interval
SELECT '2024-02-29'::date + '-178000000 years'::interval
SELECT '2024-02-29'::date + '03:00:00'::time, '1999-12-31'::date + '12:34:56.789'::time
SELECT '2024-02-29'::date + NULL, NULL + '12:34:56.789'::time
SELECT 'infinity'::date + '24:00:00'::time
SELECT 'infinity'::date + '12:34:56.789'::time
SELECT '0001-01-01 BC'::date + '00:00:00'::time
SELECT '9999-12-31'::date + '24:00:00'::time
SELECT '2024-02-29'::date + '24:00:00'::time
SELECT '2024-02-29'::date + '00:00:00'::time
SELECT '2024-02-29'::date + '03:00:00+00'::timetz, '1999-12-31'::date + '12:34:56+02'::timetz
SELECT '2024-02-29'::date + NULL, NULL + '12:34:56+02'::timetz
SELECT 'infinity'::date + '24:00:00-12'::timetz
SELECT 'infinity'::date + '12:34:56+02'::timetz
SELECT '0001-01-01 BC'::date + '24:00:00-12'::timetz
SELECT '9999-12-31'::date + '24:00:00-12'::timetz
SELECT '2024-02-29'::date + '24:00:00-12'::timetz
SELECT 1.5::float4 + 3::float4, '-2.25'::float4 + 1.5::float4
SELECT 1.5::float4 + NULL, NULL + 1.5::float4
SELECT 1.5::float4 + '1.5', '1.5' + '-2.25'::float4
SELECT 'NaN'::float4 + 'NaN'::float4
SELECT 'NaN'::float4 + 1.5::float4
SELECT '-Infinity'::float4 + '-Infinity'::float4
SELECT '3.4e38'::float4 + '3.4e38'::float4
SELECT '-0'::float4 + '-0'::float4
SELECT 1.5::float4 + 'NaN'::float4
SELECT 1.5::float4 + '-Infinity'::float4
SELECT 1.5::float4 + 4::float8, '-2.25'::float4 + 2.5::float8
SELECT 1.5::float4 + NULL, NULL + 2.5::float8
SELECT 'NaN'::float4 + 'NaN'::float8
SELECT 'NaN'::float4 + 2.5::float8
SELECT '-Infinity'::float4 + 'Infinity'::float8
SELECT '3.4e38'::float4 + '1e308'::float8
SELECT '-0'::float4 + '-0'::float8
SELECT 1.5::float4 + 'NaN'::float8
SELECT 1.5::float4 + 'Infinity'::float8
SELECT 2.5::float8 + 3::float4, '-0.5'::float8 + 1.5::float4
SELECT 2.5::float8 + NULL, NULL + 1.5::float4
SELECT 'NaN'::float8 + 'NaN'::float4
SELECT 'NaN'::float8 + 1.5::float4
SELECT 'Infinity'::float8 + '-Infinity'::float4
SELECT '1e308'::float8 + '3.4e38'::float4
SELECT '-0'::float8 + '-0'::float4
SELECT '1e-310'::float8 + 'NaN'::float4
SELECT 2.5::float8 + 'NaN'::float4
SELECT 2.5::float8 + '-Infinity'::float4
SELECT 2.5::float8 + 4::float8, '-0.5'::float8 + 2.5::float8
SELECT 2.5::float8 + NULL, NULL + 2.5::float8
SELECT 2.5::float8 + '1.5', '1.5' + '-0.5'::float8
SELECT 'NaN'::float8 + 'NaN'::float8
SELECT 'NaN'::float8 + 2.5::float8
SELECT 'Infinity'::float8 + 'Infinity'::float8
SELECT '1e308'::float8 + '1e308'::float8
SELECT '-0'::float8 + '-0'::float8
SELECT '1e-310'::float8 + '1e-310'::float8
SELECT 2.5::float8 + 'NaN'::float8
SELECT 2.5::float8 + 'Infinity'::float8
SELECT 7::int2 + 2::int2, '-3'::int2 + 7::int2
SELECT 7::int2 + NULL, NULL + 7::int2
SELECT 7::int2 + '12', '12' + '-3'::int2
SELECT '32767'::int2 + '32767'::int2
SELECT '32767'::int2 + 7::int2
SELECT '-32768'::int2 + '-32768'::int2
SELECT 0::int2 + 0::int2
SELECT 7::int2 + '32767'::int2
SELECT 7::int2 + '-32768'::int2
SELECT 7::int2 + 2, '-3'::int2 + 5
SELECT 7::int2 + NULL, NULL + 5
SELECT '32767'::int2 + 2147483647
SELECT '32767'::int2 + 5
SELECT '-32768'::int2 + '-2147483648'::int4
SELECT 0::int2 + 0
SELECT 7::int2 + 2147483647
SELECT 7::int2 + '-2147483648'::int4
SELECT 7::int2 + 3::int8, '-3'::int2 + 12::int8
SELECT 7::int2 + NULL, NULL + 12::int8
SELECT '32767'::int2 + 9223372036854775807
SELECT '32767'::int2 + 12::int8
SELECT '-32768'::int2 + '-9223372036854775808'::int8
SELECT 0::int2 + 0::int8
SELECT 7::int2 + 9223372036854775807
SELECT 7::int2 + '-9223372036854775808'::int8
SELECT 5 + '1999-12-31'::date, -7 + '2024-02-29'::date
SELECT 5 + NULL, NULL + '2024-02-29'::date
SELECT 2147483647 + 'infinity'::date
SELECT 2147483647 + '2024-02-29'::date
SELECT '-2147483648'::int4 + '0001-01-01 BC'::date
SELECT 0 + '9999-12-31'::date
SELECT 5 + 'infinity'::date
SELECT 5 + '0001-01-01 BC'::date
SELECT 5 + 2::int2, -7 + 7::int2
SELECT 5 + NULL, NULL + 7::int2
SELECT 2147483647 + '32767'::int2
SELECT 2147483647 + 7::int2
SELECT '-2147483648'::int4 + '-32768'::int2
SELECT 0 + 0::int2
SELECT 5 + '32767'::int2
SELECT 5 + '-32768'::int2
SELECT 5 + 2, -7 + 5
SELECT 5 + NULL, NULL + 5
SELECT 5 + '12', '12' + -7
SELECT 2147483647 + 2147483647
SELECT 2147483647 + 5
SELECT '-2147483648'::int4 + '-2147483648'::int4
SELECT 0 + 0
SELECT 5 + 2147483647
SELECT 5 + '-2147483648'::int4
SELECT 5 + 3::int8, -7 + 12::int8
SELECT 5 + NULL, NULL + 12::int8
SELECT 2147483647 + 9223372036854775807
SELECT 2147483647 + 12::int8
SELECT '-2147483648'::int4 + '-9223372036854775808'::int8
SELECT 0 + 0::int8
SELECT 5 + 9223372036854775807
SELECT 5 + '-9223372036854775808'::int8
SELECT 12::int8 + 2::int2, '-5'::int8 + 7::int2
SELECT 12::int8 + NULL, NULL + 7::int2
SELECT 9223372036854775807 + '32767'::int2
SELECT 9223372036854775807 + 7::int2
SELECT '-9223372036854775808'::int8 + '-32768'::int2
SELECT 0::int8 + 0::int2
SELECT 12::int8 + '32767'::int2
SELECT 12::int8 + '-32768'::int2
SELECT 12::int8 + 2, '-5'::int8 + 5
SELECT 12::int8 + NULL, NULL + 5
SELECT 9223372036854775807 + 2147483647
SELECT 9223372036854775807 + 5
SELECT '-9223372036854775808'::int8 + '-2147483648'::int4
SELECT 0::int8 + 0
SELECT 12::int8 + 2147483647
SELECT 12::int8 + '-2147483648'::int4
SELECT 12::int8 + 3::int8, '-5'::int8 + 12::int8
SELECT 12::int8 + NULL, NULL + 12::int8
SELECT 12::int8 + '12', '12' + '-5'::int8
SELECT 9223372036854775807 + 9223372036854775807
SELECT 9223372036854775807 + 12::int8
SELECT '-9223372036854775808'::int8 + '-9223372036854775808'::int8
SELECT 0::int8 + 0::int8
SELECT 12::int8 + 9223372036854775807
SELECT 12::int8 + '-9223372036854775808'::int8
SELECT '1 mon 2 days 03:04:05.5'::interval + '1999-12-31'::date, '-1 day'::interval + '2024-02-29'::date
SELECT '1 mon 2 days 03:04:05.5'::interval + NULL, NULL + '2024-02-29'::date
SELECT 'infinity'::interval + 'infinity'::date
SELECT 'infinity'::interval + '2024-02-29'::date
SELECT '-178000000 years'::interval + '0001-01-01 BC'::date
SELECT '00:00:00'::interval + '9999-12-31'::date
SELECT '1 mon 2 days 03:04:05.5'::interval + 'infinity'::date
SELECT '1 mon 2 days 03:04:05.5'::interval + '0001-01-01 BC'::date
SELECT '1 mon 2 days 03:04:05.5'::interval + '36:00:00'::interval, '-1 day'::interval + '1 mon 2 days 03:04:05.5'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval + NULL, NULL + '1 mon 2 days 03:04:05.5'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval + '1 day', '1 day' + '-1 day'::interval
SELECT 'infinity'::interval + 'infinity'::interval
SELECT 'infinity'::interval + '1 mon 2 days 03:04:05.5'::interval
SELECT '-178000000 years'::interval + '-178000000 years'::interval
SELECT '00:00:00'::interval + '00:00:00'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval + 'infinity'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval + '-178000000 years'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval + '03:00:00'::time, '-1 day'::interval + '12:34:56.789'::time
SELECT '1 mon 2 days 03:04:05.5'::interval + NULL, NULL + '12:34:56.789'::time
SELECT 'infinity'::interval + '24:00:00'::time
SELECT 'infinity'::interval + '12:34:56.789'::time
SELECT '-178000000 years'::interval + '00:00:00'::time
SELECT '00:00:00'::interval + '24:00:00'::time
SELECT '1 mon 2 days 03:04:05.5'::interval + '24:00:00'::time
SELECT '1 mon 2 days 03:04:05.5'::interval + '00:00:00'::time
SELECT '1 mon 2 days 03:04:05.5'::interval + '1999-12-31 23:59:59'::timestamp, '-1 day'::interval + '2024-02-29 12:34:56.789'::timestamp
SELECT '1 mon 2 days 03:04:05.5'::interval + NULL, NULL + '2024-02-29 12:34:56.789'::timestamp
SELECT 'infinity'::interval + '-infinity'::timestamp
SELECT 'infinity'::interval + '2024-02-29 12:34:56.789'::timestamp
SELECT '-178000000 years'::interval + '0044-03-15 BC'::timestamp
SELECT '00:00:00'::interval + '9999-12-31 23:59:59.999999'::timestamp
SELECT '1 mon 2 days 03:04:05.5'::interval + '-infinity'::timestamp
SELECT '1 mon 2 days 03:04:05.5'::interval + '0044-03-15 BC'::timestamp
SELECT '1 mon 2 days 03:04:05.5'::interval + '1999-12-31 23:59:59Z'::timestamptz, '-1 day'::interval + '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '1 mon 2 days 03:04:05.5'::interval + NULL, NULL + '2024-02-29 12:34:56.789+02'::timestamptz
SELECT 'infinity'::interval + 'infinity'::timestamptz
SELECT 'infinity'::interval + '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '-178000000 years'::interval + '0044-03-15 BC'::timestamptz
SELECT '00:00:00'::interval + 'infinity'::timestamptz
SELECT '1 mon 2 days 03:04:05.5'::interval + 'infinity'::timestamptz
SELECT '1 mon 2 days 03:04:05.5'::interval + '0044-03-15 BC'::timestamptz
SELECT '1 mon 2 days 03:04:05.5'::interval + '03:00:00+00'::timetz, '-1 day'::interval + '12:34:56+02'::timetz
SELECT '1 mon 2 days 03:04:05.5'::interval + NULL, NULL + '12:34:56+02'::timetz
SELECT 'infinity'::interval + '24:00:00-12'::timetz
SELECT 'infinity'::interval + '12:34:56+02'::timetz
SELECT '-178000000 years'::interval + '24:00:00-12'::timetz
SELECT '00:00:00'::interval + '24:00:00-12'::timetz
SELECT '1 mon 2 days 03:04:05.5'::interval + '24:00:00-12'::timetz
SELECT 3.75 + 2.25::numeric(6,2), -1.5::numeric + 3.75
SELECT 3.75 + NULL, NULL + 3.75
SELECT 3.75 + '1.50', '1.50' + -1.5::numeric
SELECT 99999999999999999999.999 + 99999999999999999999.999
SELECT 99999999999999999999.999 + 3.75
SELECT 0.00 + 0.00
SELECT -0.000001 + -0.000001
SELECT 3.75 + 99999999999999999999.999
SELECT 3.75 + 0.00
SELECT '12:34:56.789'::time + '1999-12-31'::date, '03:00:00'::time + '2024-02-29'::date
SELECT '12:34:56.789'::time + NULL, NULL + '2024-02-29'::date
SELECT '24:00:00'::time + 'infinity'::date
SELECT '24:00:00'::time + '2024-02-29'::date
SELECT '00:00:00'::time + '0001-01-01 BC'::date
SELECT '12:34:56.789'::time + 'infinity'::date
SELECT '12:34:56.789'::time + '0001-01-01 BC'::date
SELECT '12:34:56.789'::time + '36:00:00'::interval, '03:00:00'::time + '1 mon 2 days 03:04:05.5'::interval
SELECT '12:34:56.789'::time + NULL, NULL + '1 mon 2 days 03:04:05.5'::interval
SELECT '24:00:00'::time + 'infinity'::interval
SELECT '24:00:00'::time + '1 mon 2 days 03:04:05.5'::interval
SELECT '00:00:00'::time + '-178000000 years'::interval
SELECT '12:34:56.789'::time + 'infinity'::interval
SELECT '12:34:56.789'::time + '-178000000 years'::interval
SELECT '2024-02-29 12:34:56.789'::timestamp + '36:00:00'::interval, '1999-12-31 23:59:59'::timestamp + '1 mon 2 days 03:04:05.5'::interval
SELECT '2024-02-29 12:34:56.789'::timestamp + NULL, NULL + '1 mon 2 days 03:04:05.5'::interval
SELECT '-infinity'::timestamp + 'infinity'::interval
SELECT '-infinity'::timestamp + '1 mon 2 days 03:04:05.5'::interval
SELECT '0044-03-15 BC'::timestamp + '-178000000 years'::interval
SELECT '9999-12-31 23:59:59.999999'::timestamp + '00:00:00'::interval
SELECT '2024-02-29 12:34:56.789'::timestamp + 'infinity'::interval
SELECT '2024-02-29 12:34:56.789'::timestamp + '-178000000 years'::interval
SELECT '2024-02-29 12:34:56.789+02'::timestamptz + '36:00:00'::interval, '1999-12-31 23:59:59Z'::timestamptz + '1 mon 2 days 03:04:05.5'::interval
SELECT '2024-02-29 12:34:56.789+02'::timestamptz + NULL, NULL + '1 mon 2 days 03:04:05.5'::interval
SELECT 'infinity'::timestamptz + 'infinity'::interval
SELECT 'infinity'::timestamptz + '1 mon 2 days 03:04:05.5'::interval
SELECT '0044-03-15 BC'::timestamptz + '-178000000 years'::interval
SELECT '2024-02-29 12:34:56.789+02'::timestamptz + 'infinity'::interval
SELECT '2024-02-29 12:34:56.789+02'::timestamptz + '-178000000 years'::interval
SELECT '12:34:56+02'::timetz + '1999-12-31'::date, '03:00:00+00'::timetz + '2024-02-29'::date
SELECT '12:34:56+02'::timetz + NULL, NULL + '2024-02-29'::date
SELECT '24:00:00-12'::timetz + 'infinity'::date
SELECT '24:00:00-12'::timetz + '2024-02-29'::date
SELECT '12:34:56+02'::timetz + 'infinity'::date
SELECT '12:34:56+02'::timetz + '0001-01-01 BC'::date
SELECT '12:34:56+02'::timetz + '36:00:00'::interval, '03:00:00+00'::timetz + '1 mon 2 days 03:04:05.5'::interval
SELECT '12:34:56+02'::timetz + NULL, NULL + '1 mon 2 days 03:04:05.5'::interval
SELECT '24:00:00-12'::timetz + 'infinity'::interval
SELECT '24:00:00-12'::timetz + '1 mon 2 days 03:04:05.5'::interval
SELECT '12:34:56+02'::timetz + 'infinity'::interval
SELECT '12:34:56+02'::timetz + '-178000000 years'::interval
SELECT - (1.5::float4)
SELECT - ('-2.25'::float4)
SELECT - (3::float4)
SELECT - ('NaN'::float4)
SELECT - ('-Infinity'::float4)
SELECT - ('3.4e38'::float4)
SELECT - ('-0'::float4)
SELECT - (2.5::float8)
SELECT - ('-0.5'::float8)
SELECT - (4::float8)
SELECT - ('NaN'::float8)
SELECT - ('Infinity'::float8)
SELECT - ('1e308'::float8)
SELECT - ('-0'::float8)
SELECT - ('1e-310'::float8)
SELECT - (7::int2)
SELECT - ('-3'::int2)
SELECT - (2::int2)
SELECT - ('32767'::int2)
SELECT - ('-32768'::int2)
SELECT - (0::int2)
SELECT - (5)
SELECT - (-7)
SELECT - (2)
SELECT - (2147483647)
SELECT - ('-2147483648'::int4)
SELECT - (0)
SELECT - (12::int8)
SELECT - ('-5'::int8)
SELECT - (3::int8)
SELECT - (9223372036854775807)
SELECT - ('-9223372036854775808'::int8)
SELECT - (0::int8)
SELECT - ('1 mon 2 days 03:04:05.5'::interval)
SELECT - ('-1 day'::interval)
SELECT - ('36:00:00'::interval)
SELECT - ('infinity'::interval)
SELECT - ('-178000000 years'::interval)
SELECT - ('00:00:00'::interval)
SELECT - (3.75)
SELECT - (-1.5::numeric)
SELECT - (2.25::numeric(6,2))
SELECT - (99999999999999999999.999)
SELECT - (0.00)
SELECT - (-0.000001)
SELECT '[1,5)'::int4range - '[3,8)'::int4range, '[3,8)'::int4range - '[1,5)'::int4range
SELECT '[1,5)'::int4range - NULL, NULL - '[1,5)'::int4range
SELECT '[1,5)'::int4range - '[1,5)', '[1,5)' - '[3,8)'::int4range
SELECT 'empty'::int4range - 'empty'::int4range
SELECT 'empty'::int4range - '[1,5)'::int4range
SELECT '(,)'::int4range - '(,)'::int4range
SELECT '[5,8]'::int4range - '[5,8]'::int4range
SELECT '(,1)'::int4range - '(,1)'::int4range
SELECT '[1,5)'::int4range - 'empty'::int4range
SELECT '[1,5)'::int4range - '(,)'::int4range
SELECT '2024-02-29'::date - '1999-12-31'::date, '1999-12-31'::date - '2024-02-29'::date
SELECT '2024-02-29'::date - NULL, NULL - '2024-02-29'::date
SELECT '2024-02-29'::date - '2024-02-29', '2024-02-29' - '1999-12-31'::date
SELECT 'infinity'::date - 'infinity'::date
SELECT 'infinity'::date - '2024-02-29'::date
SELECT '0001-01-01 BC'::date - '0001-01-01 BC'::date
SELECT '9999-12-31'::date - '9999-12-31'::date
SELECT '2024-02-29'::date - 'infinity'::date
SELECT '2024-02-29'::date - '0001-01-01 BC'::date
SELECT '2024-02-29'::date - 2, '1999-12-31'::date - 5
SELECT '2024-02-29'::date - NULL, NULL - 5
SELECT 'infinity'::date - 2147483647
SELECT 'infinity'::date - 5
SELECT '0001-01-01 BC'::date - '-2147483648'::int4
SELECT '9999-12-31'::date - 0
SELECT '2024-02-29'::date - 2147483647
SELECT '2024-02-29'::date - '-2147483648'::int4
SELECT '2024-02-29'::date - '36:00:00'::interval, '1999-12-31'::date - '1 mon 2 days 03:04:05.5'::interval
SELECT '2024-02-29'::date - NULL, NULL - '1 mon 2 days 03:04:05.5'::interval
SELECT 'infinity'::date - 'infinity'::interval
SELECT 'infinity'::date - '1 mon 2 days 03:04:05.5'::interval
SELECT '0001-01-01 BC'::date - '-178000000 years'::interval
SELECT '9999-12-31'::date - '00:00:00'::interval
SELECT '2024-02-29'::date - 'infinity'::interval
SELECT '2024-02-29'::date - '-178000000 years'::interval
SELECT 1.5::float4 - 3::float4, '-2.25'::float4 - 1.5::float4
SELECT 1.5::float4 - NULL, NULL - 1.5::float4
SELECT 1.5::float4 - '1.5', '1.5' - '-2.25'::float4
SELECT 'NaN'::float4 - 'NaN'::float4
SELECT 'NaN'::float4 - 1.5::float4
SELECT '-Infinity'::float4 - '-Infinity'::float4
SELECT '3.4e38'::float4 - '3.4e38'::float4
SELECT '-0'::float4 - '-0'::float4
SELECT 1.5::float4 - 'NaN'::float4
SELECT 1.5::float4 - '-Infinity'::float4
SELECT 1.5::float4 - 4::float8, '-2.25'::float4 - 2.5::float8
SELECT 1.5::float4 - NULL, NULL - 2.5::float8
SELECT 'NaN'::float4 - 'NaN'::float8
SELECT 'NaN'::float4 - 2.5::float8
SELECT '-Infinity'::float4 - 'Infinity'::float8
SELECT '3.4e38'::float4 - '1e308'::float8
SELECT '-0'::float4 - '-0'::float8
SELECT 1.5::float4 - 'NaN'::float8
SELECT 1.5::float4 - 'Infinity'::float8
SELECT 2.5::float8 - 3::float4, '-0.5'::float8 - 1.5::float4
SELECT 2.5::float8 - NULL, NULL - 1.5::float4
SELECT 'NaN'::float8 - 'NaN'::float4
SELECT 'NaN'::float8 - 1.5::float4
SELECT 'Infinity'::float8 - '-Infinity'::float4
SELECT '1e308'::float8 - '3.4e38'::float4
SELECT '-0'::float8 - '-0'::float4
SELECT '1e-310'::float8 - 'NaN'::float4
SELECT 2.5::float8 - 'NaN'::float4
SELECT 2.5::float8 - '-Infinity'::float4
SELECT 2.5::float8 - 4::float8, '-0.5'::float8 - 2.5::float8
SELECT 2.5::float8 - NULL, NULL - 2.5::float8
SELECT 2.5::float8 - '1.5', '1.5' - '-0.5'::float8
SELECT 'NaN'::float8 - 'NaN'::float8
SELECT 'NaN'::float8 - 2.5::float8
SELECT 'Infinity'::float8 - 'Infinity'::float8
SELECT '1e308'::float8 - '1e308'::float8
SELECT '-0'::float8 - '-0'::float8
SELECT '1e-310'::float8 - '1e-310'::float8
SELECT 2.5::float8 - 'NaN'::float8
SELECT 2.5::float8 - 'Infinity'::float8
SELECT 7::int2 - 2::int2, '-3'::int2 - 7::int2
SELECT 7::int2 - NULL, NULL - 7::int2
SELECT 7::int2 - '12', '12' - '-3'::int2
SELECT '32767'::int2 - '32767'::int2
SELECT '32767'::int2 - 7::int2
SELECT '-32768'::int2 - '-32768'::int2
SELECT 0::int2 - 0::int2
SELECT 7::int2 - '32767'::int2
SELECT 7::int2 - '-32768'::int2
SELECT 7::int2 - 2, '-3'::int2 - 5
SELECT 7::int2 - NULL, NULL - 5
SELECT '32767'::int2 - 2147483647
SELECT '32767'::int2 - 5
SELECT '-32768'::int2 - '-2147483648'::int4
SELECT 0::int2 - 0
SELECT 7::int2 - 2147483647
SELECT 7::int2 - '-2147483648'::int4
SELECT 7::int2 - 3::int8, '-3'::int2 - 12::int8
SELECT 7::int2 - NULL, NULL - 12::int8
SELECT '32767'::int2 - 9223372036854775807
SELECT '32767'::int2 - 12::int8
SELECT '-32768'::int2 - '-9223372036854775808'::int8
SELECT 0::int2 - 0::int8
SELECT 7::int2 - 9223372036854775807
SELECT 7::int2 - '-9223372036854775808'::int8
SELECT 5 - 2::int2, -7 - 7::int2
SELECT 5 - NULL, NULL - 7::int2
SELECT 2147483647 - '32767'::int2
SELECT 2147483647 - 7::int2
SELECT '-2147483648'::int4 - '-32768'::int2
SELECT 0 - 0::int2
SELECT 5 - '32767'::int2
SELECT 5 - '-32768'::int2
SELECT 5 - 2, -7 - 5
SELECT 5 - NULL, NULL - 5
SELECT 5 - '12', '12' - -7
SELECT 2147483647 - 2147483647
SELECT 2147483647 - 5
SELECT '-2147483648'::int4 - '-2147483648'::int4
SELECT 0 - 0
SELECT 5 - 2147483647
SELECT 5 - '-2147483648'::int4
SELECT 5 - 3::int8, -7 - 12::int8
SELECT 5 - NULL, NULL - 12::int8
SELECT 2147483647 - 9223372036854775807
SELECT 2147483647 - 12::int8
SELECT '-2147483648'::int4 - '-9223372036854775808'::int8
SELECT 0 - 0::int8
SELECT 5 - 9223372036854775807
SELECT 5 - '-9223372036854775808'::int8
SELECT 12::int8 - 2::int2, '-5'::int8 - 7::int2
SELECT 12::int8 - NULL, NULL - 7::int2
SELECT 9223372036854775807 - '32767'::int2
SELECT 9223372036854775807 - 7::int2
SELECT '-9223372036854775808'::int8 - '-32768'::int2
SELECT 0::int8 - 0::int2
SELECT 12::int8 - '32767'::int2
SELECT 12::int8 - '-32768'::int2
SELECT 12::int8 - 2, '-5'::int8 - 5
SELECT 12::int8 - NULL, NULL - 5
SELECT 9223372036854775807 - 2147483647
SELECT 9223372036854775807 - 5
SELECT '-9223372036854775808'::int8 - '-2147483648'::int4
SELECT 0::int8 - 0
SELECT 12::int8 - 2147483647
SELECT 12::int8 - '-2147483648'::int4
SELECT 12::int8 - 3::int8, '-5'::int8 - 12::int8
SELECT 12::int8 - NULL, NULL - 12::int8
SELECT 12::int8 - '12', '12' - '-5'::int8
SELECT 9223372036854775807 - 9223372036854775807
SELECT 9223372036854775807 - 12::int8
SELECT '-9223372036854775808'::int8 - '-9223372036854775808'::int8
SELECT 0::int8 - 0::int8
SELECT 12::int8 - 9223372036854775807
SELECT 12::int8 - '-9223372036854775808'::int8
SELECT '1 mon 2 days 03:04:05.5'::interval - '36:00:00'::interval, '-1 day'::interval - '1 mon 2 days 03:04:05.5'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval - NULL, NULL - '1 mon 2 days 03:04:05.5'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval - '1 day', '1 day' - '-1 day'::interval
SELECT 'infinity'::interval - 'infinity'::interval
SELECT 'infinity'::interval - '1 mon 2 days 03:04:05.5'::interval
SELECT '-178000000 years'::interval - '-178000000 years'::interval
SELECT '00:00:00'::interval - '00:00:00'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval - 'infinity'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval - '-178000000 years'::interval
SELECT '{"a": 1, "b": [1, 2]}'::jsonb - array['a'], '[1, "x", null]'::jsonb - array['a', 'b']
SELECT '{"a": 1, "b": [1, 2]}'::jsonb - NULL, NULL - array['a', 'b']
SELECT 'null'::jsonb - '{}'::text[]
SELECT 'null'::jsonb - array['a', 'b']
SELECT '1.50'::jsonb - '{"a,b","q\"q"}'::text[]
SELECT '{}'::jsonb - '{}'::text[]
SELECT 'true'::jsonb - '{"a,b","q\"q"}'::text[]
SELECT '{"a": 1, "b": [1, 2]}'::jsonb - '{}'::text[]
SELECT '{"a": 1, "b": [1, 2]}'::jsonb - '{"a,b","q\"q"}'::text[]
SELECT '{"a": 1, "b": [1, 2]}'::jsonb - 2, '[1, "x", null]'::jsonb - 5
SELECT '{"a": 1, "b": [1, 2]}'::jsonb - NULL, NULL - 5
SELECT 'null'::jsonb - 2147483647
SELECT 'null'::jsonb - 5
SELECT '1.50'::jsonb - '-2147483648'::int4
SELECT '{}'::jsonb - 0
SELECT 'true'::jsonb - 2147483647
SELECT '{"a": 1, "b": [1, 2]}'::jsonb - 2147483647
SELECT '{"a": 1, "b": [1, 2]}'::jsonb - '-2147483648'::int4
SELECT '{"a": 1, "b": [1, 2]}'::jsonb - 'l'::text, '[1, "x", null]'::jsonb - 'abc'::text
SELECT '{"a": 1, "b": [1, 2]}'::jsonb - NULL, NULL - 'abc'::text
SELECT 'null'::jsonb - ''::text
SELECT 'null'::jsonb - 'abc'::text
SELECT '1.50'::jsonb - 'äöü €'::text
SELECT '{}'::jsonb - '  42 '::text
SELECT 'true'::jsonb - 'a%b\c_'::text
SELECT '{"a": 1, "b": [1, 2]}'::jsonb - ''::text
SELECT '{"a": 1, "b": [1, 2]}'::jsonb - 'äöü €'::text
SELECT 3.75 - 2.25::numeric(6,2), -1.5::numeric - 3.75
SELECT 3.75 - NULL, NULL - 3.75
SELECT 3.75 - '1.50', '1.50' - -1.5::numeric
SELECT 99999999999999999999.999 - 99999999999999999999.999
SELECT 99999999999999999999.999 - 3.75
SELECT 0.00 - 0.00
SELECT -0.000001 - -0.000001
SELECT 3.75 - 99999999999999999999.999
SELECT 3.75 - 0.00
SELECT '12:34:56.789'::time - '36:00:00'::interval, '03:00:00'::time - '1 mon 2 days 03:04:05.5'::interval
SELECT '12:34:56.789'::time - NULL, NULL - '1 mon 2 days 03:04:05.5'::interval
SELECT '24:00:00'::time - 'infinity'::interval
SELECT '24:00:00'::time - '1 mon 2 days 03:04:05.5'::interval
SELECT '00:00:00'::time - '-178000000 years'::interval
SELECT '12:34:56.789'::time - 'infinity'::interval
SELECT '12:34:56.789'::time - '-178000000 years'::interval
SELECT '12:34:56.789'::time - '03:00:00'::time, '03:00:00'::time - '12:34:56.789'::time
SELECT '12:34:56.789'::time - NULL, NULL - '12:34:56.789'::time
SELECT '12:34:56.789'::time - '12:34', '12:34' - '03:00:00'::time
SELECT '24:00:00'::time - '24:00:00'::time
SELECT '24:00:00'::time - '12:34:56.789'::time
SELECT '00:00:00'::time - '00:00:00'::time
SELECT '12:34:56.789'::time - '24:00:00'::time
SELECT '12:34:56.789'::time - '00:00:00'::time
SELECT '2024-02-29 12:34:56.789'::timestamp - '36:00:00'::interval, '1999-12-31 23:59:59'::timestamp - '1 mon 2 days 03:04:05.5'::interval
SELECT '2024-02-29 12:34:56.789'::timestamp - NULL, NULL - '1 mon 2 days 03:04:05.5'::interval
SELECT '-infinity'::timestamp - 'infinity'::interval
SELECT '-infinity'::timestamp - '1 mon 2 days 03:04:05.5'::interval
SELECT '0044-03-15 BC'::timestamp - '-178000000 years'::interval
SELECT '9999-12-31 23:59:59.999999'::timestamp - '00:00:00'::interval
SELECT '2024-02-29 12:34:56.789'::timestamp - 'infinity'::interval
SELECT '2024-02-29 12:34:56.789'::timestamp - '-178000000 years'::interval
SELECT '2024-02-29 12:34:56.789'::timestamp - '1999-12-31 23:59:59'::timestamp, '1999-12-31 23:59:59'::timestamp - '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp - NULL, NULL - '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp - '2024-02-29 12:34:56', '2024-02-29 12:34:56' - '1999-12-31 23:59:59'::timestamp
SELECT '-infinity'::timestamp - '-infinity'::timestamp
SELECT '-infinity'::timestamp - '2024-02-29 12:34:56.789'::timestamp
SELECT '0044-03-15 BC'::timestamp - '0044-03-15 BC'::timestamp
SELECT '9999-12-31 23:59:59.999999'::timestamp - '9999-12-31 23:59:59.999999'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp - '-infinity'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp - '0044-03-15 BC'::timestamp
SELECT '2024-02-29 12:34:56.789+02'::timestamptz - '36:00:00'::interval, '1999-12-31 23:59:59Z'::timestamptz - '1 mon 2 days 03:04:05.5'::interval
SELECT '2024-02-29 12:34:56.789+02'::timestamptz - NULL, NULL - '1 mon 2 days 03:04:05.5'::interval
SELECT 'infinity'::timestamptz - 'infinity'::interval
SELECT 'infinity'::timestamptz - '1 mon 2 days 03:04:05.5'::interval
SELECT '0044-03-15 BC'::timestamptz - '-178000000 years'::interval
SELECT '2024-02-29 12:34:56.789+02'::timestamptz - 'infinity'::interval
SELECT '2024-02-29 12:34:56.789+02'::timestamptz - '-178000000 years'::interval
SELECT '2024-02-29 12:34:56.789+02'::timestamptz - '1999-12-31 23:59:59Z'::timestamptz, '1999-12-31 23:59:59Z'::timestamptz - '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz - NULL, NULL - '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz - '2024-02-29 12:34:56+02', '2024-02-29 12:34:56+02' - '1999-12-31 23:59:59Z'::timestamptz
SELECT 'infinity'::timestamptz - 'infinity'::timestamptz
SELECT 'infinity'::timestamptz - '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '0044-03-15 BC'::timestamptz - '0044-03-15 BC'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz - 'infinity'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz - '0044-03-15 BC'::timestamptz
SELECT '12:34:56+02'::timetz - '36:00:00'::interval, '03:00:00+00'::timetz - '1 mon 2 days 03:04:05.5'::interval
SELECT '12:34:56+02'::timetz - NULL, NULL - '1 mon 2 days 03:04:05.5'::interval
SELECT '24:00:00-12'::timetz - 'infinity'::interval
SELECT '24:00:00-12'::timetz - '1 mon 2 days 03:04:05.5'::interval
SELECT '12:34:56+02'::timetz - 'infinity'::interval
SELECT '12:34:56+02'::timetz - '-178000000 years'::interval
SELECT '{"a": 1}'::json -> 2, '[1, 2]'::json -> 5
SELECT '{"a": 1}'::json -> NULL, NULL -> 5
SELECT 'null'::json -> 2147483647
SELECT 'null'::json -> 5
SELECT '{"a": 1}'::json -> 2147483647
SELECT '{"a": 1}'::json -> '-2147483648'::int4
SELECT '{"a": 1}'::json -> 'l'::text, '[1, 2]'::json -> 'abc'::text
SELECT '{"a": 1}'::json -> NULL, NULL -> 'abc'::text
SELECT 'null'::json -> ''::text
SELECT 'null'::json -> 'abc'::text
SELECT '{"a": 1}'::json -> ''::text
SELECT '{"a": 1}'::json -> 'äöü €'::text
SELECT '{"a": 1, "b": [1, 2]}'::jsonb -> 2, '[1, "x", null]'::jsonb -> 5
SELECT '{"a": 1, "b": [1, 2]}'::jsonb -> NULL, NULL -> 5
SELECT 'null'::jsonb -> 2147483647
SELECT 'null'::jsonb -> 5
SELECT '1.50'::jsonb -> '-2147483648'::int4
SELECT '{}'::jsonb -> 0
SELECT 'true'::jsonb -> 2147483647
SELECT '{"a": 1, "b": [1, 2]}'::jsonb -> 2147483647
SELECT '{"a": 1, "b": [1, 2]}'::jsonb -> '-2147483648'::int4
SELECT '{"a": 1, "b": [1, 2]}'::jsonb -> 'l'::text, '[1, "x", null]'::jsonb -> 'abc'::text
SELECT '{"a": 1, "b": [1, 2]}'::jsonb -> NULL, NULL -> 'abc'::text
SELECT 'null'::jsonb -> ''::text
SELECT 'null'::jsonb -> 'abc'::text
SELECT '1.50'::jsonb -> 'äöü €'::text
SELECT '{}'::jsonb -> '  42 '::text
SELECT 'true'::jsonb -> 'a%b\c_'::text
SELECT '{"a": 1, "b": [1, 2]}'::jsonb -> ''::text
SELECT '{"a": 1, "b": [1, 2]}'::jsonb -> 'äöü €'::text
SELECT '{"a": 1}'::json ->> 2, '[1, 2]'::json ->> 5
SELECT '{"a": 1}'::json ->> NULL, NULL ->> 5
SELECT 'null'::json ->> 2147483647
SELECT 'null'::json ->> 5
SELECT '{"a": 1}'::json ->> 2147483647
SELECT '{"a": 1}'::json ->> '-2147483648'::int4
SELECT '{"a": 1}'::json ->> 'l'::text, '[1, 2]'::json ->> 'abc'::text
SELECT '{"a": 1}'::json ->> NULL, NULL ->> 'abc'::text
SELECT 'null'::json ->> ''::text
SELECT 'null'::json ->> 'abc'::text
SELECT '{"a": 1}'::json ->> ''::text
SELECT '{"a": 1}'::json ->> 'äöü €'::text
SELECT '{"a": 1, "b": [1, 2]}'::jsonb ->> 2, '[1, "x", null]'::jsonb ->> 5
SELECT '{"a": 1, "b": [1, 2]}'::jsonb ->> NULL, NULL ->> 5
SELECT 'null'::jsonb ->> 2147483647
SELECT 'null'::jsonb ->> 5
SELECT '1.50'::jsonb ->> '-2147483648'::int4
SELECT '{}'::jsonb ->> 0
SELECT 'true'::jsonb ->> 2147483647
SELECT '{"a": 1, "b": [1, 2]}'::jsonb ->> 2147483647
SELECT '{"a": 1, "b": [1, 2]}'::jsonb ->> '-2147483648'::int4
SELECT '{"a": 1, "b": [1, 2]}'::jsonb ->> 'l'::text, '[1, "x", null]'::jsonb ->> 'abc'::text
SELECT '{"a": 1, "b": [1, 2]}'::jsonb ->> NULL, NULL ->> 'abc'::text
SELECT 'null'::jsonb ->> ''::text
SELECT 'null'::jsonb ->> 'abc'::text
SELECT '1.50'::jsonb ->> 'äöü €'::text
SELECT '{}'::jsonb ->> '  42 '::text
SELECT 'true'::jsonb ->> 'a%b\c_'::text
SELECT '{"a": 1, "b": [1, 2]}'::jsonb ->> ''::text
SELECT '{"a": 1, "b": [1, 2]}'::jsonb ->> 'äöü €'::text
SELECT '[1,5)'::int4range -|- '[3,8)'::int4range, '[3,8)'::int4range -|- '[1,5)'::int4range
SELECT '[1,5)'::int4range -|- NULL, NULL -|- '[1,5)'::int4range
SELECT '[1,5)'::int4range -|- '[1,5)', '[1,5)' -|- '[3,8)'::int4range
SELECT 'empty'::int4range -|- 'empty'::int4range
SELECT 'empty'::int4range -|- '[1,5)'::int4range
SELECT '(,)'::int4range -|- '(,)'::int4range
SELECT '[5,8]'::int4range -|- '[5,8]'::int4range
SELECT '(,1)'::int4range -|- '(,1)'::int4range
SELECT '[1,5)'::int4range -|- 'empty'::int4range
SELECT '[1,5)'::int4range -|- '(,)'::int4range
SELECT 1.5::float4 / 3::float4, '-2.25'::float4 / 1.5::float4
SELECT 1.5::float4 / NULL, NULL / 1.5::float4
SELECT 1.5::float4 / '1.5', '1.5' / '-2.25'::float4
SELECT 'NaN'::float4 / 'NaN'::float4
SELECT 'NaN'::float4 / 1.5::float4
SELECT '-Infinity'::float4 / '-Infinity'::float4
SELECT '3.4e38'::float4 / '3.4e38'::float4
SELECT '-0'::float4 / '-0'::float4
SELECT 1.5::float4 / 'NaN'::float4
SELECT 1.5::float4 / '-Infinity'::float4
SELECT 1.5::float4 / 4::float8, '-2.25'::float4 / 2.5::float8
SELECT 1.5::float4 / NULL, NULL / 2.5::float8
SELECT 'NaN'::float4 / 'NaN'::float8
SELECT 'NaN'::float4 / 2.5::float8
SELECT '-Infinity'::float4 / 'Infinity'::float8
SELECT '3.4e38'::float4 / '1e308'::float8
SELECT '-0'::float4 / '-0'::float8
SELECT 1.5::float4 / 'NaN'::float8
SELECT 1.5::float4 / 'Infinity'::float8
SELECT 2.5::float8 / 3::float4, '-0.5'::float8 / 1.5::float4
SELECT 2.5::float8 / NULL, NULL / 1.5::float4
SELECT 'NaN'::float8 / 'NaN'::float4
SELECT 'NaN'::float8 / 1.5::float4
SELECT 'Infinity'::float8 / '-Infinity'::float4
SELECT '1e308'::float8 / '3.4e38'::float4
SELECT '-0'::float8 / '-0'::float4
SELECT '1e-310'::float8 / 'NaN'::float4
SELECT 2.5::float8 / 'NaN'::float4
SELECT 2.5::float8 / '-Infinity'::float4
SELECT 2.5::float8 / 4::float8, '-0.5'::float8 / 2.5::float8
SELECT 2.5::float8 / NULL, NULL / 2.5::float8
SELECT 2.5::float8 / '1.5', '1.5' / '-0.5'::float8
SELECT 'NaN'::float8 / 'NaN'::float8
SELECT 'NaN'::float8 / 2.5::float8
SELECT 'Infinity'::float8 / 'Infinity'::float8
SELECT '1e308'::float8 / '1e308'::float8
SELECT '-0'::float8 / '-0'::float8
SELECT '1e-310'::float8 / '1e-310'::float8
SELECT 2.5::float8 / 'NaN'::float8
SELECT 2.5::float8 / 'Infinity'::float8
SELECT 7::int2 / 2::int2, '-3'::int2 / 7::int2
SELECT 7::int2 / NULL, NULL / 7::int2
SELECT 7::int2 / '12', '12' / '-3'::int2
SELECT '32767'::int2 / '32767'::int2
SELECT '32767'::int2 / 7::int2
SELECT '-32768'::int2 / '-32768'::int2
SELECT 0::int2 / 0::int2
SELECT 7::int2 / '32767'::int2
SELECT 7::int2 / '-32768'::int2
SELECT 7::int2 / 2, '-3'::int2 / 5
SELECT 7::int2 / NULL, NULL / 5
SELECT '32767'::int2 / 2147483647
SELECT '32767'::int2 / 5
SELECT '-32768'::int2 / '-2147483648'::int4
SELECT 0::int2 / 0
SELECT 7::int2 / 2147483647
SELECT 7::int2 / '-2147483648'::int4
SELECT 7::int2 / 3::int8, '-3'::int2 / 12::int8
SELECT 7::int2 / NULL, NULL / 12::int8
SELECT '32767'::int2 / 9223372036854775807
SELECT '32767'::int2 / 12::int8
SELECT '-32768'::int2 / '-9223372036854775808'::int8
SELECT 0::int2 / 0::int8
SELECT 7::int2 / 9223372036854775807
SELECT 7::int2 / '-9223372036854775808'::int8
SELECT 5 / 2::int2, -7 / 7::int2
SELECT 5 / NULL, NULL / 7::int2
SELECT 2147483647 / '32767'::int2
SELECT 2147483647 / 7::int2
SELECT '-2147483648'::int4 / '-32768'::int2
SELECT 0 / 0::int2
SELECT 5 / '32767'::int2
SELECT 5 / '-32768'::int2
SELECT 5 / 2, -7 / 5
SELECT 5 / NULL, NULL / 5
SELECT 5 / '12', '12' / -7
SELECT 2147483647 / 2147483647
SELECT 2147483647 / 5
SELECT '-2147483648'::int4 / '-2147483648'::int4
SELECT 0 / 0
SELECT 5 / 2147483647
SELECT 5 / '-2147483648'::int4
SELECT 5 / 3::int8, -7 / 12::int8
SELECT 5 / NULL, NULL / 12::int8
SELECT 2147483647 / 9223372036854775807
SELECT 2147483647 / 12::int8
SELECT '-2147483648'::int4 / '-9223372036854775808'::int8
SELECT 0 / 0::int8
SELECT 5 / 9223372036854775807
SELECT 5 / '-9223372036854775808'::int8
SELECT 12::int8 / 2::int2, '-5'::int8 / 7::int2
SELECT 12::int8 / NULL, NULL / 7::int2
SELECT 9223372036854775807 / '32767'::int2
SELECT 9223372036854775807 / 7::int2
SELECT '-9223372036854775808'::int8 / '-32768'::int2
SELECT 0::int8 / 0::int2
SELECT 12::int8 / '32767'::int2
SELECT 12::int8 / '-32768'::int2
SELECT 12::int8 / 2, '-5'::int8 / 5
SELECT 12::int8 / NULL, NULL / 5
SELECT 9223372036854775807 / 2147483647
SELECT 9223372036854775807 / 5
SELECT '-9223372036854775808'::int8 / '-2147483648'::int4
SELECT 0::int8 / 0
SELECT 12::int8 / 2147483647
SELECT 12::int8 / '-2147483648'::int4
SELECT 12::int8 / 3::int8, '-5'::int8 / 12::int8
SELECT 12::int8 / NULL, NULL / 12::int8
SELECT 12::int8 / '12', '12' / '-5'::int8
SELECT 9223372036854775807 / 9223372036854775807
SELECT 9223372036854775807 / 12::int8
SELECT '-9223372036854775808'::int8 / '-9223372036854775808'::int8
SELECT 0::int8 / 0::int8
SELECT 12::int8 / 9223372036854775807
SELECT 12::int8 / '-9223372036854775808'::int8
SELECT '1 mon 2 days 03:04:05.5'::interval / 4::float8, '-1 day'::interval / 2.5::float8
SELECT '1 mon 2 days 03:04:05.5'::interval / NULL, NULL / 2.5::float8
SELECT 'infinity'::interval / 'NaN'::float8
SELECT 'infinity'::interval / 2.5::float8
SELECT '-178000000 years'::interval / 'Infinity'::float8
SELECT '00:00:00'::interval / '1e308'::float8
SELECT '1 mon 2 days 03:04:05.5'::interval / 'NaN'::float8
SELECT '1 mon 2 days 03:04:05.5'::interval / 'Infinity'::float8
SELECT 3.75 / 2.25::numeric(6,2), -1.5::numeric / 3.75
SELECT 3.75 / NULL, NULL / 3.75
SELECT 3.75 / '1.50', '1.50' / -1.5::numeric
SELECT 99999999999999999999.999 / 99999999999999999999.999
SELECT 99999999999999999999.999 / 3.75
SELECT 0.00 / 0.00
SELECT -0.000001 / -0.000001
SELECT 3.75 / 99999999999999999999.999
SELECT 3.75 / 0.00
SELECT array[1, 2, 3] < array[2], '{4,NULL,1}'::int4[] < array[1, 2, 3]
SELECT array[1, 2, 3] < NULL, NULL < array[1, 2, 3]
SELECT array[1, 2, 3] < '{1,2}', '{1,2}' < '{4,NULL,1}'::int4[]
SELECT '{}'::int4[] < '{}'::int4[]
SELECT '{}'::int4[] < array[1, 2, 3]
SELECT array[1, 2, 3] < '{}'::int4[]
SELECT '[1,5)'::int4range < '[3,8)'::int4range, '[3,8)'::int4range < '[1,5)'::int4range
SELECT '[1,5)'::int4range < NULL, NULL < '[1,5)'::int4range
SELECT '[1,5)'::int4range < '[1,5)', '[1,5)' < '[3,8)'::int4range
SELECT 'empty'::int4range < 'empty'::int4range
SELECT 'empty'::int4range < '[1,5)'::int4range
SELECT '(,)'::int4range < '(,)'::int4range
SELECT '[5,8]'::int4range < '[5,8]'::int4range
SELECT '(,1)'::int4range < '(,1)'::int4range
SELECT '[1,5)'::int4range < 'empty'::int4range
SELECT '[1,5)'::int4range < '(,)'::int4range
SELECT true < false, false < true
SELECT true < NULL, NULL < true
SELECT true < 't', 't' < false
SELECT 'ab'::char(4) < 'xyz'::char(3), 'xyz'::char(3) < 'ab'::char(4)
SELECT 'ab'::char(4) < NULL, NULL < 'ab'::char(4)
SELECT 'ab'::char(4) < 'ab', 'ab' < 'xyz'::char(3)
SELECT ''::char(2) < ''::char(2)
SELECT ''::char(2) < 'ab'::char(4)
SELECT 'a '::char(3) < 'a '::char(3)
SELECT 'ab'::char(4) < ''::char(2)
SELECT 'ab'::char(4) < 'a '::char(3)
SELECT '\x6162'::bytea < '\x62'::bytea, '\x00ff10'::bytea < '\x6162'::bytea
SELECT '\x6162'::bytea < NULL, NULL < '\x6162'::bytea
SELECT '\x6162'::bytea < '\x61', '\x61' < '\x00ff10'::bytea
SELECT ''::bytea < ''::bytea
SELECT ''::bytea < '\x6162'::bytea
SELECT '\xffffffffffffffff'::bytea < '\xffffffffffffffff'::bytea
SELECT '\x6162'::bytea < ''::bytea
SELECT '\x6162'::bytea < '\xffffffffffffffff'::bytea
SELECT 'x'::"char" < 'y'::"char", 'y'::"char" < 'x'::"char"
SELECT 'x'::"char" < NULL, NULL < 'x'::"char"
SELECT 'x'::"char" < 'a', 'a' < 'y'::"char"
SELECT ''::"char" < ''::"char"
SELECT ''::"char" < 'x'::"char"
SELECT 'x'::"char" < ''::"char"
SELECT '2024-02-29'::date < '1999-12-31'::date, '1999-12-31'::date < '2024-02-29'::date
SELECT '2024-02-29'::date < NULL, NULL < '2024-02-29'::date
SELECT '2024-02-29'::date < '2024-02-29', '2024-02-29' < '1999-12-31'::date
SELECT 'infinity'::date < 'infinity'::date
SELECT 'infinity'::date < '2024-02-29'::date
SELECT '0001-01-01 BC'::date < '0001-01-01 BC'::date
SELECT '9999-12-31'::date < '9999-12-31'::date
SELECT '2024-02-29'::date < 'infinity'::date
SELECT '2024-02-29'::date < '0001-01-01 BC'::date
SELECT '2024-02-29'::date < '1999-12-31 23:59:59'::timestamp, '1999-12-31'::date < '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29'::date < NULL, NULL < '2024-02-29 12:34:56.789'::timestamp
SELECT 'infinity'::date < '-infinity'::timestamp
SELECT 'infinity'::date < '2024-02-29 12:34:56.789'::timestamp
SELECT '0001-01-01 BC'::date < '0044-03-15 BC'::timestamp
SELECT '9999-12-31'::date < '9999-12-31 23:59:59.999999'::timestamp
SELECT '2024-02-29'::date < '-infinity'::timestamp
SELECT '2024-02-29'::date < '0044-03-15 BC'::timestamp
SELECT '2024-02-29'::date < '1999-12-31 23:59:59Z'::timestamptz, '1999-12-31'::date < '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29'::date < NULL, NULL < '2024-02-29 12:34:56.789+02'::timestamptz
SELECT 'infinity'::date < 'infinity'::timestamptz
SELECT 'infinity'::date < '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '0001-01-01 BC'::date < '0044-03-15 BC'::timestamptz
SELECT '9999-12-31'::date < 'infinity'::timestamptz
SELECT '2024-02-29'::date < 'infinity'::timestamptz
SELECT '2024-02-29'::date < '0044-03-15 BC'::timestamptz
SELECT 1.5::float4 < 3::float4, '-2.25'::float4 < 1.5::float4
SELECT 1.5::float4 < NULL, NULL < 1.5::float4
SELECT 1.5::float4 < '1.5', '1.5' < '-2.25'::float4
SELECT 'NaN'::float4 < 'NaN'::float4
SELECT 'NaN'::float4 < 1.5::float4
SELECT '-Infinity'::float4 < '-Infinity'::float4
SELECT '3.4e38'::float4 < '3.4e38'::float4
SELECT '-0'::float4 < '-0'::float4
SELECT 1.5::float4 < 'NaN'::float4
SELECT 1.5::float4 < '-Infinity'::float4
SELECT 1.5::float4 < 4::float8, '-2.25'::float4 < 2.5::float8
SELECT 1.5::float4 < NULL, NULL < 2.5::float8
SELECT 'NaN'::float4 < 'NaN'::float8
SELECT 'NaN'::float4 < 2.5::float8
SELECT '-Infinity'::float4 < 'Infinity'::float8
SELECT '3.4e38'::float4 < '1e308'::float8
SELECT '-0'::float4 < '-0'::float8
SELECT 1.5::float4 < 'NaN'::float8
SELECT 1.5::float4 < 'Infinity'::float8
SELECT 2.5::float8 < 3::float4, '-0.5'::float8 < 1.5::float4
SELECT 2.5::float8 < NULL, NULL < 1.5::float4
SELECT 'NaN'::float8 < 'NaN'::float4
SELECT 'NaN'::float8 < 1.5::float4
SELECT 'Infinity'::float8 < '-Infinity'::float4
SELECT '1e308'::float8 < '3.4e38'::float4
SELECT '-0'::float8 < '-0'::float4
SELECT '1e-310'::float8 < 'NaN'::float4
SELECT 2.5::float8 < 'NaN'::float4
SELECT 2.5::float8 < '-Infinity'::float4
SELECT 2.5::float8 < 4::float8, '-0.5'::float8 < 2.5::float8
SELECT 2.5::float8 < NULL, NULL < 2.5::float8
SELECT 2.5::float8 < '1.5', '1.5' < '-0.5'::float8
SELECT 'NaN'::float8 < 'NaN'::float8
SELECT 'NaN'::float8 < 2.5::float8
SELECT 'Infinity'::float8 < 'Infinity'::float8
SELECT '1e308'::float8 < '1e308'::float8
SELECT '-0'::float8 < '-0'::float8
SELECT '1e-310'::float8 < '1e-310'::float8
SELECT 2.5::float8 < 'NaN'::float8
SELECT 2.5::float8 < 'Infinity'::float8
SELECT 7::int2 < 2::int2, '-3'::int2 < 7::int2
SELECT 7::int2 < NULL, NULL < 7::int2
SELECT 7::int2 < '12', '12' < '-3'::int2
SELECT '32767'::int2 < '32767'::int2
SELECT '32767'::int2 < 7::int2
SELECT '-32768'::int2 < '-32768'::int2
SELECT 0::int2 < 0::int2
SELECT 7::int2 < '32767'::int2
SELECT 7::int2 < '-32768'::int2
SELECT 7::int2 < 2, '-3'::int2 < 5
SELECT 7::int2 < NULL, NULL < 5
SELECT '32767'::int2 < 2147483647
SELECT '32767'::int2 < 5
SELECT '-32768'::int2 < '-2147483648'::int4
SELECT 0::int2 < 0
SELECT 7::int2 < 2147483647
SELECT 7::int2 < '-2147483648'::int4
SELECT 7::int2 < 3::int8, '-3'::int2 < 12::int8
SELECT 7::int2 < NULL, NULL < 12::int8
SELECT '32767'::int2 < 9223372036854775807
SELECT '32767'::int2 < 12::int8
SELECT '-32768'::int2 < '-9223372036854775808'::int8
SELECT 0::int2 < 0::int8
SELECT 7::int2 < 9223372036854775807
SELECT 7::int2 < '-9223372036854775808'::int8
SELECT 5 < 2::int2, -7 < 7::int2
SELECT 5 < NULL, NULL < 7::int2
SELECT 2147483647 < '32767'::int2
SELECT 2147483647 < 7::int2
SELECT '-2147483648'::int4 < '-32768'::int2
SELECT 0 < 0::int2
SELECT 5 < '32767'::int2
SELECT 5 < '-32768'::int2
SELECT 5 < 2, -7 < 5
SELECT 5 < NULL, NULL < 5
SELECT 5 < '12', '12' < -7
SELECT 2147483647 < 2147483647
SELECT 2147483647 < 5
SELECT '-2147483648'::int4 < '-2147483648'::int4
SELECT 0 < 0
SELECT 5 < 2147483647
SELECT 5 < '-2147483648'::int4
SELECT 5 < 3::int8, -7 < 12::int8
SELECT 5 < NULL, NULL < 12::int8
SELECT 2147483647 < 9223372036854775807
SELECT 2147483647 < 12::int8
SELECT '-2147483648'::int4 < '-9223372036854775808'::int8
SELECT 0 < 0::int8
SELECT 5 < 9223372036854775807
SELECT 5 < '-9223372036854775808'::int8
SELECT 12::int8 < 2::int2, '-5'::int8 < 7::int2
SELECT 12::int8 < NULL, NULL < 7::int2
SELECT 9223372036854775807 < '32767'::int2
SELECT 9223372036854775807 < 7::int2
SELECT '-9223372036854775808'::int8 < '-32768'::int2
SELECT 0::int8 < 0::int2
SELECT 12::int8 < '32767'::int2
SELECT 12::int8 < '-32768'::int2
SELECT 12::int8 < 2, '-5'::int8 < 5
SELECT 12::int8 < NULL, NULL < 5
SELECT 9223372036854775807 < 2147483647
SELECT 9223372036854775807 < 5
SELECT '-9223372036854775808'::int8 < '-2147483648'::int4
SELECT 0::int8 < 0
SELECT 12::int8 < 2147483647
SELECT 12::int8 < '-2147483648'::int4
SELECT 12::int8 < 3::int8, '-5'::int8 < 12::int8
SELECT 12::int8 < NULL, NULL < 12::int8
SELECT 12::int8 < '12', '12' < '-5'::int8
SELECT 9223372036854775807 < 9223372036854775807
SELECT 9223372036854775807 < 12::int8
SELECT '-9223372036854775808'::int8 < '-9223372036854775808'::int8
SELECT 0::int8 < 0::int8
SELECT 12::int8 < 9223372036854775807
SELECT 12::int8 < '-9223372036854775808'::int8
SELECT '1 mon 2 days 03:04:05.5'::interval < '36:00:00'::interval, '-1 day'::interval < '1 mon 2 days 03:04:05.5'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval < NULL, NULL < '1 mon 2 days 03:04:05.5'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval < '1 day', '1 day' < '-1 day'::interval
SELECT 'infinity'::interval < 'infinity'::interval
SELECT 'infinity'::interval < '1 mon 2 days 03:04:05.5'::interval
SELECT '-178000000 years'::interval < '-178000000 years'::interval
SELECT '00:00:00'::interval < '00:00:00'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval < 'infinity'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval < '-178000000 years'::interval
SELECT '{"a": 1, "b": [1, 2]}'::jsonb < '"a"'::jsonb, '[1, "x", null]'::jsonb < '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb < NULL, NULL < '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb < '[1, 2.50, 1e2]', '[1, 2.50, 1e2]' < '[1, "x", null]'::jsonb
SELECT 'null'::jsonb < 'null'::jsonb
SELECT 'null'::jsonb < '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '1.50'::jsonb < '1.50'::jsonb
SELECT '{}'::jsonb < '{}'::jsonb
SELECT 'true'::jsonb < 'true'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb < 'null'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb < '1.50'::jsonb
SELECT 'abc'::name < 'some_name'::name, 'some_name'::name < 'abc'::name
SELECT 'abc'::name < NULL, NULL < 'abc'::name
SELECT 'abc'::name < 'abc', 'abc' < 'some_name'::name
SELECT ''::name < ''::name
SELECT ''::name < 'abc'::name
SELECT 'abc'::name < ''::name
SELECT 'abc'::name < 'l'::text, 'some_name'::name < 'abc'::text
SELECT 'abc'::name < NULL, NULL < 'abc'::text
SELECT ''::name < ''::text
SELECT ''::name < 'abc'::text
SELECT 'abc'::name < ''::text
SELECT 'abc'::name < 'äöü €'::text
SELECT 3.75 < 2.25::numeric(6,2), -1.5::numeric < 3.75
SELECT 3.75 < NULL, NULL < 3.75
SELECT 3.75 < '1.50', '1.50' < -1.5::numeric
SELECT 99999999999999999999.999 < 99999999999999999999.999
SELECT 99999999999999999999.999 < 3.75
SELECT 0.00 < 0.00
SELECT -0.000001 < -0.000001
SELECT 3.75 < 99999999999999999999.999
SELECT 3.75 < 0.00
SELECT 5::oid < 3000000000::oid, 3000000000::oid < 5::oid
SELECT 5::oid < NULL, NULL < 5::oid
SELECT 5::oid < '12', '12' < 3000000000::oid
SELECT 0::oid < 0::oid
SELECT 0::oid < 5::oid
SELECT 5::oid < 0::oid
SELECT 'abc'::text < 'some_name'::name, 'Hello World'::text < 'abc'::name
SELECT 'abc'::text < NULL, NULL < 'abc'::name
SELECT ''::text < ''::name
SELECT ''::text < 'abc'::name
SELECT 'äöü €'::text < ''::name
SELECT '  42 '::text < ''::name
SELECT 'a%b\c_'::text < ''::name
SELECT 'abc'::text < ''::name
SELECT 'abc'::text < 'l'::text, 'Hello World'::text < 'abc'::text
SELECT 'abc'::text < NULL, NULL < 'abc'::text
SELECT 'abc'::text < 'abc', 'abc' < 'Hello World'::text
SELECT ''::text < ''::text
SELECT ''::text < 'abc'::text
SELECT 'äöü €'::text < 'äöü €'::text
SELECT '  42 '::text < '  42 '::text
SELECT 'a%b\c_'::text < 'a%b\c_'::text
SELECT 'abc'::text < ''::text
SELECT 'abc'::text < 'äöü €'::text
SELECT '12:34:56.789'::time < '03:00:00'::time, '03:00:00'::time < '12:34:56.789'::time
SELECT '12:34:56.789'::time < NULL, NULL < '12:34:56.789'::time
SELECT '12:34:56.789'::time < '12:34', '12:34' < '03:00:00'::time
SELECT '24:00:00'::time < '24:00:00'::time
SELECT '24:00:00'::time < '12:34:56.789'::time
SELECT '00:00:00'::time < '00:00:00'::time
SELECT '12:34:56.789'::time < '24:00:00'::time
SELECT '12:34:56.789'::time < '00:00:00'::time
SELECT '2024-02-29 12:34:56.789'::timestamp < '1999-12-31'::date, '1999-12-31 23:59:59'::timestamp < '2024-02-29'::date
SELECT '2024-02-29 12:34:56.789'::timestamp < NULL, NULL < '2024-02-29'::date
SELECT '-infinity'::timestamp < 'infinity'::date
SELECT '-infinity'::timestamp < '2024-02-29'::date
SELECT '0044-03-15 BC'::timestamp < '0001-01-01 BC'::date
SELECT '9999-12-31 23:59:59.999999'::timestamp < '9999-12-31'::date
SELECT '2024-02-29 12:34:56.789'::timestamp < 'infinity'::date
SELECT '2024-02-29 12:34:56.789'::timestamp < '0001-01-01 BC'::date
SELECT '2024-02-29 12:34:56.789'::timestamp < '1999-12-31 23:59:59'::timestamp, '1999-12-31 23:59:59'::timestamp < '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp < NULL, NULL < '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp < '2024-02-29 12:34:56', '2024-02-29 12:34:56' < '1999-12-31 23:59:59'::timestamp
SELECT '-infinity'::timestamp < '-infinity'::timestamp
SELECT '-infinity'::timestamp < '2024-02-29 12:34:56.789'::timestamp
SELECT '0044-03-15 BC'::timestamp < '0044-03-15 BC'::timestamp
SELECT '9999-12-31 23:59:59.999999'::timestamp < '9999-12-31 23:59:59.999999'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp < '-infinity'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp < '0044-03-15 BC'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp < '1999-12-31 23:59:59Z'::timestamptz, '1999-12-31 23:59:59'::timestamp < '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29 12:34:56.789'::timestamp < NULL, NULL < '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '-infinity'::timestamp < 'infinity'::timestamptz
SELECT '-infinity'::timestamp < '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '0044-03-15 BC'::timestamp < '0044-03-15 BC'::timestamptz
SELECT '9999-12-31 23:59:59.999999'::timestamp < 'infinity'::timestamptz
SELECT '2024-02-29 12:34:56.789'::timestamp < 'infinity'::timestamptz
SELECT '2024-02-29 12:34:56.789'::timestamp < '0044-03-15 BC'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < '1999-12-31'::date, '1999-12-31 23:59:59Z'::timestamptz < '2024-02-29'::date
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < NULL, NULL < '2024-02-29'::date
SELECT 'infinity'::timestamptz < 'infinity'::date
SELECT 'infinity'::timestamptz < '2024-02-29'::date
SELECT '0044-03-15 BC'::timestamptz < '0001-01-01 BC'::date
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < 'infinity'::date
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < '0001-01-01 BC'::date
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < '1999-12-31 23:59:59'::timestamp, '1999-12-31 23:59:59Z'::timestamptz < '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < NULL, NULL < '2024-02-29 12:34:56.789'::timestamp
SELECT 'infinity'::timestamptz < '-infinity'::timestamp
SELECT 'infinity'::timestamptz < '2024-02-29 12:34:56.789'::timestamp
SELECT '0044-03-15 BC'::timestamptz < '0044-03-15 BC'::timestamp
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < '-infinity'::timestamp
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < '0044-03-15 BC'::timestamp
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < '1999-12-31 23:59:59Z'::timestamptz, '1999-12-31 23:59:59Z'::timestamptz < '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < NULL, NULL < '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < '2024-02-29 12:34:56+02', '2024-02-29 12:34:56+02' < '1999-12-31 23:59:59Z'::timestamptz
SELECT 'infinity'::timestamptz < 'infinity'::timestamptz
SELECT 'infinity'::timestamptz < '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '0044-03-15 BC'::timestamptz < '0044-03-15 BC'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < 'infinity'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz < '0044-03-15 BC'::timestamptz
SELECT '12:34:56+02'::timetz < '03:00:00+00'::timetz, '03:00:00+00'::timetz < '12:34:56+02'::timetz
SELECT '12:34:56+02'::timetz < NULL, NULL < '12:34:56+02'::timetz
SELECT '12:34:56+02'::timetz < '12:34+02', '12:34+02' < '03:00:00+00'::timetz
SELECT '24:00:00-12'::timetz < '24:00:00-12'::timetz
SELECT '24:00:00-12'::timetz < '12:34:56+02'::timetz
SELECT '12:34:56+02'::timetz < '24:00:00-12'::timetz
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid < '00000000-0000-0000-0000-000000000001'::uuid, '00000000-0000-0000-0000-000000000001'::uuid < 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid < NULL, NULL < 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid < 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11' < '00000000-0000-0000-0000-000000000001'::uuid
SELECT 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid < 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
SELECT 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid < 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid < 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
SELECT '[1,5)'::int4range << '[3,8)'::int4range, '[3,8)'::int4range << '[1,5)'::int4range
SELECT '[1,5)'::int4range << NULL, NULL << '[1,5)'::int4range
SELECT '[1,5)'::int4range << '[1,5)', '[1,5)' << '[3,8)'::int4range
SELECT 'empty'::int4range << 'empty'::int4range
SELECT 'empty'::int4range << '[1,5)'::int4range
SELECT '(,)'::int4range << '(,)'::int4range
SELECT '[5,8]'::int4range << '[5,8]'::int4range
SELECT '(,1)'::int4range << '(,1)'::int4range
SELECT '[1,5)'::int4range << 'empty'::int4range
SELECT '[1,5)'::int4range << '(,)'::int4range
SELECT 7::int2 << 2, '-3'::int2 << 5
SELECT 7::int2 << NULL, NULL << 5
SELECT '32767'::int2 << 2147483647
SELECT '32767'::int2 << 5
SELECT '-32768'::int2 << '-2147483648'::int4
SELECT 0::int2 << 0
SELECT 7::int2 << 2147483647
SELECT 7::int2 << '-2147483648'::int4
SELECT 5 << 2, -7 << 5
SELECT 5 << NULL, NULL << 5
SELECT 5 << '12', '12' << -7
SELECT 2147483647 << 2147483647
SELECT 2147483647 << 5
SELECT '-2147483648'::int4 << '-2147483648'::int4
SELECT 0 << 0
SELECT 5 << 2147483647
SELECT 5 << '-2147483648'::int4
SELECT 12::int8 << 2, '-5'::int8 << 5
SELECT 12::int8 << NULL, NULL << 5
SELECT 9223372036854775807 << 2147483647
SELECT 9223372036854775807 << 5
SELECT '-9223372036854775808'::int8 << '-2147483648'::int4
SELECT 0::int8 << 0
SELECT 12::int8 << 2147483647
SELECT 12::int8 << '-2147483648'::int4
SELECT array[1, 2, 3] <= array[2], '{4,NULL,1}'::int4[] <= array[1, 2, 3]
SELECT array[1, 2, 3] <= NULL, NULL <= array[1, 2, 3]
SELECT array[1, 2, 3] <= '{1,2}', '{1,2}' <= '{4,NULL,1}'::int4[]
SELECT '{}'::int4[] <= '{}'::int4[]
SELECT '{}'::int4[] <= array[1, 2, 3]
SELECT array[1, 2, 3] <= '{}'::int4[]
SELECT '[1,5)'::int4range <= '[3,8)'::int4range, '[3,8)'::int4range <= '[1,5)'::int4range
SELECT '[1,5)'::int4range <= NULL, NULL <= '[1,5)'::int4range
SELECT '[1,5)'::int4range <= '[1,5)', '[1,5)' <= '[3,8)'::int4range
SELECT 'empty'::int4range <= 'empty'::int4range
SELECT 'empty'::int4range <= '[1,5)'::int4range
SELECT '(,)'::int4range <= '(,)'::int4range
SELECT '[5,8]'::int4range <= '[5,8]'::int4range
SELECT '(,1)'::int4range <= '(,1)'::int4range
SELECT '[1,5)'::int4range <= 'empty'::int4range
SELECT '[1,5)'::int4range <= '(,)'::int4range
SELECT true <= false, false <= true
SELECT true <= NULL, NULL <= true
SELECT true <= 't', 't' <= false
SELECT 'ab'::char(4) <= 'xyz'::char(3), 'xyz'::char(3) <= 'ab'::char(4)
SELECT 'ab'::char(4) <= NULL, NULL <= 'ab'::char(4)
SELECT 'ab'::char(4) <= 'ab', 'ab' <= 'xyz'::char(3)
SELECT ''::char(2) <= ''::char(2)
SELECT ''::char(2) <= 'ab'::char(4)
SELECT 'a '::char(3) <= 'a '::char(3)
SELECT 'ab'::char(4) <= ''::char(2)
SELECT 'ab'::char(4) <= 'a '::char(3)
SELECT '\x6162'::bytea <= '\x62'::bytea, '\x00ff10'::bytea <= '\x6162'::bytea
SELECT '\x6162'::bytea <= NULL, NULL <= '\x6162'::bytea
SELECT '\x6162'::bytea <= '\x61', '\x61' <= '\x00ff10'::bytea
SELECT ''::bytea <= ''::bytea
SELECT ''::bytea <= '\x6162'::bytea
SELECT '\xffffffffffffffff'::bytea <= '\xffffffffffffffff'::bytea
SELECT '\x6162'::bytea <= ''::bytea
SELECT '\x6162'::bytea <= '\xffffffffffffffff'::bytea
SELECT 'x'::"char" <= 'y'::"char", 'y'::"char" <= 'x'::"char"
SELECT 'x'::"char" <= NULL, NULL <= 'x'::"char"
SELECT 'x'::"char" <= 'a', 'a' <= 'y'::"char"
SELECT ''::"char" <= ''::"char"
SELECT ''::"char" <= 'x'::"char"
SELECT 'x'::"char" <= ''::"char"
SELECT '2024-02-29'::date <= '1999-12-31'::date, '1999-12-31'::date <= '2024-02-29'::date
SELECT '2024-02-29'::date <= NULL, NULL <= '2024-02-29'::date
SELECT '2024-02-29'::date <= '2024-02-29', '2024-02-29' <= '1999-12-31'::date
SELECT 'infinity'::date <= 'infinity'::date
SELECT 'infinity'::date <= '2024-02-29'::date
SELECT '0001-01-01 BC'::date <= '0001-01-01 BC'::date
SELECT '9999-12-31'::date <= '9999-12-31'::date
SELECT '2024-02-29'::date <= 'infinity'::date
SELECT '2024-02-29'::date <= '0001-01-01 BC'::date
SELECT '2024-02-29'::date <= '1999-12-31 23:59:59'::timestamp, '1999-12-31'::date <= '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29'::date <= NULL, NULL <= '2024-02-29 12:34:56.789'::timestamp
SELECT 'infinity'::date <= '-infinity'::timestamp
SELECT 'infinity'::date <= '2024-02-29 12:34:56.789'::timestamp
SELECT '0001-01-01 BC'::date <= '0044-03-15 BC'::timestamp
SELECT '9999-12-31'::date <= '9999-12-31 23:59:59.999999'::timestamp
SELECT '2024-02-29'::date <= '-infinity'::timestamp
SELECT '2024-02-29'::date <= '0044-03-15 BC'::timestamp
SELECT '2024-02-29'::date <= '1999-12-31 23:59:59Z'::timestamptz, '1999-12-31'::date <= '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29'::date <= NULL, NULL <= '2024-02-29 12:34:56.789+02'::timestamptz
SELECT 'infinity'::date <= 'infinity'::timestamptz
SELECT 'infinity'::date <= '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '0001-01-01 BC'::date <= '0044-03-15 BC'::timestamptz
SELECT '9999-12-31'::date <= 'infinity'::timestamptz
SELECT '2024-02-29'::date <= 'infinity'::timestamptz
SELECT '2024-02-29'::date <= '0044-03-15 BC'::timestamptz
SELECT 1.5::float4 <= 3::float4, '-2.25'::float4 <= 1.5::float4
SELECT 1.5::float4 <= NULL, NULL <= 1.5::float4
SELECT 1.5::float4 <= '1.5', '1.5' <= '-2.25'::float4
SELECT 'NaN'::float4 <= 'NaN'::float4
SELECT 'NaN'::float4 <= 1.5::float4
SELECT '-Infinity'::float4 <= '-Infinity'::float4
SELECT '3.4e38'::float4 <= '3.4e38'::float4
SELECT '-0'::float4 <= '-0'::float4
SELECT 1.5::float4 <= 'NaN'::float4
SELECT 1.5::float4 <= '-Infinity'::float4
SELECT 1.5::float4 <= 4::float8, '-2.25'::float4 <= 2.5::float8
SELECT 1.5::float4 <= NULL, NULL <= 2.5::float8
SELECT 'NaN'::float4 <= 'NaN'::float8
SELECT 'NaN'::float4 <= 2.5::float8
SELECT '-Infinity'::float4 <= 'Infinity'::float8
SELECT '3.4e38'::float4 <= '1e308'::float8
SELECT '-0'::float4 <= '-0'::float8
SELECT 1.5::float4 <= 'NaN'::float8
SELECT 1.5::float4 <= 'Infinity'::float8
SELECT 2.5::float8 <= 3::float4, '-0.5'::float8 <= 1.5::float4
SELECT 2.5::float8 <= NULL, NULL <= 1.5::float4
SELECT 'NaN'::float8 <= 'NaN'::float4
SELECT 'NaN'::float8 <= 1.5::float4
SELECT 'Infinity'::float8 <= '-Infinity'::float4
SELECT '1e308'::float8 <= '3.4e38'::float4
SELECT '-0'::float8 <= '-0'::float4
SELECT '1e-310'::float8 <= 'NaN'::float4
SELECT 2.5::float8 <= 'NaN'::float4
SELECT 2.5::float8 <= '-Infinity'::float4
SELECT 2.5::float8 <= 4::float8, '-0.5'::float8 <= 2.5::float8
SELECT 2.5::float8 <= NULL, NULL <= 2.5::float8
SELECT 2.5::float8 <= '1.5', '1.5' <= '-0.5'::float8
SELECT 'NaN'::float8 <= 'NaN'::float8
SELECT 'NaN'::float8 <= 2.5::float8
SELECT 'Infinity'::float8 <= 'Infinity'::float8
SELECT '1e308'::float8 <= '1e308'::float8
SELECT '-0'::float8 <= '-0'::float8
SELECT '1e-310'::float8 <= '1e-310'::float8
SELECT 2.5::float8 <= 'NaN'::float8
SELECT 2.5::float8 <= 'Infinity'::float8
SELECT 7::int2 <= 2::int2, '-3'::int2 <= 7::int2
SELECT 7::int2 <= NULL, NULL <= 7::int2
SELECT 7::int2 <= '12', '12' <= '-3'::int2
SELECT '32767'::int2 <= '32767'::int2
SELECT '32767'::int2 <= 7::int2
SELECT '-32768'::int2 <= '-32768'::int2
SELECT 0::int2 <= 0::int2
SELECT 7::int2 <= '32767'::int2
SELECT 7::int2 <= '-32768'::int2
SELECT 7::int2 <= 2, '-3'::int2 <= 5
SELECT 7::int2 <= NULL, NULL <= 5
SELECT '32767'::int2 <= 2147483647
SELECT '32767'::int2 <= 5
SELECT '-32768'::int2 <= '-2147483648'::int4
SELECT 0::int2 <= 0
SELECT 7::int2 <= 2147483647
SELECT 7::int2 <= '-2147483648'::int4
SELECT 7::int2 <= 3::int8, '-3'::int2 <= 12::int8
SELECT 7::int2 <= NULL, NULL <= 12::int8
SELECT '32767'::int2 <= 9223372036854775807
SELECT '32767'::int2 <= 12::int8
SELECT '-32768'::int2 <= '-9223372036854775808'::int8
SELECT 0::int2 <= 0::int8
SELECT 7::int2 <= 9223372036854775807
SELECT 7::int2 <= '-9223372036854775808'::int8
SELECT 5 <= 2::int2, -7 <= 7::int2
SELECT 5 <= NULL, NULL <= 7::int2
SELECT 2147483647 <= '32767'::int2
SELECT 2147483647 <= 7::int2
SELECT '-2147483648'::int4 <= '-32768'::int2
SELECT 0 <= 0::int2
SELECT 5 <= '32767'::int2
SELECT 5 <= '-32768'::int2
SELECT 5 <= 2, -7 <= 5
SELECT 5 <= NULL, NULL <= 5
SELECT 5 <= '12', '12' <= -7
SELECT 2147483647 <= 2147483647
SELECT 2147483647 <= 5
SELECT '-2147483648'::int4 <= '-2147483648'::int4
SELECT 0 <= 0
SELECT 5 <= 2147483647
SELECT 5 <= '-2147483648'::int4
SELECT 5 <= 3::int8, -7 <= 12::int8
SELECT 5 <= NULL, NULL <= 12::int8
SELECT 2147483647 <= 9223372036854775807
SELECT 2147483647 <= 12::int8
SELECT '-2147483648'::int4 <= '-9223372036854775808'::int8
SELECT 0 <= 0::int8
SELECT 5 <= 9223372036854775807
SELECT 5 <= '-9223372036854775808'::int8
SELECT 12::int8 <= 2::int2, '-5'::int8 <= 7::int2
SELECT 12::int8 <= NULL, NULL <= 7::int2
SELECT 9223372036854775807 <= '32767'::int2
SELECT 9223372036854775807 <= 7::int2
SELECT '-9223372036854775808'::int8 <= '-32768'::int2
SELECT 0::int8 <= 0::int2
SELECT 12::int8 <= '32767'::int2
SELECT 12::int8 <= '-32768'::int2
SELECT 12::int8 <= 2, '-5'::int8 <= 5
SELECT 12::int8 <= NULL, NULL <= 5
SELECT 9223372036854775807 <= 2147483647
SELECT 9223372036854775807 <= 5
SELECT '-9223372036854775808'::int8 <= '-2147483648'::int4
SELECT 0::int8 <= 0
SELECT 12::int8 <= 2147483647
SELECT 12::int8 <= '-2147483648'::int4
SELECT 12::int8 <= 3::int8, '-5'::int8 <= 12::int8
SELECT 12::int8 <= NULL, NULL <= 12::int8
SELECT 12::int8 <= '12', '12' <= '-5'::int8
SELECT 9223372036854775807 <= 9223372036854775807
SELECT 9223372036854775807 <= 12::int8
SELECT '-9223372036854775808'::int8 <= '-9223372036854775808'::int8
SELECT 0::int8 <= 0::int8
SELECT 12::int8 <= 9223372036854775807
SELECT 12::int8 <= '-9223372036854775808'::int8
SELECT '1 mon 2 days 03:04:05.5'::interval <= '36:00:00'::interval, '-1 day'::interval <= '1 mon 2 days 03:04:05.5'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval <= NULL, NULL <= '1 mon 2 days 03:04:05.5'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval <= '1 day', '1 day' <= '-1 day'::interval
SELECT 'infinity'::interval <= 'infinity'::interval
SELECT 'infinity'::interval <= '1 mon 2 days 03:04:05.5'::interval
SELECT '-178000000 years'::interval <= '-178000000 years'::interval
SELECT '00:00:00'::interval <= '00:00:00'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval <= 'infinity'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval <= '-178000000 years'::interval
SELECT '{"a": 1, "b": [1, 2]}'::jsonb <= '"a"'::jsonb, '[1, "x", null]'::jsonb <= '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb <= NULL, NULL <= '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb <= '[1, 2.50, 1e2]', '[1, 2.50, 1e2]' <= '[1, "x", null]'::jsonb
SELECT 'null'::jsonb <= 'null'::jsonb
SELECT 'null'::jsonb <= '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '1.50'::jsonb <= '1.50'::jsonb
SELECT '{}'::jsonb <= '{}'::jsonb
SELECT 'true'::jsonb <= 'true'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb <= 'null'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb <= '1.50'::jsonb
SELECT 'abc'::name <= 'some_name'::name, 'some_name'::name <= 'abc'::name
SELECT 'abc'::name <= NULL, NULL <= 'abc'::name
SELECT 'abc'::name <= 'abc', 'abc' <= 'some_name'::name
SELECT ''::name <= ''::name
SELECT ''::name <= 'abc'::name
SELECT 'abc'::name <= ''::name
SELECT 'abc'::name <= 'l'::text, 'some_name'::name <= 'abc'::text
SELECT 'abc'::name <= NULL, NULL <= 'abc'::text
SELECT ''::name <= ''::text
SELECT ''::name <= 'abc'::text
SELECT 'abc'::name <= ''::text
SELECT 'abc'::name <= 'äöü €'::text
SELECT 3.75 <= 2.25::numeric(6,2), -1.5::numeric <= 3.75
SELECT 3.75 <= NULL, NULL <= 3.75
SELECT 3.75 <= '1.50', '1.50' <= -1.5::numeric
SELECT 99999999999999999999.999 <= 99999999999999999999.999
SELECT 99999999999999999999.999 <= 3.75
SELECT 0.00 <= 0.00
SELECT -0.000001 <= -0.000001
SELECT 3.75 <= 99999999999999999999.999
SELECT 3.75 <= 0.00
SELECT 5::oid <= 3000000000::oid, 3000000000::oid <= 5::oid
SELECT 5::oid <= NULL, NULL <= 5::oid
SELECT 5::oid <= '12', '12' <= 3000000000::oid
SELECT 0::oid <= 0::oid
SELECT 0::oid <= 5::oid
SELECT 5::oid <= 0::oid
SELECT 'abc'::text <= 'some_name'::name, 'Hello World'::text <= 'abc'::name
SELECT 'abc'::text <= NULL, NULL <= 'abc'::name
SELECT ''::text <= ''::name
SELECT ''::text <= 'abc'::name
SELECT 'äöü €'::text <= ''::name
SELECT '  42 '::text <= ''::name
SELECT 'a%b\c_'::text <= ''::name
SELECT 'abc'::text <= ''::name
SELECT 'abc'::text <= 'l'::text, 'Hello World'::text <= 'abc'::text
SELECT 'abc'::text <= NULL, NULL <= 'abc'::text
SELECT 'abc'::text <= 'abc', 'abc' <= 'Hello World'::text
SELECT ''::text <= ''::text
SELECT ''::text <= 'abc'::text
SELECT 'äöü €'::text <= 'äöü €'::text
SELECT '  42 '::text <= '  42 '::text
SELECT 'a%b\c_'::text <= 'a%b\c_'::text
SELECT 'abc'::text <= ''::text
SELECT 'abc'::text <= 'äöü €'::text
SELECT '12:34:56.789'::time <= '03:00:00'::time, '03:00:00'::time <= '12:34:56.789'::time
SELECT '12:34:56.789'::time <= NULL, NULL <= '12:34:56.789'::time
SELECT '12:34:56.789'::time <= '12:34', '12:34' <= '03:00:00'::time
SELECT '24:00:00'::time <= '24:00:00'::time
SELECT '24:00:00'::time <= '12:34:56.789'::time
SELECT '00:00:00'::time <= '00:00:00'::time
SELECT '12:34:56.789'::time <= '24:00:00'::time
SELECT '12:34:56.789'::time <= '00:00:00'::time
SELECT '2024-02-29 12:34:56.789'::timestamp <= '1999-12-31'::date, '1999-12-31 23:59:59'::timestamp <= '2024-02-29'::date
SELECT '2024-02-29 12:34:56.789'::timestamp <= NULL, NULL <= '2024-02-29'::date
SELECT '-infinity'::timestamp <= 'infinity'::date
SELECT '-infinity'::timestamp <= '2024-02-29'::date
SELECT '0044-03-15 BC'::timestamp <= '0001-01-01 BC'::date
SELECT '9999-12-31 23:59:59.999999'::timestamp <= '9999-12-31'::date
SELECT '2024-02-29 12:34:56.789'::timestamp <= 'infinity'::date
SELECT '2024-02-29 12:34:56.789'::timestamp <= '0001-01-01 BC'::date
SELECT '2024-02-29 12:34:56.789'::timestamp <= '1999-12-31 23:59:59'::timestamp, '1999-12-31 23:59:59'::timestamp <= '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp <= NULL, NULL <= '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp <= '2024-02-29 12:34:56', '2024-02-29 12:34:56' <= '1999-12-31 23:59:59'::timestamp
SELECT '-infinity'::timestamp <= '-infinity'::timestamp
SELECT '-infinity'::timestamp <= '2024-02-29 12:34:56.789'::timestamp
SELECT '0044-03-15 BC'::timestamp <= '0044-03-15 BC'::timestamp
SELECT '9999-12-31 23:59:59.999999'::timestamp <= '9999-12-31 23:59:59.999999'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp <= '-infinity'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp <= '0044-03-15 BC'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp <= '1999-12-31 23:59:59Z'::timestamptz, '1999-12-31 23:59:59'::timestamp <= '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29 12:34:56.789'::timestamp <= NULL, NULL <= '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '-infinity'::timestamp <= 'infinity'::timestamptz
SELECT '-infinity'::timestamp <= '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '0044-03-15 BC'::timestamp <= '0044-03-15 BC'::timestamptz
SELECT '9999-12-31 23:59:59.999999'::timestamp <= 'infinity'::timestamptz
SELECT '2024-02-29 12:34:56.789'::timestamp <= 'infinity'::timestamptz
SELECT '2024-02-29 12:34:56.789'::timestamp <= '0044-03-15 BC'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz <= '1999-12-31'::date, '1999-12-31 23:59:59Z'::timestamptz <= '2024-02-29'::date
SELECT '2024-02-29 12:34:56.789+02'::timestamptz <= NULL, NULL <= '2024-02-29'::date
SELECT 'infinity'::timestamptz <= 'infinity'::date
SELECT 'infinity'::timestamptz <= '2024-02-29'::date
SELECT '0044-03-15 BC'::timestamptz <= '0001-01-01 BC'::date
SELECT '2024-02-29 12:34:56.789+02'::timestamptz <= 'infinity'::date
SELECT '2024-02-29 12:34:56.789+02'::timestamptz <= '0001-01-01 BC'::date
SELECT '2024-02-29 12:34:56.789+02'::timestamptz <= '1999-12-31 23:59:59'::timestamp, '1999-12-31 23:59:59Z'::timestamptz <= '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29 12:34:56.789+02'::timestamptz <= NULL, NULL <= '2024-02-29 12:34:56.789'::timestamp
SELECT 'infinity'::timestamptz <= '-infinity'::timestamp
SELECT 'infinity'::timestamptz <= '2024-02-29 12:34:56.789'::timestamp
SELECT '0044-03-15 BC'::timestamptz <= '0044-03-15 BC'::timestamp
SELECT '2024-02-29 12:34:56.789+02'::timestamptz <= '-infinity'::timestamp
SELECT '2024-02-29 12:34:56.789+02'::timestamptz <= '0044-03-15 BC'::timestamp
SELECT '2024-02-29 12:34:56.789+02'::timestamptz <= '1999-12-31 23:59:59Z'::timestamptz, '1999-12-31 23:59:59Z'::timestamptz <= '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz <= NULL, NULL <= '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz <= '2024-02-29 12:34:56+02', '2024-02-29 12:34:56+02' <= '1999-12-31 23:59:59Z'::timestamptz
SELECT 'infinity'::timestamptz <= 'infinity'::timestamptz
SELECT 'infinity'::timestamptz <= '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '0044-03-15 BC'::timestamptz <= '0044-03-15 BC'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz <= 'infinity'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz <= '0044-03-15 BC'::timestamptz
SELECT '12:34:56+02'::timetz <= '03:00:00+00'::timetz, '03:00:00+00'::timetz <= '12:34:56+02'::timetz
SELECT '12:34:56+02'::timetz <= NULL, NULL <= '12:34:56+02'::timetz
SELECT '12:34:56+02'::timetz <= '12:34+02', '12:34+02' <= '03:00:00+00'::timetz
SELECT '24:00:00-12'::timetz <= '24:00:00-12'::timetz
SELECT '24:00:00-12'::timetz <= '12:34:56+02'::timetz
SELECT '12:34:56+02'::timetz <= '24:00:00-12'::timetz
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid <= '00000000-0000-0000-0000-000000000001'::uuid, '00000000-0000-0000-0000-000000000001'::uuid <= 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid <= NULL, NULL <= 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid <= 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11' <= '00000000-0000-0000-0000-000000000001'::uuid
SELECT 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid <= 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
SELECT 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid <= 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid <= 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
SELECT array[1, 2, 3] <> array[2], '{4,NULL,1}'::int4[] <> array[1, 2, 3]
SELECT array[1, 2, 3] <> NULL, NULL <> array[1, 2, 3]
SELECT array[1, 2, 3] <> '{1,2}', '{1,2}' <> '{4,NULL,1}'::int4[]
SELECT '{}'::int4[] <> '{}'::int4[]
SELECT '{}'::int4[] <> array[1, 2, 3]
SELECT array[1, 2, 3] <> '{}'::int4[]
SELECT '[1,5)'::int4range <> '[3,8)'::int4range, '[3,8)'::int4range <> '[1,5)'::int4range
SELECT '[1,5)'::int4range <> NULL, NULL <> '[1,5)'::int4range
SELECT '[1,5)'::int4range <> '[1,5)', '[1,5)' <> '[3,8)'::int4range
SELECT 'empty'::int4range <> 'empty'::int4range
SELECT 'empty'::int4range <> '[1,5)'::int4range
SELECT '(,)'::int4range <> '(,)'::int4range
SELECT '[5,8]'::int4range <> '[5,8]'::int4range
SELECT '(,1)'::int4range <> '(,1)'::int4range
SELECT '[1,5)'::int4range <> 'empty'::int4range
SELECT '[1,5)'::int4range <> '(,)'::int4range
SELECT true <> false, false <> true
SELECT true <> NULL, NULL <> true
SELECT true <> 't', 't' <> false
SELECT 'ab'::char(4) <> 'xyz'::char(3), 'xyz'::char(3) <> 'ab'::char(4)
SELECT 'ab'::char(4) <> NULL, NULL <> 'ab'::char(4)
SELECT 'ab'::char(4) <> 'ab', 'ab' <> 'xyz'::char(3)
SELECT ''::char(2) <> ''::char(2)
SELECT ''::char(2) <> 'ab'::char(4)
SELECT 'a '::char(3) <> 'a '::char(3)
SELECT 'ab'::char(4) <> ''::char(2)
SELECT 'ab'::char(4) <> 'a '::char(3)
SELECT '\x6162'::bytea <> '\x62'::bytea, '\x00ff10'::bytea <> '\x6162'::bytea
SELECT '\x6162'::bytea <> NULL, NULL <> '\x6162'::bytea
SELECT '\x6162'::bytea <> '\x61', '\x61' <> '\x00ff10'::bytea
SELECT ''::bytea <> ''::bytea
SELECT ''::bytea <> '\x6162'::bytea
SELECT '\xffffffffffffffff'::bytea <> '\xffffffffffffffff'::bytea
SELECT '\x6162'::bytea <> ''::bytea
SELECT '\x6162'::bytea <> '\xffffffffffffffff'::bytea
SELECT 'x'::"char" <> 'y'::"char", 'y'::"char" <> 'x'::"char"
SELECT 'x'::"char" <> NULL, NULL <> 'x'::"char"
SELECT 'x'::"char" <> 'a', 'a' <> 'y'::"char"
SELECT ''::"char" <> ''::"char"
SELECT ''::"char" <> 'x'::"char"
SELECT 'x'::"char" <> ''::"char"
SELECT '2024-02-29'::date <> '1999-12-31'::date, '1999-12-31'::date <> '2024-02-29'::date
SELECT '2024-02-29'::date <> NULL, NULL <> '2024-02-29'::date
SELECT '2024-02-29'::date <> '2024-02-29', '2024-02-29' <> '1999-12-31'::date
SELECT 'infinity'::date <> 'infinity'::date
SELECT 'infinity'::date <> '2024-02-29'::date
SELECT '0001-01-01 BC'::date <> '0001-01-01 BC'::date
SELECT '9999-12-31'::date <> '9999-12-31'::date
SELECT '2024-02-29'::date <> 'infinity'::date
SELECT '2024-02-29'::date <> '0001-01-01 BC'::date
SELECT '2024-02-29'::date <> '1999-12-31 23:59:59'::timestamp, '1999-12-31'::date <> '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29'::date <> NULL, NULL <> '2024-02-29 12:34:56.789'::timestamp
SELECT 'infinity'::date <> '-infinity'::timestamp
SELECT 'infinity'::date <> '2024-02-29 12:34:56.789'::timestamp
SELECT '0001-01-01 BC'::date <> '0044-03-15 BC'::timestamp
SELECT '9999-12-31'::date <> '9999-12-31 23:59:59.999999'::timestamp
SELECT '2024-02-29'::date <> '-infinity'::timestamp
SELECT '2024-02-29'::date <> '0044-03-15 BC'::timestamp
SELECT '2024-02-29'::date <> '1999-12-31 23:59:59Z'::timestamptz, '1999-12-31'::date <> '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29'::date <> NULL, NULL <> '2024-02-29 12:34:56.789+02'::timestamptz
SELECT 'infinity'::date <> 'infinity'::timestamptz
SELECT 'infinity'::date <> '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '0001-01-01 BC'::date <> '0044-03-15 BC'::timestamptz
SELECT '9999-12-31'::date <> 'infinity'::timestamptz
SELECT '2024-02-29'::date <> 'infinity'::timestamptz
SELECT '2024-02-29'::date <> '0044-03-15 BC'::timestamptz
SELECT 1.5::float4 <> 3::float4, '-2.25'::float4 <> 1.5::float4
SELECT 1.5::float4 <> NULL, NULL <> 1.5::float4
SELECT 1.5::float4 <> '1.5', '1.5' <> '-2.25'::float4
SELECT 'NaN'::float4 <> 'NaN'::float4
SELECT 'NaN'::float4 <> 1.5::float4
SELECT '-Infinity'::float4 <> '-Infinity'::float4
SELECT '3.4e38'::float4 <> '3.4e38'::float4
SELECT '-0'::float4 <> '-0'::float4
SELECT 1.5::float4 <> 'NaN'::float4
SELECT 1.5::float4 <> '-Infinity'::float4
SELECT 1.5::float4 <> 4::float8, '-2.25'::float4 <> 2.5::float8
SELECT 1.5::float4 <> NULL, NULL <> 2.5::float8
SELECT 'NaN'::float4 <> 'NaN'::float8
SELECT 'NaN'::float4 <> 2.5::float8
SELECT '-Infinity'::float4 <> 'Infinity'::float8
SELECT '3.4e38'::float4 <> '1e308'::float8
SELECT '-0'::float4 <> '-0'::float8
SELECT 1.5::float4 <> 'NaN'::float8
SELECT 1.5::float4 <> 'Infinity'::float8
SELECT 2.5::float8 <> 3::float4, '-0.5'::float8 <> 1.5::float4
SELECT 2.5::float8 <> NULL, NULL <> 1.5::float4
SELECT 'NaN'::float8 <> 'NaN'::float4
SELECT 'NaN'::float8 <> 1.5::float4
SELECT 'Infinity'::float8 <> '-Infinity'::float4
SELECT '1e308'::float8 <> '3.4e38'::float4
SELECT '-0'::float8 <> '-0'::float4
SELECT '1e-310'::float8 <> 'NaN'::float4
SELECT 2.5::float8 <> 'NaN'::float4
SELECT 2.5::float8 <> '-Infinity'::float4
SELECT 2.5::float8 <> 4::float8, '-0.5'::float8 <> 2.5::float8
SELECT 2.5::float8 <> NULL, NULL <> 2.5::float8
SELECT 2.5::float8 <> '1.5', '1.5' <> '-0.5'::float8
SELECT 'NaN'::float8 <> 'NaN'::float8
SELECT 'NaN'::float8 <> 2.5::float8
SELECT 'Infinity'::float8 <> 'Infinity'::float8
SELECT '1e308'::float8 <> '1e308'::float8
SELECT '-0'::float8 <> '-0'::float8
SELECT '1e-310'::float8 <> '1e-310'::float8
SELECT 2.5::float8 <> 'NaN'::float8
SELECT 2.5::float8 <> 'Infinity'::float8
SELECT 7::int2 <> 2::int2, '-3'::int2 <> 7::int2
SELECT 7::int2 <> NULL, NULL <> 7::int2
SELECT 7::int2 <> '12', '12' <> '-3'::int2
SELECT '32767'::int2 <> '32767'::int2
SELECT '32767'::int2 <> 7::int2
SELECT '-32768'::int2 <> '-32768'::int2
SELECT 0::int2 <> 0::int2
SELECT 7::int2 <> '32767'::int2
SELECT 7::int2 <> '-32768'::int2
SELECT 7::int2 <> 2, '-3'::int2 <> 5
SELECT 7::int2 <> NULL, NULL <> 5
SELECT '32767'::int2 <> 2147483647
SELECT '32767'::int2 <> 5
SELECT '-32768'::int2 <> '-2147483648'::int4
SELECT 0::int2 <> 0
SELECT 7::int2 <> 2147483647
SELECT 7::int2 <> '-2147483648'::int4
SELECT 7::int2 <> 3::int8, '-3'::int2 <> 12::int8
SELECT 7::int2 <> NULL, NULL <> 12::int8
SELECT '32767'::int2 <> 9223372036854775807
SELECT '32767'::int2 <> 12::int8
SELECT '-32768'::int2 <> '-9223372036854775808'::int8
SELECT 0::int2 <> 0::int8
SELECT 7::int2 <> 9223372036854775807
SELECT 7::int2 <> '-9223372036854775808'::int8
SELECT 5 <> 2::int2, -7 <> 7::int2
SELECT 5 <> NULL, NULL <> 7::int2
SELECT 2147483647 <> '32767'::int2
SELECT 2147483647 <> 7::int2
SELECT '-2147483648'::int4 <> '-32768'::int2
SELECT 0 <> 0::int2
SELECT 5 <> '32767'::int2
SELECT 5 <> '-32768'::int2
SELECT 5 <> 2, -7 <> 5
SELECT 5 <> NULL, NULL <> 5
SELECT 5 <> '12', '12' <> -7
SELECT 2147483647 <> 2147483647
SELECT 2147483647 <> 5
SELECT '-2147483648'::int4 <> '-2147483648'::int4
SELECT 0 <> 0
SELECT 5 <> 2147483647
SELECT 5 <> '-2147483648'::int4
SELECT 5 <> 3::int8, -7 <> 12::int8
SELECT 5 <> NULL, NULL <> 12::int8
SELECT 2147483647 <> 9223372036854775807
SELECT 2147483647 <> 12::int8
SELECT '-2147483648'::int4 <> '-9223372036854775808'::int8
SELECT 0 <> 0::int8
SELECT 5 <> 9223372036854775807
SELECT 5 <> '-9223372036854775808'::int8
SELECT 12::int8 <> 2::int2, '-5'::int8 <> 7::int2
SELECT 12::int8 <> NULL, NULL <> 7::int2
SELECT 9223372036854775807 <> '32767'::int2
SELECT 9223372036854775807 <> 7::int2
SELECT '-9223372036854775808'::int8 <> '-32768'::int2
SELECT 0::int8 <> 0::int2
SELECT 12::int8 <> '32767'::int2
SELECT 12::int8 <> '-32768'::int2
SELECT 12::int8 <> 2, '-5'::int8 <> 5
SELECT 12::int8 <> NULL, NULL <> 5
SELECT 9223372036854775807 <> 2147483647
SELECT 9223372036854775807 <> 5
SELECT '-9223372036854775808'::int8 <> '-2147483648'::int4
SELECT 0::int8 <> 0
SELECT 12::int8 <> 2147483647
SELECT 12::int8 <> '-2147483648'::int4
SELECT 12::int8 <> 3::int8, '-5'::int8 <> 12::int8
SELECT 12::int8 <> NULL, NULL <> 12::int8
SELECT 12::int8 <> '12', '12' <> '-5'::int8
SELECT 9223372036854775807 <> 9223372036854775807
SELECT 9223372036854775807 <> 12::int8
SELECT '-9223372036854775808'::int8 <> '-9223372036854775808'::int8
SELECT 0::int8 <> 0::int8
SELECT 12::int8 <> 9223372036854775807
SELECT 12::int8 <> '-9223372036854775808'::int8
SELECT '1 mon 2 days 03:04:05.5'::interval <> '36:00:00'::interval, '-1 day'::interval <> '1 mon 2 days 03:04:05.5'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval <> NULL, NULL <> '1 mon 2 days 03:04:05.5'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval <> '1 day', '1 day' <> '-1 day'::interval
SELECT 'infinity'::interval <> 'infinity'::interval
SELECT 'infinity'::interval <> '1 mon 2 days 03:04:05.5'::interval
SELECT '-178000000 years'::interval <> '-178000000 years'::interval
SELECT '00:00:00'::interval <> '00:00:00'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval <> 'infinity'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval <> '-178000000 years'::interval
SELECT '{"a": 1, "b": [1, 2]}'::jsonb <> '"a"'::jsonb, '[1, "x", null]'::jsonb <> '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb <> NULL, NULL <> '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb <> '[1, 2.50, 1e2]', '[1, 2.50, 1e2]' <> '[1, "x", null]'::jsonb
SELECT 'null'::jsonb <> 'null'::jsonb
SELECT 'null'::jsonb <> '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '1.50'::jsonb <> '1.50'::jsonb
SELECT '{}'::jsonb <> '{}'::jsonb
SELECT 'true'::jsonb <> 'true'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb <> 'null'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb <> '1.50'::jsonb
SELECT 'abc'::name <> 'some_name'::name, 'some_name'::name <> 'abc'::name
SELECT 'abc'::name <> NULL, NULL <> 'abc'::name
SELECT 'abc'::name <> 'abc', 'abc' <> 'some_name'::name
SELECT ''::name <> ''::name
SELECT ''::name <> 'abc'::name
SELECT 'abc'::name <> ''::name
SELECT 'abc'::name <> 'l'::text, 'some_name'::name <> 'abc'::text
SELECT 'abc'::name <> NULL, NULL <> 'abc'::text
SELECT ''::name <> ''::text
SELECT ''::name <> 'abc'::text
SELECT 'abc'::name <> ''::text
SELECT 'abc'::name <> 'äöü €'::text
SELECT 3.75 <> 2.25::numeric(6,2), -1.5::numeric <> 3.75
SELECT 3.75 <> NULL, NULL <> 3.75
SELECT 3.75 <> '1.50', '1.50' <> -1.5::numeric
SELECT 99999999999999999999.999 <> 99999999999999999999.999
SELECT 99999999999999999999.999 <> 3.75
SELECT 0.00 <> 0.00
SELECT -0.000001 <> -0.000001
SELECT 3.75 <> 99999999999999999999.999
SELECT 3.75 <> 0.00
SELECT 5::oid <> 3000000000::oid, 3000000000::oid <> 5::oid
SELECT 5::oid <> NULL, NULL <> 5::oid
SELECT 5::oid <> '12', '12' <> 3000000000::oid
SELECT 0::oid <> 0::oid
SELECT 0::oid <> 5::oid
SELECT 5::oid <> 0::oid
SELECT 'abc'::text <> 'some_name'::name, 'Hello World'::text <> 'abc'::name
SELECT 'abc'::text <> NULL, NULL <> 'abc'::name
SELECT ''::text <> ''::name
SELECT ''::text <> 'abc'::name
SELECT 'äöü €'::text <> ''::name
SELECT '  42 '::text <> ''::name
SELECT 'a%b\c_'::text <> ''::name
SELECT 'abc'::text <> ''::name
SELECT 'abc'::text <> 'l'::text, 'Hello World'::text <> 'abc'::text
SELECT 'abc'::text <> NULL, NULL <> 'abc'::text
SELECT 'abc'::text <> 'abc', 'abc' <> 'Hello World'::text
SELECT ''::text <> ''::text
SELECT ''::text <> 'abc'::text
SELECT 'äöü €'::text <> 'äöü €'::text
SELECT '  42 '::text <> '  42 '::text
SELECT 'a%b\c_'::text <> 'a%b\c_'::text
SELECT 'abc'::text <> ''::text
SELECT 'abc'::text <> 'äöü €'::text
SELECT '12:34:56.789'::time <> '03:00:00'::time, '03:00:00'::time <> '12:34:56.789'::time
SELECT '12:34:56.789'::time <> NULL, NULL <> '12:34:56.789'::time
SELECT '12:34:56.789'::time <> '12:34', '12:34' <> '03:00:00'::time
SELECT '24:00:00'::time <> '24:00:00'::time
SELECT '24:00:00'::time <> '12:34:56.789'::time
SELECT '00:00:00'::time <> '00:00:00'::time
SELECT '12:34:56.789'::time <> '24:00:00'::time
SELECT '12:34:56.789'::time <> '00:00:00'::time
SELECT '2024-02-29 12:34:56.789'::timestamp <> '1999-12-31'::date, '1999-12-31 23:59:59'::timestamp <> '2024-02-29'::date
SELECT '2024-02-29 12:34:56.789'::timestamp <> NULL, NULL <> '2024-02-29'::date
SELECT '-infinity'::timestamp <> 'infinity'::date
SELECT '-infinity'::timestamp <> '2024-02-29'::date
SELECT '0044-03-15 BC'::timestamp <> '0001-01-01 BC'::date
SELECT '9999-12-31 23:59:59.999999'::timestamp <> '9999-12-31'::date
SELECT '2024-02-29 12:34:56.789'::timestamp <> 'infinity'::date
SELECT '2024-02-29 12:34:56.789'::timestamp <> '0001-01-01 BC'::date
SELECT '2024-02-29 12:34:56.789'::timestamp <> '1999-12-31 23:59:59'::timestamp, '1999-12-31 23:59:59'::timestamp <> '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp <> NULL, NULL <> '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp <> '2024-02-29 12:34:56', '2024-02-29 12:34:56' <> '1999-12-31 23:59:59'::timestamp
SELECT '-infinity'::timestamp <> '-infinity'::timestamp
SELECT '-infinity'::timestamp <> '2024-02-29 12:34:56.789'::timestamp
SELECT '0044-03-15 BC'::timestamp <> '0044-03-15 BC'::timestamp
SELECT '9999-12-31 23:59:59.999999'::timestamp <> '9999-12-31 23:59:59.999999'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp <> '-infinity'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp <> '0044-03-15 BC'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp <> '1999-12-31 23:59:59Z'::timestamptz, '1999-12-31 23:59:59'::timestamp <> '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29 12:34:56.789'::timestamp <> NULL, NULL <> '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '-infinity'::timestamp <> 'infinity'::timestamptz
SELECT '-infinity'::timestamp <> '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '0044-03-15 BC'::timestamp <> '0044-03-15 BC'::timestamptz
SELECT '9999-12-31 23:59:59.999999'::timestamp <> 'infinity'::timestamptz
SELECT '2024-02-29 12:34:56.789'::timestamp <> 'infinity'::timestamptz
SELECT '2024-02-29 12:34:56.789'::timestamp <> '0044-03-15 BC'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz <> '1999-12-31'::date, '1999-12-31 23:59:59Z'::timestamptz <> '2024-02-29'::date
SELECT '2024-02-29 12:34:56.789+02'::timestamptz <> NULL, NULL <> '2024-02-29'::date
SELECT 'infinity'::timestamptz <> 'infinity'::date
SELECT 'infinity'::timestamptz <> '2024-02-29'::date
SELECT '0044-03-15 BC'::timestamptz <> '0001-01-01 BC'::date
SELECT '2024-02-29 12:34:56.789+02'::timestamptz <> 'infinity'::date
SELECT '2024-02-29 12:34:56.789+02'::timestamptz <> '0001-01-01 BC'::date
SELECT '2024-02-29 12:34:56.789+02'::timestamptz <> '1999-12-31 23:59:59'::timestamp, '1999-12-31 23:59:59Z'::timestamptz <> '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29 12:34:56.789+02'::timestamptz <> NULL, NULL <> '2024-02-29 12:34:56.789'::timestamp
SELECT 'infinity'::timestamptz <> '-infinity'::timestamp
SELECT 'infinity'::timestamptz <> '2024-02-29 12:34:56.789'::timestamp
SELECT '0044-03-15 BC'::timestamptz <> '0044-03-15 BC'::timestamp
SELECT '2024-02-29 12:34:56.789+02'::timestamptz <> '-infinity'::timestamp
SELECT '2024-02-29 12:34:56.789+02'::timestamptz <> '0044-03-15 BC'::timestamp
SELECT '2024-02-29 12:34:56.789+02'::timestamptz <> '1999-12-31 23:59:59Z'::timestamptz, '1999-12-31 23:59:59Z'::timestamptz <> '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz <> NULL, NULL <> '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz <> '2024-02-29 12:34:56+02', '2024-02-29 12:34:56+02' <> '1999-12-31 23:59:59Z'::timestamptz
SELECT 'infinity'::timestamptz <> 'infinity'::timestamptz
SELECT 'infinity'::timestamptz <> '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '0044-03-15 BC'::timestamptz <> '0044-03-15 BC'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz <> 'infinity'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz <> '0044-03-15 BC'::timestamptz
SELECT '12:34:56+02'::timetz <> '03:00:00+00'::timetz, '03:00:00+00'::timetz <> '12:34:56+02'::timetz
SELECT '12:34:56+02'::timetz <> NULL, NULL <> '12:34:56+02'::timetz
SELECT '12:34:56+02'::timetz <> '12:34+02', '12:34+02' <> '03:00:00+00'::timetz
SELECT '24:00:00-12'::timetz <> '24:00:00-12'::timetz
SELECT '24:00:00-12'::timetz <> '12:34:56+02'::timetz
SELECT '12:34:56+02'::timetz <> '24:00:00-12'::timetz
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid <> '00000000-0000-0000-0000-000000000001'::uuid, '00000000-0000-0000-0000-000000000001'::uuid <> 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid <> NULL, NULL <> 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid <> 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11' <> '00000000-0000-0000-0000-000000000001'::uuid
SELECT 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid <> 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
SELECT 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid <> 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid <> 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
SELECT array[1, 2, 3] <@ array[2], '{4,NULL,1}'::int4[] <@ array[1, 2, 3]
SELECT array[1, 2, 3] <@ NULL, NULL <@ array[1, 2, 3]
SELECT array[1, 2, 3] <@ '{1,2}', '{1,2}' <@ '{4,NULL,1}'::int4[]
SELECT '{}'::int4[] <@ '{}'::int4[]
SELECT '{}'::int4[] <@ array[1, 2, 3]
SELECT array[1, 2, 3] <@ '{}'::int4[]
SELECT 5 <@ '[3,8)'::int4range, -7 <@ '[1,5)'::int4range
SELECT 5 <@ NULL, NULL <@ '[1,5)'::int4range
SELECT 2147483647 <@ 'empty'::int4range
SELECT 2147483647 <@ '[1,5)'::int4range
SELECT '-2147483648'::int4 <@ '(,)'::int4range
SELECT 0 <@ '[5,8]'::int4range
SELECT 5 <@ 'empty'::int4range
SELECT 5 <@ '(,)'::int4range
SELECT '[1,5)'::int4range <@ '[3,8)'::int4range, '[3,8)'::int4range <@ '[1,5)'::int4range
SELECT '[1,5)'::int4range <@ NULL, NULL <@ '[1,5)'::int4range
SELECT '[1,5)'::int4range <@ '[1,5)', '[1,5)' <@ '[3,8)'::int4range
SELECT 'empty'::int4range <@ 'empty'::int4range
SELECT 'empty'::int4range <@ '[1,5)'::int4range
SELECT '(,)'::int4range <@ '(,)'::int4range
SELECT '[5,8]'::int4range <@ '[5,8]'::int4range
SELECT '(,1)'::int4range <@ '(,1)'::int4range
SELECT '[1,5)'::int4range <@ 'empty'::int4range
SELECT '[1,5)'::int4range <@ '(,)'::int4range
SELECT '{"a": 1, "b": [1, 2]}'::jsonb <@ '"a"'::jsonb, '[1, "x", null]'::jsonb <@ '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb <@ NULL, NULL <@ '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb <@ '[1, 2.50, 1e2]', '[1, 2.50, 1e2]' <@ '[1, "x", null]'::jsonb
SELECT 'null'::jsonb <@ 'null'::jsonb
SELECT 'null'::jsonb <@ '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '1.50'::jsonb <@ '1.50'::jsonb
SELECT '{}'::jsonb <@ '{}'::jsonb
SELECT 'true'::jsonb <@ 'true'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb <@ 'null'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb <@ '1.50'::jsonb
SELECT array[1, 2, 3] = array[2], '{4,NULL,1}'::int4[] = array[1, 2, 3]
SELECT array[1, 2, 3] = NULL, NULL = array[1, 2, 3]
SELECT array[1, 2, 3] = '{1,2}', '{1,2}' = '{4,NULL,1}'::int4[]
SELECT '{}'::int4[] = '{}'::int4[]
SELECT '{}'::int4[] = array[1, 2, 3]
SELECT array[1, 2, 3] = '{}'::int4[]
SELECT '[1,5)'::int4range = '[3,8)'::int4range, '[3,8)'::int4range = '[1,5)'::int4range
SELECT '[1,5)'::int4range = NULL, NULL = '[1,5)'::int4range
SELECT '[1,5)'::int4range = '[1,5)', '[1,5)' = '[3,8)'::int4range
SELECT 'empty'::int4range = 'empty'::int4range
SELECT 'empty'::int4range = '[1,5)'::int4range
SELECT '(,)'::int4range = '(,)'::int4range
SELECT '[5,8]'::int4range = '[5,8]'::int4range
SELECT '(,1)'::int4range = '(,1)'::int4range
SELECT '[1,5)'::int4range = 'empty'::int4range
SELECT '[1,5)'::int4range = '(,)'::int4range
SELECT true = false, false = true
SELECT true = NULL, NULL = true
SELECT true = 't', 't' = false
SELECT 'ab'::char(4) = 'xyz'::char(3), 'xyz'::char(3) = 'ab'::char(4)
SELECT 'ab'::char(4) = NULL, NULL = 'ab'::char(4)
SELECT 'ab'::char(4) = 'ab', 'ab' = 'xyz'::char(3)
SELECT ''::char(2) = ''::char(2)
SELECT ''::char(2) = 'ab'::char(4)
SELECT 'a '::char(3) = 'a '::char(3)
SELECT 'ab'::char(4) = ''::char(2)
SELECT 'ab'::char(4) = 'a '::char(3)
SELECT '\x6162'::bytea = '\x62'::bytea, '\x00ff10'::bytea = '\x6162'::bytea
SELECT '\x6162'::bytea = NULL, NULL = '\x6162'::bytea
SELECT '\x6162'::bytea = '\x61', '\x61' = '\x00ff10'::bytea
SELECT ''::bytea = ''::bytea
SELECT ''::bytea = '\x6162'::bytea
SELECT '\xffffffffffffffff'::bytea = '\xffffffffffffffff'::bytea
SELECT '\x6162'::bytea = ''::bytea
SELECT '\x6162'::bytea = '\xffffffffffffffff'::bytea
SELECT 'x'::"char" = 'y'::"char", 'y'::"char" = 'x'::"char"
SELECT 'x'::"char" = NULL, NULL = 'x'::"char"
SELECT 'x'::"char" = 'a', 'a' = 'y'::"char"
SELECT ''::"char" = ''::"char"
SELECT ''::"char" = 'x'::"char"
SELECT 'x'::"char" = ''::"char"
SELECT '2024-02-29'::date = '1999-12-31'::date, '1999-12-31'::date = '2024-02-29'::date
SELECT '2024-02-29'::date = NULL, NULL = '2024-02-29'::date
SELECT '2024-02-29'::date = '2024-02-29', '2024-02-29' = '1999-12-31'::date
SELECT 'infinity'::date = 'infinity'::date
SELECT 'infinity'::date = '2024-02-29'::date
SELECT '0001-01-01 BC'::date = '0001-01-01 BC'::date
SELECT '9999-12-31'::date = '9999-12-31'::date
SELECT '2024-02-29'::date = 'infinity'::date
SELECT '2024-02-29'::date = '0001-01-01 BC'::date
SELECT '2024-02-29'::date = '1999-12-31 23:59:59'::timestamp, '1999-12-31'::date = '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29'::date = NULL, NULL = '2024-02-29 12:34:56.789'::timestamp
SELECT 'infinity'::date = '-infinity'::timestamp
SELECT 'infinity'::date = '2024-02-29 12:34:56.789'::timestamp
SELECT '0001-01-01 BC'::date = '0044-03-15 BC'::timestamp
SELECT '9999-12-31'::date = '9999-12-31 23:59:59.999999'::timestamp
SELECT '2024-02-29'::date = '-infinity'::timestamp
SELECT '2024-02-29'::date = '0044-03-15 BC'::timestamp
SELECT '2024-02-29'::date = '1999-12-31 23:59:59Z'::timestamptz, '1999-12-31'::date = '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29'::date = NULL, NULL = '2024-02-29 12:34:56.789+02'::timestamptz
SELECT 'infinity'::date = 'infinity'::timestamptz
SELECT 'infinity'::date = '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '0001-01-01 BC'::date = '0044-03-15 BC'::timestamptz
SELECT '9999-12-31'::date = 'infinity'::timestamptz
SELECT '2024-02-29'::date = 'infinity'::timestamptz
SELECT '2024-02-29'::date = '0044-03-15 BC'::timestamptz
SELECT 1.5::float4 = 3::float4, '-2.25'::float4 = 1.5::float4
SELECT 1.5::float4 = NULL, NULL = 1.5::float4
SELECT 1.5::float4 = '1.5', '1.5' = '-2.25'::float4
SELECT 'NaN'::float4 = 'NaN'::float4
SELECT 'NaN'::float4 = 1.5::float4
SELECT '-Infinity'::float4 = '-Infinity'::float4
SELECT '3.4e38'::float4 = '3.4e38'::float4
SELECT '-0'::float4 = '-0'::float4
SELECT 1.5::float4 = 'NaN'::float4
SELECT 1.5::float4 = '-Infinity'::float4
SELECT 1.5::float4 = 4::float8, '-2.25'::float4 = 2.5::float8
SELECT 1.5::float4 = NULL, NULL = 2.5::float8
SELECT 'NaN'::float4 = 'NaN'::float8
SELECT 'NaN'::float4 = 2.5::float8
SELECT '-Infinity'::float4 = 'Infinity'::float8
SELECT '3.4e38'::float4 = '1e308'::float8
SELECT '-0'::float4 = '-0'::float8
SELECT 1.5::float4 = 'NaN'::float8
SELECT 1.5::float4 = 'Infinity'::float8
SELECT 2.5::float8 = 3::float4, '-0.5'::float8 = 1.5::float4
SELECT 2.5::float8 = NULL, NULL = 1.5::float4
SELECT 'NaN'::float8 = 'NaN'::float4
SELECT 'NaN'::float8 = 1.5::float4
SELECT 'Infinity'::float8 = '-Infinity'::float4
SELECT '1e308'::float8 = '3.4e38'::float4
SELECT '-0'::float8 = '-0'::float4
SELECT '1e-310'::float8 = 'NaN'::float4
SELECT 2.5::float8 = 'NaN'::float4
SELECT 2.5::float8 = '-Infinity'::float4
SELECT 2.5::float8 = 4::float8, '-0.5'::float8 = 2.5::float8
SELECT 2.5::float8 = NULL, NULL = 2.5::float8
SELECT 2.5::float8 = '1.5', '1.5' = '-0.5'::float8
SELECT 'NaN'::float8 = 'NaN'::float8
SELECT 'NaN'::float8 = 2.5::float8
SELECT 'Infinity'::float8 = 'Infinity'::float8
SELECT '1e308'::float8 = '1e308'::float8
SELECT '-0'::float8 = '-0'::float8
SELECT '1e-310'::float8 = '1e-310'::float8
SELECT 2.5::float8 = 'NaN'::float8
SELECT 2.5::float8 = 'Infinity'::float8
SELECT 7::int2 = 2::int2, '-3'::int2 = 7::int2
SELECT 7::int2 = NULL, NULL = 7::int2
SELECT 7::int2 = '12', '12' = '-3'::int2
SELECT '32767'::int2 = '32767'::int2
SELECT '32767'::int2 = 7::int2
SELECT '-32768'::int2 = '-32768'::int2
SELECT 0::int2 = 0::int2
SELECT 7::int2 = '32767'::int2
SELECT 7::int2 = '-32768'::int2
SELECT 7::int2 = 2, '-3'::int2 = 5
SELECT 7::int2 = NULL, NULL = 5
SELECT '32767'::int2 = 2147483647
SELECT '32767'::int2 = 5
SELECT '-32768'::int2 = '-2147483648'::int4
SELECT 0::int2 = 0
SELECT 7::int2 = 2147483647
SELECT 7::int2 = '-2147483648'::int4
SELECT 7::int2 = 3::int8, '-3'::int2 = 12::int8
SELECT 7::int2 = NULL, NULL = 12::int8
SELECT '32767'::int2 = 9223372036854775807
SELECT '32767'::int2 = 12::int8
SELECT '-32768'::int2 = '-9223372036854775808'::int8
SELECT 0::int2 = 0::int8
SELECT 7::int2 = 9223372036854775807
SELECT 7::int2 = '-9223372036854775808'::int8
SELECT 5 = 2::int2, -7 = 7::int2
SELECT 5 = NULL, NULL = 7::int2
SELECT 2147483647 = '32767'::int2
SELECT 2147483647 = 7::int2
SELECT '-2147483648'::int4 = '-32768'::int2
SELECT 0 = 0::int2
SELECT 5 = '32767'::int2
SELECT 5 = '-32768'::int2
SELECT 5 = 2, -7 = 5
SELECT 5 = NULL, NULL = 5
SELECT 5 = '12', '12' = -7
SELECT 2147483647 = 2147483647
SELECT 2147483647 = 5
SELECT '-2147483648'::int4 = '-2147483648'::int4
SELECT 0 = 0
SELECT 5 = 2147483647
SELECT 5 = '-2147483648'::int4
SELECT 5 = 3::int8, -7 = 12::int8
SELECT 5 = NULL, NULL = 12::int8
SELECT 2147483647 = 9223372036854775807
SELECT 2147483647 = 12::int8
SELECT '-2147483648'::int4 = '-9223372036854775808'::int8
SELECT 0 = 0::int8
SELECT 5 = 9223372036854775807
SELECT 5 = '-9223372036854775808'::int8
SELECT 12::int8 = 2::int2, '-5'::int8 = 7::int2
SELECT 12::int8 = NULL, NULL = 7::int2
SELECT 9223372036854775807 = '32767'::int2
SELECT 9223372036854775807 = 7::int2
SELECT '-9223372036854775808'::int8 = '-32768'::int2
SELECT 0::int8 = 0::int2
SELECT 12::int8 = '32767'::int2
SELECT 12::int8 = '-32768'::int2
SELECT 12::int8 = 2, '-5'::int8 = 5
SELECT 12::int8 = NULL, NULL = 5
SELECT 9223372036854775807 = 2147483647
SELECT 9223372036854775807 = 5
SELECT '-9223372036854775808'::int8 = '-2147483648'::int4
SELECT 0::int8 = 0
SELECT 12::int8 = 2147483647
SELECT 12::int8 = '-2147483648'::int4
SELECT 12::int8 = 3::int8, '-5'::int8 = 12::int8
SELECT 12::int8 = NULL, NULL = 12::int8
SELECT 12::int8 = '12', '12' = '-5'::int8
SELECT 9223372036854775807 = 9223372036854775807
SELECT 9223372036854775807 = 12::int8
SELECT '-9223372036854775808'::int8 = '-9223372036854775808'::int8
SELECT 0::int8 = 0::int8
SELECT 12::int8 = 9223372036854775807
SELECT 12::int8 = '-9223372036854775808'::int8
SELECT '1 mon 2 days 03:04:05.5'::interval = '36:00:00'::interval, '-1 day'::interval = '1 mon 2 days 03:04:05.5'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval = NULL, NULL = '1 mon 2 days 03:04:05.5'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval = '1 day', '1 day' = '-1 day'::interval
SELECT 'infinity'::interval = 'infinity'::interval
SELECT 'infinity'::interval = '1 mon 2 days 03:04:05.5'::interval
SELECT '-178000000 years'::interval = '-178000000 years'::interval
SELECT '00:00:00'::interval = '00:00:00'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval = 'infinity'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval = '-178000000 years'::interval
SELECT '{"a": 1, "b": [1, 2]}'::jsonb = '"a"'::jsonb, '[1, "x", null]'::jsonb = '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb = NULL, NULL = '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb = '[1, 2.50, 1e2]', '[1, 2.50, 1e2]' = '[1, "x", null]'::jsonb
SELECT 'null'::jsonb = 'null'::jsonb
SELECT 'null'::jsonb = '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '1.50'::jsonb = '1.50'::jsonb
SELECT '{}'::jsonb = '{}'::jsonb
SELECT 'true'::jsonb = 'true'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb = 'null'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb = '1.50'::jsonb
SELECT 'abc'::name = 'some_name'::name, 'some_name'::name = 'abc'::name
SELECT 'abc'::name = NULL, NULL = 'abc'::name
SELECT 'abc'::name = 'abc', 'abc' = 'some_name'::name
SELECT ''::name = ''::name
SELECT ''::name = 'abc'::name
SELECT 'abc'::name = ''::name
SELECT 'abc'::name = 'l'::text, 'some_name'::name = 'abc'::text
SELECT 'abc'::name = NULL, NULL = 'abc'::text
SELECT ''::name = ''::text
SELECT ''::name = 'abc'::text
SELECT 'abc'::name = ''::text
SELECT 'abc'::name = 'äöü €'::text
SELECT 3.75 = 2.25::numeric(6,2), -1.5::numeric = 3.75
SELECT 3.75 = NULL, NULL = 3.75
SELECT 3.75 = '1.50', '1.50' = -1.5::numeric
SELECT 99999999999999999999.999 = 99999999999999999999.999
SELECT 99999999999999999999.999 = 3.75
SELECT 0.00 = 0.00
SELECT -0.000001 = -0.000001
SELECT 3.75 = 99999999999999999999.999
SELECT 3.75 = 0.00
SELECT 5::oid = 3000000000::oid, 3000000000::oid = 5::oid
SELECT 5::oid = NULL, NULL = 5::oid
SELECT 5::oid = '12', '12' = 3000000000::oid
SELECT 0::oid = 0::oid
SELECT 0::oid = 5::oid
SELECT 5::oid = 0::oid
SELECT 'abc'::text = 'some_name'::name, 'Hello World'::text = 'abc'::name
SELECT 'abc'::text = NULL, NULL = 'abc'::name
SELECT ''::text = ''::name
SELECT ''::text = 'abc'::name
SELECT 'äöü €'::text = ''::name
SELECT '  42 '::text = ''::name
SELECT 'a%b\c_'::text = ''::name
SELECT 'abc'::text = ''::name
SELECT 'abc'::text = 'l'::text, 'Hello World'::text = 'abc'::text
SELECT 'abc'::text = NULL, NULL = 'abc'::text
SELECT 'abc'::text = 'abc', 'abc' = 'Hello World'::text
SELECT ''::text = ''::text
SELECT ''::text = 'abc'::text
SELECT 'äöü €'::text = 'äöü €'::text
SELECT '  42 '::text = '  42 '::text
SELECT 'a%b\c_'::text = 'a%b\c_'::text
SELECT 'abc'::text = ''::text
SELECT 'abc'::text = 'äöü €'::text
SELECT '12:34:56.789'::time = '03:00:00'::time, '03:00:00'::time = '12:34:56.789'::time
SELECT '12:34:56.789'::time = NULL, NULL = '12:34:56.789'::time
SELECT '12:34:56.789'::time = '12:34', '12:34' = '03:00:00'::time
SELECT '24:00:00'::time = '24:00:00'::time
SELECT '24:00:00'::time = '12:34:56.789'::time
SELECT '00:00:00'::time = '00:00:00'::time
SELECT '12:34:56.789'::time = '24:00:00'::time
SELECT '12:34:56.789'::time = '00:00:00'::time
SELECT '2024-02-29 12:34:56.789'::timestamp = '1999-12-31'::date, '1999-12-31 23:59:59'::timestamp = '2024-02-29'::date
SELECT '2024-02-29 12:34:56.789'::timestamp = NULL, NULL = '2024-02-29'::date
SELECT '-infinity'::timestamp = 'infinity'::date
SELECT '-infinity'::timestamp = '2024-02-29'::date
SELECT '0044-03-15 BC'::timestamp = '0001-01-01 BC'::date
SELECT '9999-12-31 23:59:59.999999'::timestamp = '9999-12-31'::date
SELECT '2024-02-29 12:34:56.789'::timestamp = 'infinity'::date
SELECT '2024-02-29 12:34:56.789'::timestamp = '0001-01-01 BC'::date
SELECT '2024-02-29 12:34:56.789'::timestamp = '1999-12-31 23:59:59'::timestamp, '1999-12-31 23:59:59'::timestamp = '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp = NULL, NULL = '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp = '2024-02-29 12:34:56', '2024-02-29 12:34:56' = '1999-12-31 23:59:59'::timestamp
SELECT '-infinity'::timestamp = '-infinity'::timestamp
SELECT '-infinity'::timestamp = '2024-02-29 12:34:56.789'::timestamp
SELECT '0044-03-15 BC'::timestamp = '0044-03-15 BC'::timestamp
SELECT '9999-12-31 23:59:59.999999'::timestamp = '9999-12-31 23:59:59.999999'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp = '-infinity'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp = '0044-03-15 BC'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp = '1999-12-31 23:59:59Z'::timestamptz, '1999-12-31 23:59:59'::timestamp = '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29 12:34:56.789'::timestamp = NULL, NULL = '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '-infinity'::timestamp = 'infinity'::timestamptz
SELECT '-infinity'::timestamp = '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '0044-03-15 BC'::timestamp = '0044-03-15 BC'::timestamptz
SELECT '9999-12-31 23:59:59.999999'::timestamp = 'infinity'::timestamptz
SELECT '2024-02-29 12:34:56.789'::timestamp = 'infinity'::timestamptz
SELECT '2024-02-29 12:34:56.789'::timestamp = '0044-03-15 BC'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz = '1999-12-31'::date, '1999-12-31 23:59:59Z'::timestamptz = '2024-02-29'::date
SELECT '2024-02-29 12:34:56.789+02'::timestamptz = NULL, NULL = '2024-02-29'::date
SELECT 'infinity'::timestamptz = 'infinity'::date
SELECT 'infinity'::timestamptz = '2024-02-29'::date
SELECT '0044-03-15 BC'::timestamptz = '0001-01-01 BC'::date
SELECT '2024-02-29 12:34:56.789+02'::timestamptz = 'infinity'::date
SELECT '2024-02-29 12:34:56.789+02'::timestamptz = '0001-01-01 BC'::date
SELECT '2024-02-29 12:34:56.789+02'::timestamptz = '1999-12-31 23:59:59'::timestamp, '1999-12-31 23:59:59Z'::timestamptz = '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29 12:34:56.789+02'::timestamptz = NULL, NULL = '2024-02-29 12:34:56.789'::timestamp
SELECT 'infinity'::timestamptz = '-infinity'::timestamp
SELECT 'infinity'::timestamptz = '2024-02-29 12:34:56.789'::timestamp
SELECT '0044-03-15 BC'::timestamptz = '0044-03-15 BC'::timestamp
SELECT '2024-02-29 12:34:56.789+02'::timestamptz = '-infinity'::timestamp
SELECT '2024-02-29 12:34:56.789+02'::timestamptz = '0044-03-15 BC'::timestamp
SELECT '2024-02-29 12:34:56.789+02'::timestamptz = '1999-12-31 23:59:59Z'::timestamptz, '1999-12-31 23:59:59Z'::timestamptz = '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz = NULL, NULL = '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz = '2024-02-29 12:34:56+02', '2024-02-29 12:34:56+02' = '1999-12-31 23:59:59Z'::timestamptz
SELECT 'infinity'::timestamptz = 'infinity'::timestamptz
SELECT 'infinity'::timestamptz = '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '0044-03-15 BC'::timestamptz = '0044-03-15 BC'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz = 'infinity'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz = '0044-03-15 BC'::timestamptz
SELECT '12:34:56+02'::timetz = '03:00:00+00'::timetz, '03:00:00+00'::timetz = '12:34:56+02'::timetz
SELECT '12:34:56+02'::timetz = NULL, NULL = '12:34:56+02'::timetz
SELECT '12:34:56+02'::timetz = '12:34+02', '12:34+02' = '03:00:00+00'::timetz
SELECT '24:00:00-12'::timetz = '24:00:00-12'::timetz
SELECT '24:00:00-12'::timetz = '12:34:56+02'::timetz
SELECT '12:34:56+02'::timetz = '24:00:00-12'::timetz
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid = '00000000-0000-0000-0000-000000000001'::uuid, '00000000-0000-0000-0000-000000000001'::uuid = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid = NULL, NULL = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11' = '00000000-0000-0000-0000-000000000001'::uuid
SELECT 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
SELECT 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid = 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
SELECT array[1, 2, 3] > array[2], '{4,NULL,1}'::int4[] > array[1, 2, 3]
SELECT array[1, 2, 3] > NULL, NULL > array[1, 2, 3]
SELECT array[1, 2, 3] > '{1,2}', '{1,2}' > '{4,NULL,1}'::int4[]
SELECT '{}'::int4[] > '{}'::int4[]
SELECT '{}'::int4[] > array[1, 2, 3]
SELECT array[1, 2, 3] > '{}'::int4[]
SELECT '[1,5)'::int4range > '[3,8)'::int4range, '[3,8)'::int4range > '[1,5)'::int4range
SELECT '[1,5)'::int4range > NULL, NULL > '[1,5)'::int4range
SELECT '[1,5)'::int4range > '[1,5)', '[1,5)' > '[3,8)'::int4range
SELECT 'empty'::int4range > 'empty'::int4range
SELECT 'empty'::int4range > '[1,5)'::int4range
SELECT '(,)'::int4range > '(,)'::int4range
SELECT '[5,8]'::int4range > '[5,8]'::int4range
SELECT '(,1)'::int4range > '(,1)'::int4range
SELECT '[1,5)'::int4range > 'empty'::int4range
SELECT '[1,5)'::int4range > '(,)'::int4range
SELECT true > false, false > true
SELECT true > NULL, NULL > true
SELECT true > 't', 't' > false
SELECT 'ab'::char(4) > 'xyz'::char(3), 'xyz'::char(3) > 'ab'::char(4)
SELECT 'ab'::char(4) > NULL, NULL > 'ab'::char(4)
SELECT 'ab'::char(4) > 'ab', 'ab' > 'xyz'::char(3)
SELECT ''::char(2) > ''::char(2)
SELECT ''::char(2) > 'ab'::char(4)
SELECT 'a '::char(3) > 'a '::char(3)
SELECT 'ab'::char(4) > ''::char(2)
SELECT 'ab'::char(4) > 'a '::char(3)
SELECT '\x6162'::bytea > '\x62'::bytea, '\x00ff10'::bytea > '\x6162'::bytea
SELECT '\x6162'::bytea > NULL, NULL > '\x6162'::bytea
SELECT '\x6162'::bytea > '\x61', '\x61' > '\x00ff10'::bytea
SELECT ''::bytea > ''::bytea
SELECT ''::bytea > '\x6162'::bytea
SELECT '\xffffffffffffffff'::bytea > '\xffffffffffffffff'::bytea
SELECT '\x6162'::bytea > ''::bytea
SELECT '\x6162'::bytea > '\xffffffffffffffff'::bytea
SELECT 'x'::"char" > 'y'::"char", 'y'::"char" > 'x'::"char"
SELECT 'x'::"char" > NULL, NULL > 'x'::"char"
SELECT 'x'::"char" > 'a', 'a' > 'y'::"char"
SELECT ''::"char" > ''::"char"
SELECT ''::"char" > 'x'::"char"
SELECT 'x'::"char" > ''::"char"
SELECT '2024-02-29'::date > '1999-12-31'::date, '1999-12-31'::date > '2024-02-29'::date
SELECT '2024-02-29'::date > NULL, NULL > '2024-02-29'::date
SELECT '2024-02-29'::date > '2024-02-29', '2024-02-29' > '1999-12-31'::date
SELECT 'infinity'::date > 'infinity'::date
SELECT 'infinity'::date > '2024-02-29'::date
SELECT '0001-01-01 BC'::date > '0001-01-01 BC'::date
SELECT '9999-12-31'::date > '9999-12-31'::date
SELECT '2024-02-29'::date > 'infinity'::date
SELECT '2024-02-29'::date > '0001-01-01 BC'::date
SELECT '2024-02-29'::date > '1999-12-31 23:59:59'::timestamp, '1999-12-31'::date > '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29'::date > NULL, NULL > '2024-02-29 12:34:56.789'::timestamp
SELECT 'infinity'::date > '-infinity'::timestamp
SELECT 'infinity'::date > '2024-02-29 12:34:56.789'::timestamp
SELECT '0001-01-01 BC'::date > '0044-03-15 BC'::timestamp
SELECT '9999-12-31'::date > '9999-12-31 23:59:59.999999'::timestamp
SELECT '2024-02-29'::date > '-infinity'::timestamp
SELECT '2024-02-29'::date > '0044-03-15 BC'::timestamp
SELECT '2024-02-29'::date > '1999-12-31 23:59:59Z'::timestamptz, '1999-12-31'::date > '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29'::date > NULL, NULL > '2024-02-29 12:34:56.789+02'::timestamptz
SELECT 'infinity'::date > 'infinity'::timestamptz
SELECT 'infinity'::date > '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '0001-01-01 BC'::date > '0044-03-15 BC'::timestamptz
SELECT '9999-12-31'::date > 'infinity'::timestamptz
SELECT '2024-02-29'::date > 'infinity'::timestamptz
SELECT '2024-02-29'::date > '0044-03-15 BC'::timestamptz
SELECT 1.5::float4 > 3::float4, '-2.25'::float4 > 1.5::float4
SELECT 1.5::float4 > NULL, NULL > 1.5::float4
SELECT 1.5::float4 > '1.5', '1.5' > '-2.25'::float4
SELECT 'NaN'::float4 > 'NaN'::float4
SELECT 'NaN'::float4 > 1.5::float4
SELECT '-Infinity'::float4 > '-Infinity'::float4
SELECT '3.4e38'::float4 > '3.4e38'::float4
SELECT '-0'::float4 > '-0'::float4
SELECT 1.5::float4 > 'NaN'::float4
SELECT 1.5::float4 > '-Infinity'::float4
SELECT 1.5::float4 > 4::float8, '-2.25'::float4 > 2.5::float8
SELECT 1.5::float4 > NULL, NULL > 2.5::float8
SELECT 'NaN'::float4 > 'NaN'::float8
SELECT 'NaN'::float4 > 2.5::float8
SELECT '-Infinity'::float4 > 'Infinity'::float8
SELECT '3.4e38'::float4 > '1e308'::float8
SELECT '-0'::float4 > '-0'::float8
SELECT 1.5::float4 > 'NaN'::float8
SELECT 1.5::float4 > 'Infinity'::float8
SELECT 2.5::float8 > 3::float4, '-0.5'::float8 > 1.5::float4
SELECT 2.5::float8 > NULL, NULL > 1.5::float4
SELECT 'NaN'::float8 > 'NaN'::float4
SELECT 'NaN'::float8 > 1.5::float4
SELECT 'Infinity'::float8 > '-Infinity'::float4
SELECT '1e308'::float8 > '3.4e38'::float4
SELECT '-0'::float8 > '-0'::float4
SELECT '1e-310'::float8 > 'NaN'::float4
SELECT 2.5::float8 > 'NaN'::float4
SELECT 2.5::float8 > '-Infinity'::float4
SELECT 2.5::float8 > 4::float8, '-0.5'::float8 > 2.5::float8
SELECT 2.5::float8 > NULL, NULL > 2.5::float8
SELECT 2.5::float8 > '1.5', '1.5' > '-0.5'::float8
SELECT 'NaN'::float8 > 'NaN'::float8
SELECT 'NaN'::float8 > 2.5::float8
SELECT 'Infinity'::float8 > 'Infinity'::float8
SELECT '1e308'::float8 > '1e308'::float8
SELECT '-0'::float8 > '-0'::float8
SELECT '1e-310'::float8 > '1e-310'::float8
SELECT 2.5::float8 > 'NaN'::float8
SELECT 2.5::float8 > 'Infinity'::float8
SELECT 7::int2 > 2::int2, '-3'::int2 > 7::int2
SELECT 7::int2 > NULL, NULL > 7::int2
SELECT 7::int2 > '12', '12' > '-3'::int2
SELECT '32767'::int2 > '32767'::int2
SELECT '32767'::int2 > 7::int2
SELECT '-32768'::int2 > '-32768'::int2
SELECT 0::int2 > 0::int2
SELECT 7::int2 > '32767'::int2
SELECT 7::int2 > '-32768'::int2
SELECT 7::int2 > 2, '-3'::int2 > 5
SELECT 7::int2 > NULL, NULL > 5
SELECT '32767'::int2 > 2147483647
SELECT '32767'::int2 > 5
SELECT '-32768'::int2 > '-2147483648'::int4
SELECT 0::int2 > 0
SELECT 7::int2 > 2147483647
SELECT 7::int2 > '-2147483648'::int4
SELECT 7::int2 > 3::int8, '-3'::int2 > 12::int8
SELECT 7::int2 > NULL, NULL > 12::int8
SELECT '32767'::int2 > 9223372036854775807
SELECT '32767'::int2 > 12::int8
SELECT '-32768'::int2 > '-9223372036854775808'::int8
SELECT 0::int2 > 0::int8
SELECT 7::int2 > 9223372036854775807
SELECT 7::int2 > '-9223372036854775808'::int8
SELECT 5 > 2::int2, -7 > 7::int2
SELECT 5 > NULL, NULL > 7::int2
SELECT 2147483647 > '32767'::int2
SELECT 2147483647 > 7::int2
SELECT '-2147483648'::int4 > '-32768'::int2
SELECT 0 > 0::int2
SELECT 5 > '32767'::int2
SELECT 5 > '-32768'::int2
SELECT 5 > 2, -7 > 5
SELECT 5 > NULL, NULL > 5
SELECT 5 > '12', '12' > -7
SELECT 2147483647 > 2147483647
SELECT 2147483647 > 5
SELECT '-2147483648'::int4 > '-2147483648'::int4
SELECT 0 > 0
SELECT 5 > 2147483647
SELECT 5 > '-2147483648'::int4
SELECT 5 > 3::int8, -7 > 12::int8
SELECT 5 > NULL, NULL > 12::int8
SELECT 2147483647 > 9223372036854775807
SELECT 2147483647 > 12::int8
SELECT '-2147483648'::int4 > '-9223372036854775808'::int8
SELECT 0 > 0::int8
SELECT 5 > 9223372036854775807
SELECT 5 > '-9223372036854775808'::int8
SELECT 12::int8 > 2::int2, '-5'::int8 > 7::int2
SELECT 12::int8 > NULL, NULL > 7::int2
SELECT 9223372036854775807 > '32767'::int2
SELECT 9223372036854775807 > 7::int2
SELECT '-9223372036854775808'::int8 > '-32768'::int2
SELECT 0::int8 > 0::int2
SELECT 12::int8 > '32767'::int2
SELECT 12::int8 > '-32768'::int2
SELECT 12::int8 > 2, '-5'::int8 > 5
SELECT 12::int8 > NULL, NULL > 5
SELECT 9223372036854775807 > 2147483647
SELECT 9223372036854775807 > 5
SELECT '-9223372036854775808'::int8 > '-2147483648'::int4
SELECT 0::int8 > 0
SELECT 12::int8 > 2147483647
SELECT 12::int8 > '-2147483648'::int4
SELECT 12::int8 > 3::int8, '-5'::int8 > 12::int8
SELECT 12::int8 > NULL, NULL > 12::int8
SELECT 12::int8 > '12', '12' > '-5'::int8
SELECT 9223372036854775807 > 9223372036854775807
SELECT 9223372036854775807 > 12::int8
SELECT '-9223372036854775808'::int8 > '-9223372036854775808'::int8
SELECT 0::int8 > 0::int8
SELECT 12::int8 > 9223372036854775807
SELECT 12::int8 > '-9223372036854775808'::int8
SELECT '1 mon 2 days 03:04:05.5'::interval > '36:00:00'::interval, '-1 day'::interval > '1 mon 2 days 03:04:05.5'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval > NULL, NULL > '1 mon 2 days 03:04:05.5'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval > '1 day', '1 day' > '-1 day'::interval
SELECT 'infinity'::interval > 'infinity'::interval
SELECT 'infinity'::interval > '1 mon 2 days 03:04:05.5'::interval
SELECT '-178000000 years'::interval > '-178000000 years'::interval
SELECT '00:00:00'::interval > '00:00:00'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval > 'infinity'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval > '-178000000 years'::interval
SELECT '{"a": 1, "b": [1, 2]}'::jsonb > '"a"'::jsonb, '[1, "x", null]'::jsonb > '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb > NULL, NULL > '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb > '[1, 2.50, 1e2]', '[1, 2.50, 1e2]' > '[1, "x", null]'::jsonb
SELECT 'null'::jsonb > 'null'::jsonb
SELECT 'null'::jsonb > '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '1.50'::jsonb > '1.50'::jsonb
SELECT '{}'::jsonb > '{}'::jsonb
SELECT 'true'::jsonb > 'true'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb > 'null'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb > '1.50'::jsonb
SELECT 'abc'::name > 'some_name'::name, 'some_name'::name > 'abc'::name
SELECT 'abc'::name > NULL, NULL > 'abc'::name
SELECT 'abc'::name > 'abc', 'abc' > 'some_name'::name
SELECT ''::name > ''::name
SELECT ''::name > 'abc'::name
SELECT 'abc'::name > ''::name
SELECT 'abc'::name > 'l'::text, 'some_name'::name > 'abc'::text
SELECT 'abc'::name > NULL, NULL > 'abc'::text
SELECT ''::name > ''::text
SELECT ''::name > 'abc'::text
SELECT 'abc'::name > ''::text
SELECT 'abc'::name > 'äöü €'::text
SELECT 3.75 > 2.25::numeric(6,2), -1.5::numeric > 3.75
SELECT 3.75 > NULL, NULL > 3.75
SELECT 3.75 > '1.50', '1.50' > -1.5::numeric
SELECT 99999999999999999999.999 > 99999999999999999999.999
SELECT 99999999999999999999.999 > 3.75
SELECT 0.00 > 0.00
SELECT -0.000001 > -0.000001
SELECT 3.75 > 99999999999999999999.999
SELECT 3.75 > 0.00
SELECT 5::oid > 3000000000::oid, 3000000000::oid > 5::oid
SELECT 5::oid > NULL, NULL > 5::oid
SELECT 5::oid > '12', '12' > 3000000000::oid
SELECT 0::oid > 0::oid
SELECT 0::oid > 5::oid
SELECT 5::oid > 0::oid
SELECT 'abc'::text > 'some_name'::name, 'Hello World'::text > 'abc'::name
SELECT 'abc'::text > NULL, NULL > 'abc'::name
SELECT ''::text > ''::name
SELECT ''::text > 'abc'::name
SELECT 'äöü €'::text > ''::name
SELECT '  42 '::text > ''::name
SELECT 'a%b\c_'::text > ''::name
SELECT 'abc'::text > ''::name
SELECT 'abc'::text > 'l'::text, 'Hello World'::text > 'abc'::text
SELECT 'abc'::text > NULL, NULL > 'abc'::text
SELECT 'abc'::text > 'abc', 'abc' > 'Hello World'::text
SELECT ''::text > ''::text
SELECT ''::text > 'abc'::text
SELECT 'äöü €'::text > 'äöü €'::text
SELECT '  42 '::text > '  42 '::text
SELECT 'a%b\c_'::text > 'a%b\c_'::text
SELECT 'abc'::text > ''::text
SELECT 'abc'::text > 'äöü €'::text
SELECT '12:34:56.789'::time > '03:00:00'::time, '03:00:00'::time > '12:34:56.789'::time
SELECT '12:34:56.789'::time > NULL, NULL > '12:34:56.789'::time
SELECT '12:34:56.789'::time > '12:34', '12:34' > '03:00:00'::time
SELECT '24:00:00'::time > '24:00:00'::time
SELECT '24:00:00'::time > '12:34:56.789'::time
SELECT '00:00:00'::time > '00:00:00'::time
SELECT '12:34:56.789'::time > '24:00:00'::time
SELECT '12:34:56.789'::time > '00:00:00'::time
SELECT '2024-02-29 12:34:56.789'::timestamp > '1999-12-31'::date, '1999-12-31 23:59:59'::timestamp > '2024-02-29'::date
SELECT '2024-02-29 12:34:56.789'::timestamp > NULL, NULL > '2024-02-29'::date
SELECT '-infinity'::timestamp > 'infinity'::date
SELECT '-infinity'::timestamp > '2024-02-29'::date
SELECT '0044-03-15 BC'::timestamp > '0001-01-01 BC'::date
SELECT '9999-12-31 23:59:59.999999'::timestamp > '9999-12-31'::date
SELECT '2024-02-29 12:34:56.789'::timestamp > 'infinity'::date
SELECT '2024-02-29 12:34:56.789'::timestamp > '0001-01-01 BC'::date
SELECT '2024-02-29 12:34:56.789'::timestamp > '1999-12-31 23:59:59'::timestamp, '1999-12-31 23:59:59'::timestamp > '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp > NULL, NULL > '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp > '2024-02-29 12:34:56', '2024-02-29 12:34:56' > '1999-12-31 23:59:59'::timestamp
SELECT '-infinity'::timestamp > '-infinity'::timestamp
SELECT '-infinity'::timestamp > '2024-02-29 12:34:56.789'::timestamp
SELECT '0044-03-15 BC'::timestamp > '0044-03-15 BC'::timestamp
SELECT '9999-12-31 23:59:59.999999'::timestamp > '9999-12-31 23:59:59.999999'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp > '-infinity'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp > '0044-03-15 BC'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp > '1999-12-31 23:59:59Z'::timestamptz, '1999-12-31 23:59:59'::timestamp > '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29 12:34:56.789'::timestamp > NULL, NULL > '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '-infinity'::timestamp > 'infinity'::timestamptz
SELECT '-infinity'::timestamp > '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '0044-03-15 BC'::timestamp > '0044-03-15 BC'::timestamptz
SELECT '9999-12-31 23:59:59.999999'::timestamp > 'infinity'::timestamptz
SELECT '2024-02-29 12:34:56.789'::timestamp > 'infinity'::timestamptz
SELECT '2024-02-29 12:34:56.789'::timestamp > '0044-03-15 BC'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz > '1999-12-31'::date, '1999-12-31 23:59:59Z'::timestamptz > '2024-02-29'::date
SELECT '2024-02-29 12:34:56.789+02'::timestamptz > NULL, NULL > '2024-02-29'::date
SELECT 'infinity'::timestamptz > 'infinity'::date
SELECT 'infinity'::timestamptz > '2024-02-29'::date
SELECT '0044-03-15 BC'::timestamptz > '0001-01-01 BC'::date
SELECT '2024-02-29 12:34:56.789+02'::timestamptz > 'infinity'::date
SELECT '2024-02-29 12:34:56.789+02'::timestamptz > '0001-01-01 BC'::date
SELECT '2024-02-29 12:34:56.789+02'::timestamptz > '1999-12-31 23:59:59'::timestamp, '1999-12-31 23:59:59Z'::timestamptz > '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29 12:34:56.789+02'::timestamptz > NULL, NULL > '2024-02-29 12:34:56.789'::timestamp
SELECT 'infinity'::timestamptz > '-infinity'::timestamp
SELECT 'infinity'::timestamptz > '2024-02-29 12:34:56.789'::timestamp
SELECT '0044-03-15 BC'::timestamptz > '0044-03-15 BC'::timestamp
SELECT '2024-02-29 12:34:56.789+02'::timestamptz > '-infinity'::timestamp
SELECT '2024-02-29 12:34:56.789+02'::timestamptz > '0044-03-15 BC'::timestamp
SELECT '2024-02-29 12:34:56.789+02'::timestamptz > '1999-12-31 23:59:59Z'::timestamptz, '1999-12-31 23:59:59Z'::timestamptz > '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz > NULL, NULL > '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz > '2024-02-29 12:34:56+02', '2024-02-29 12:34:56+02' > '1999-12-31 23:59:59Z'::timestamptz
SELECT 'infinity'::timestamptz > 'infinity'::timestamptz
SELECT 'infinity'::timestamptz > '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '0044-03-15 BC'::timestamptz > '0044-03-15 BC'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz > 'infinity'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz > '0044-03-15 BC'::timestamptz
SELECT '12:34:56+02'::timetz > '03:00:00+00'::timetz, '03:00:00+00'::timetz > '12:34:56+02'::timetz
SELECT '12:34:56+02'::timetz > NULL, NULL > '12:34:56+02'::timetz
SELECT '12:34:56+02'::timetz > '12:34+02', '12:34+02' > '03:00:00+00'::timetz
SELECT '24:00:00-12'::timetz > '24:00:00-12'::timetz
SELECT '24:00:00-12'::timetz > '12:34:56+02'::timetz
SELECT '12:34:56+02'::timetz > '24:00:00-12'::timetz
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid > '00000000-0000-0000-0000-000000000001'::uuid, '00000000-0000-0000-0000-000000000001'::uuid > 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid > NULL, NULL > 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid > 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11' > '00000000-0000-0000-0000-000000000001'::uuid
SELECT 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid > 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
SELECT 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid > 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid > 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
SELECT array[1, 2, 3] >= array[2], '{4,NULL,1}'::int4[] >= array[1, 2, 3]
SELECT array[1, 2, 3] >= NULL, NULL >= array[1, 2, 3]
SELECT array[1, 2, 3] >= '{1,2}', '{1,2}' >= '{4,NULL,1}'::int4[]
SELECT '{}'::int4[] >= '{}'::int4[]
SELECT '{}'::int4[] >= array[1, 2, 3]
SELECT array[1, 2, 3] >= '{}'::int4[]
SELECT '[1,5)'::int4range >= '[3,8)'::int4range, '[3,8)'::int4range >= '[1,5)'::int4range
SELECT '[1,5)'::int4range >= NULL, NULL >= '[1,5)'::int4range
SELECT '[1,5)'::int4range >= '[1,5)', '[1,5)' >= '[3,8)'::int4range
SELECT 'empty'::int4range >= 'empty'::int4range
SELECT 'empty'::int4range >= '[1,5)'::int4range
SELECT '(,)'::int4range >= '(,)'::int4range
SELECT '[5,8]'::int4range >= '[5,8]'::int4range
SELECT '(,1)'::int4range >= '(,1)'::int4range
SELECT '[1,5)'::int4range >= 'empty'::int4range
SELECT '[1,5)'::int4range >= '(,)'::int4range
SELECT true >= false, false >= true
SELECT true >= NULL, NULL >= true
SELECT true >= 't', 't' >= false
SELECT 'ab'::char(4) >= 'xyz'::char(3), 'xyz'::char(3) >= 'ab'::char(4)
SELECT 'ab'::char(4) >= NULL, NULL >= 'ab'::char(4)
SELECT 'ab'::char(4) >= 'ab', 'ab' >= 'xyz'::char(3)
SELECT ''::char(2) >= ''::char(2)
SELECT ''::char(2) >= 'ab'::char(4)
SELECT 'a '::char(3) >= 'a '::char(3)
SELECT 'ab'::char(4) >= ''::char(2)
SELECT 'ab'::char(4) >= 'a '::char(3)
SELECT '\x6162'::bytea >= '\x62'::bytea, '\x00ff10'::bytea >= '\x6162'::bytea
SELECT '\x6162'::bytea >= NULL, NULL >= '\x6162'::bytea
SELECT '\x6162'::bytea >= '\x61', '\x61' >= '\x00ff10'::bytea
SELECT ''::bytea >= ''::bytea
SELECT ''::bytea >= '\x6162'::bytea
SELECT '\xffffffffffffffff'::bytea >= '\xffffffffffffffff'::bytea
SELECT '\x6162'::bytea >= ''::bytea
SELECT '\x6162'::bytea >= '\xffffffffffffffff'::bytea
SELECT 'x'::"char" >= 'y'::"char", 'y'::"char" >= 'x'::"char"
SELECT 'x'::"char" >= NULL, NULL >= 'x'::"char"
SELECT 'x'::"char" >= 'a', 'a' >= 'y'::"char"
SELECT ''::"char" >= ''::"char"
SELECT ''::"char" >= 'x'::"char"
SELECT 'x'::"char" >= ''::"char"
SELECT '2024-02-29'::date >= '1999-12-31'::date, '1999-12-31'::date >= '2024-02-29'::date
SELECT '2024-02-29'::date >= NULL, NULL >= '2024-02-29'::date
SELECT '2024-02-29'::date >= '2024-02-29', '2024-02-29' >= '1999-12-31'::date
SELECT 'infinity'::date >= 'infinity'::date
SELECT 'infinity'::date >= '2024-02-29'::date
SELECT '0001-01-01 BC'::date >= '0001-01-01 BC'::date
SELECT '9999-12-31'::date >= '9999-12-31'::date
SELECT '2024-02-29'::date >= 'infinity'::date
SELECT '2024-02-29'::date >= '0001-01-01 BC'::date
SELECT '2024-02-29'::date >= '1999-12-31 23:59:59'::timestamp, '1999-12-31'::date >= '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29'::date >= NULL, NULL >= '2024-02-29 12:34:56.789'::timestamp
SELECT 'infinity'::date >= '-infinity'::timestamp
SELECT 'infinity'::date >= '2024-02-29 12:34:56.789'::timestamp
SELECT '0001-01-01 BC'::date >= '0044-03-15 BC'::timestamp
SELECT '9999-12-31'::date >= '9999-12-31 23:59:59.999999'::timestamp
SELECT '2024-02-29'::date >= '-infinity'::timestamp
SELECT '2024-02-29'::date >= '0044-03-15 BC'::timestamp
SELECT '2024-02-29'::date >= '1999-12-31 23:59:59Z'::timestamptz, '1999-12-31'::date >= '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29'::date >= NULL, NULL >= '2024-02-29 12:34:56.789+02'::timestamptz
SELECT 'infinity'::date >= 'infinity'::timestamptz
SELECT 'infinity'::date >= '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '0001-01-01 BC'::date >= '0044-03-15 BC'::timestamptz
SELECT '9999-12-31'::date >= 'infinity'::timestamptz
SELECT '2024-02-29'::date >= 'infinity'::timestamptz
SELECT '2024-02-29'::date >= '0044-03-15 BC'::timestamptz
SELECT 1.5::float4 >= 3::float4, '-2.25'::float4 >= 1.5::float4
SELECT 1.5::float4 >= NULL, NULL >= 1.5::float4
SELECT 1.5::float4 >= '1.5', '1.5' >= '-2.25'::float4
SELECT 'NaN'::float4 >= 'NaN'::float4
SELECT 'NaN'::float4 >= 1.5::float4
SELECT '-Infinity'::float4 >= '-Infinity'::float4
SELECT '3.4e38'::float4 >= '3.4e38'::float4
SELECT '-0'::float4 >= '-0'::float4
SELECT 1.5::float4 >= 'NaN'::float4
SELECT 1.5::float4 >= '-Infinity'::float4
SELECT 1.5::float4 >= 4::float8, '-2.25'::float4 >= 2.5::float8
SELECT 1.5::float4 >= NULL, NULL >= 2.5::float8
SELECT 'NaN'::float4 >= 'NaN'::float8
SELECT 'NaN'::float4 >= 2.5::float8
SELECT '-Infinity'::float4 >= 'Infinity'::float8
SELECT '3.4e38'::float4 >= '1e308'::float8
SELECT '-0'::float4 >= '-0'::float8
SELECT 1.5::float4 >= 'NaN'::float8
SELECT 1.5::float4 >= 'Infinity'::float8
SELECT 2.5::float8 >= 3::float4, '-0.5'::float8 >= 1.5::float4
SELECT 2.5::float8 >= NULL, NULL >= 1.5::float4
SELECT 'NaN'::float8 >= 'NaN'::float4
SELECT 'NaN'::float8 >= 1.5::float4
SELECT 'Infinity'::float8 >= '-Infinity'::float4
SELECT '1e308'::float8 >= '3.4e38'::float4
SELECT '-0'::float8 >= '-0'::float4
SELECT '1e-310'::float8 >= 'NaN'::float4
SELECT 2.5::float8 >= 'NaN'::float4
SELECT 2.5::float8 >= '-Infinity'::float4
SELECT 2.5::float8 >= 4::float8, '-0.5'::float8 >= 2.5::float8
SELECT 2.5::float8 >= NULL, NULL >= 2.5::float8
SELECT 2.5::float8 >= '1.5', '1.5' >= '-0.5'::float8
SELECT 'NaN'::float8 >= 'NaN'::float8
SELECT 'NaN'::float8 >= 2.5::float8
SELECT 'Infinity'::float8 >= 'Infinity'::float8
SELECT '1e308'::float8 >= '1e308'::float8
SELECT '-0'::float8 >= '-0'::float8
SELECT '1e-310'::float8 >= '1e-310'::float8
SELECT 2.5::float8 >= 'NaN'::float8
SELECT 2.5::float8 >= 'Infinity'::float8
SELECT 7::int2 >= 2::int2, '-3'::int2 >= 7::int2
SELECT 7::int2 >= NULL, NULL >= 7::int2
SELECT 7::int2 >= '12', '12' >= '-3'::int2
SELECT '32767'::int2 >= '32767'::int2
SELECT '32767'::int2 >= 7::int2
SELECT '-32768'::int2 >= '-32768'::int2
SELECT 0::int2 >= 0::int2
SELECT 7::int2 >= '32767'::int2
SELECT 7::int2 >= '-32768'::int2
SELECT 7::int2 >= 2, '-3'::int2 >= 5
SELECT 7::int2 >= NULL, NULL >= 5
SELECT '32767'::int2 >= 2147483647
SELECT '32767'::int2 >= 5
SELECT '-32768'::int2 >= '-2147483648'::int4
SELECT 0::int2 >= 0
SELECT 7::int2 >= 2147483647
SELECT 7::int2 >= '-2147483648'::int4
SELECT 7::int2 >= 3::int8, '-3'::int2 >= 12::int8
SELECT 7::int2 >= NULL, NULL >= 12::int8
SELECT '32767'::int2 >= 9223372036854775807
SELECT '32767'::int2 >= 12::int8
SELECT '-32768'::int2 >= '-9223372036854775808'::int8
SELECT 0::int2 >= 0::int8
SELECT 7::int2 >= 9223372036854775807
SELECT 7::int2 >= '-9223372036854775808'::int8
SELECT 5 >= 2::int2, -7 >= 7::int2
SELECT 5 >= NULL, NULL >= 7::int2
SELECT 2147483647 >= '32767'::int2
SELECT 2147483647 >= 7::int2
SELECT '-2147483648'::int4 >= '-32768'::int2
SELECT 0 >= 0::int2
SELECT 5 >= '32767'::int2
SELECT 5 >= '-32768'::int2
SELECT 5 >= 2, -7 >= 5
SELECT 5 >= NULL, NULL >= 5
SELECT 5 >= '12', '12' >= -7
SELECT 2147483647 >= 2147483647
SELECT 2147483647 >= 5
SELECT '-2147483648'::int4 >= '-2147483648'::int4
SELECT 0 >= 0
SELECT 5 >= 2147483647
SELECT 5 >= '-2147483648'::int4
SELECT 5 >= 3::int8, -7 >= 12::int8
SELECT 5 >= NULL, NULL >= 12::int8
SELECT 2147483647 >= 9223372036854775807
SELECT 2147483647 >= 12::int8
SELECT '-2147483648'::int4 >= '-9223372036854775808'::int8
SELECT 0 >= 0::int8
SELECT 5 >= 9223372036854775807
SELECT 5 >= '-9223372036854775808'::int8
SELECT 12::int8 >= 2::int2, '-5'::int8 >= 7::int2
SELECT 12::int8 >= NULL, NULL >= 7::int2
SELECT 9223372036854775807 >= '32767'::int2
SELECT 9223372036854775807 >= 7::int2
SELECT '-9223372036854775808'::int8 >= '-32768'::int2
SELECT 0::int8 >= 0::int2
SELECT 12::int8 >= '32767'::int2
SELECT 12::int8 >= '-32768'::int2
SELECT 12::int8 >= 2, '-5'::int8 >= 5
SELECT 12::int8 >= NULL, NULL >= 5
SELECT 9223372036854775807 >= 2147483647
SELECT 9223372036854775807 >= 5
SELECT '-9223372036854775808'::int8 >= '-2147483648'::int4
SELECT 0::int8 >= 0
SELECT 12::int8 >= 2147483647
SELECT 12::int8 >= '-2147483648'::int4
SELECT 12::int8 >= 3::int8, '-5'::int8 >= 12::int8
SELECT 12::int8 >= NULL, NULL >= 12::int8
SELECT 12::int8 >= '12', '12' >= '-5'::int8
SELECT 9223372036854775807 >= 9223372036854775807
SELECT 9223372036854775807 >= 12::int8
SELECT '-9223372036854775808'::int8 >= '-9223372036854775808'::int8
SELECT 0::int8 >= 0::int8
SELECT 12::int8 >= 9223372036854775807
SELECT 12::int8 >= '-9223372036854775808'::int8
SELECT '1 mon 2 days 03:04:05.5'::interval >= '36:00:00'::interval, '-1 day'::interval >= '1 mon 2 days 03:04:05.5'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval >= NULL, NULL >= '1 mon 2 days 03:04:05.5'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval >= '1 day', '1 day' >= '-1 day'::interval
SELECT 'infinity'::interval >= 'infinity'::interval
SELECT 'infinity'::interval >= '1 mon 2 days 03:04:05.5'::interval
SELECT '-178000000 years'::interval >= '-178000000 years'::interval
SELECT '00:00:00'::interval >= '00:00:00'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval >= 'infinity'::interval
SELECT '1 mon 2 days 03:04:05.5'::interval >= '-178000000 years'::interval
SELECT '{"a": 1, "b": [1, 2]}'::jsonb >= '"a"'::jsonb, '[1, "x", null]'::jsonb >= '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb >= NULL, NULL >= '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb >= '[1, 2.50, 1e2]', '[1, 2.50, 1e2]' >= '[1, "x", null]'::jsonb
SELECT 'null'::jsonb >= 'null'::jsonb
SELECT 'null'::jsonb >= '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '1.50'::jsonb >= '1.50'::jsonb
SELECT '{}'::jsonb >= '{}'::jsonb
SELECT 'true'::jsonb >= 'true'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb >= 'null'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb >= '1.50'::jsonb
SELECT 'abc'::name >= 'some_name'::name, 'some_name'::name >= 'abc'::name
SELECT 'abc'::name >= NULL, NULL >= 'abc'::name
SELECT 'abc'::name >= 'abc', 'abc' >= 'some_name'::name
SELECT ''::name >= ''::name
SELECT ''::name >= 'abc'::name
SELECT 'abc'::name >= ''::name
SELECT 'abc'::name >= 'l'::text, 'some_name'::name >= 'abc'::text
SELECT 'abc'::name >= NULL, NULL >= 'abc'::text
SELECT ''::name >= ''::text
SELECT ''::name >= 'abc'::text
SELECT 'abc'::name >= ''::text
SELECT 'abc'::name >= 'äöü €'::text
SELECT 3.75 >= 2.25::numeric(6,2), -1.5::numeric >= 3.75
SELECT 3.75 >= NULL, NULL >= 3.75
SELECT 3.75 >= '1.50', '1.50' >= -1.5::numeric
SELECT 99999999999999999999.999 >= 99999999999999999999.999
SELECT 99999999999999999999.999 >= 3.75
SELECT 0.00 >= 0.00
SELECT -0.000001 >= -0.000001
SELECT 3.75 >= 99999999999999999999.999
SELECT 3.75 >= 0.00
SELECT 5::oid >= 3000000000::oid, 3000000000::oid >= 5::oid
SELECT 5::oid >= NULL, NULL >= 5::oid
SELECT 5::oid >= '12', '12' >= 3000000000::oid
SELECT 0::oid >= 0::oid
SELECT 0::oid >= 5::oid
SELECT 5::oid >= 0::oid
SELECT 'abc'::text >= 'some_name'::name, 'Hello World'::text >= 'abc'::name
SELECT 'abc'::text >= NULL, NULL >= 'abc'::name
SELECT ''::text >= ''::name
SELECT ''::text >= 'abc'::name
SELECT 'äöü €'::text >= ''::name
SELECT '  42 '::text >= ''::name
SELECT 'a%b\c_'::text >= ''::name
SELECT 'abc'::text >= ''::name
SELECT 'abc'::text >= 'l'::text, 'Hello World'::text >= 'abc'::text
SELECT 'abc'::text >= NULL, NULL >= 'abc'::text
SELECT 'abc'::text >= 'abc', 'abc' >= 'Hello World'::text
SELECT ''::text >= ''::text
SELECT ''::text >= 'abc'::text
SELECT 'äöü €'::text >= 'äöü €'::text
SELECT '  42 '::text >= '  42 '::text
SELECT 'a%b\c_'::text >= 'a%b\c_'::text
SELECT 'abc'::text >= ''::text
SELECT 'abc'::text >= 'äöü €'::text
SELECT '12:34:56.789'::time >= '03:00:00'::time, '03:00:00'::time >= '12:34:56.789'::time
SELECT '12:34:56.789'::time >= NULL, NULL >= '12:34:56.789'::time
SELECT '12:34:56.789'::time >= '12:34', '12:34' >= '03:00:00'::time
SELECT '24:00:00'::time >= '24:00:00'::time
SELECT '24:00:00'::time >= '12:34:56.789'::time
SELECT '00:00:00'::time >= '00:00:00'::time
SELECT '12:34:56.789'::time >= '24:00:00'::time
SELECT '12:34:56.789'::time >= '00:00:00'::time
SELECT '2024-02-29 12:34:56.789'::timestamp >= '1999-12-31'::date, '1999-12-31 23:59:59'::timestamp >= '2024-02-29'::date
SELECT '2024-02-29 12:34:56.789'::timestamp >= NULL, NULL >= '2024-02-29'::date
SELECT '-infinity'::timestamp >= 'infinity'::date
SELECT '-infinity'::timestamp >= '2024-02-29'::date
SELECT '0044-03-15 BC'::timestamp >= '0001-01-01 BC'::date
SELECT '9999-12-31 23:59:59.999999'::timestamp >= '9999-12-31'::date
SELECT '2024-02-29 12:34:56.789'::timestamp >= 'infinity'::date
SELECT '2024-02-29 12:34:56.789'::timestamp >= '0001-01-01 BC'::date
SELECT '2024-02-29 12:34:56.789'::timestamp >= '1999-12-31 23:59:59'::timestamp, '1999-12-31 23:59:59'::timestamp >= '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp >= NULL, NULL >= '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp >= '2024-02-29 12:34:56', '2024-02-29 12:34:56' >= '1999-12-31 23:59:59'::timestamp
SELECT '-infinity'::timestamp >= '-infinity'::timestamp
SELECT '-infinity'::timestamp >= '2024-02-29 12:34:56.789'::timestamp
SELECT '0044-03-15 BC'::timestamp >= '0044-03-15 BC'::timestamp
SELECT '9999-12-31 23:59:59.999999'::timestamp >= '9999-12-31 23:59:59.999999'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp >= '-infinity'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp >= '0044-03-15 BC'::timestamp
SELECT '2024-02-29 12:34:56.789'::timestamp >= '1999-12-31 23:59:59Z'::timestamptz, '1999-12-31 23:59:59'::timestamp >= '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29 12:34:56.789'::timestamp >= NULL, NULL >= '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '-infinity'::timestamp >= 'infinity'::timestamptz
SELECT '-infinity'::timestamp >= '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '0044-03-15 BC'::timestamp >= '0044-03-15 BC'::timestamptz
SELECT '9999-12-31 23:59:59.999999'::timestamp >= 'infinity'::timestamptz
SELECT '2024-02-29 12:34:56.789'::timestamp >= 'infinity'::timestamptz
SELECT '2024-02-29 12:34:56.789'::timestamp >= '0044-03-15 BC'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz >= '1999-12-31'::date, '1999-12-31 23:59:59Z'::timestamptz >= '2024-02-29'::date
SELECT '2024-02-29 12:34:56.789+02'::timestamptz >= NULL, NULL >= '2024-02-29'::date
SELECT 'infinity'::timestamptz >= 'infinity'::date
SELECT 'infinity'::timestamptz >= '2024-02-29'::date
SELECT '0044-03-15 BC'::timestamptz >= '0001-01-01 BC'::date
SELECT '2024-02-29 12:34:56.789+02'::timestamptz >= 'infinity'::date
SELECT '2024-02-29 12:34:56.789+02'::timestamptz >= '0001-01-01 BC'::date
SELECT '2024-02-29 12:34:56.789+02'::timestamptz >= '1999-12-31 23:59:59'::timestamp, '1999-12-31 23:59:59Z'::timestamptz >= '2024-02-29 12:34:56.789'::timestamp
SELECT '2024-02-29 12:34:56.789+02'::timestamptz >= NULL, NULL >= '2024-02-29 12:34:56.789'::timestamp
SELECT 'infinity'::timestamptz >= '-infinity'::timestamp
SELECT 'infinity'::timestamptz >= '2024-02-29 12:34:56.789'::timestamp
SELECT '0044-03-15 BC'::timestamptz >= '0044-03-15 BC'::timestamp
SELECT '2024-02-29 12:34:56.789+02'::timestamptz >= '-infinity'::timestamp
SELECT '2024-02-29 12:34:56.789+02'::timestamptz >= '0044-03-15 BC'::timestamp
SELECT '2024-02-29 12:34:56.789+02'::timestamptz >= '1999-12-31 23:59:59Z'::timestamptz, '1999-12-31 23:59:59Z'::timestamptz >= '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz >= NULL, NULL >= '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz >= '2024-02-29 12:34:56+02', '2024-02-29 12:34:56+02' >= '1999-12-31 23:59:59Z'::timestamptz
SELECT 'infinity'::timestamptz >= 'infinity'::timestamptz
SELECT 'infinity'::timestamptz >= '2024-02-29 12:34:56.789+02'::timestamptz
SELECT '0044-03-15 BC'::timestamptz >= '0044-03-15 BC'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz >= 'infinity'::timestamptz
SELECT '2024-02-29 12:34:56.789+02'::timestamptz >= '0044-03-15 BC'::timestamptz
SELECT '12:34:56+02'::timetz >= '03:00:00+00'::timetz, '03:00:00+00'::timetz >= '12:34:56+02'::timetz
SELECT '12:34:56+02'::timetz >= NULL, NULL >= '12:34:56+02'::timetz
SELECT '12:34:56+02'::timetz >= '12:34+02', '12:34+02' >= '03:00:00+00'::timetz
SELECT '24:00:00-12'::timetz >= '24:00:00-12'::timetz
SELECT '24:00:00-12'::timetz >= '12:34:56+02'::timetz
SELECT '12:34:56+02'::timetz >= '24:00:00-12'::timetz
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid >= '00000000-0000-0000-0000-000000000001'::uuid, '00000000-0000-0000-0000-000000000001'::uuid >= 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid >= NULL, NULL >= 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid >= 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11' >= '00000000-0000-0000-0000-000000000001'::uuid
SELECT 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid >= 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
SELECT 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid >= 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid >= 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
SELECT '[1,5)'::int4range >> '[3,8)'::int4range, '[3,8)'::int4range >> '[1,5)'::int4range
SELECT '[1,5)'::int4range >> NULL, NULL >> '[1,5)'::int4range
SELECT '[1,5)'::int4range >> '[1,5)', '[1,5)' >> '[3,8)'::int4range
SELECT 'empty'::int4range >> 'empty'::int4range
SELECT 'empty'::int4range >> '[1,5)'::int4range
SELECT '(,)'::int4range >> '(,)'::int4range
SELECT '[5,8]'::int4range >> '[5,8]'::int4range
SELECT '(,1)'::int4range >> '(,1)'::int4range
SELECT '[1,5)'::int4range >> 'empty'::int4range
SELECT '[1,5)'::int4range >> '(,)'::int4range
SELECT 7::int2 >> 2, '-3'::int2 >> 5
SELECT 7::int2 >> NULL, NULL >> 5
SELECT '32767'::int2 >> 2147483647
SELECT '32767'::int2 >> 5
SELECT '-32768'::int2 >> '-2147483648'::int4
SELECT 0::int2 >> 0
SELECT 7::int2 >> 2147483647
SELECT 7::int2 >> '-2147483648'::int4
SELECT 5 >> 2, -7 >> 5
SELECT 5 >> NULL, NULL >> 5
SELECT 5 >> '12', '12' >> -7
SELECT 2147483647 >> 2147483647
SELECT 2147483647 >> 5
SELECT '-2147483648'::int4 >> '-2147483648'::int4
SELECT 0 >> 0
SELECT 5 >> 2147483647
SELECT 5 >> '-2147483648'::int4
SELECT 12::int8 >> 2, '-5'::int8 >> 5
SELECT 12::int8 >> NULL, NULL >> 5
SELECT 9223372036854775807 >> 2147483647
SELECT 9223372036854775807 >> 5
SELECT '-9223372036854775808'::int8 >> '-2147483648'::int4
SELECT 0::int8 >> 0
SELECT 12::int8 >> 2147483647
SELECT 12::int8 >> '-2147483648'::int4
SELECT '{"a": 1, "b": [1, 2]}'::jsonb ? 'l'::text, '[1, "x", null]'::jsonb ? 'abc'::text
SELECT '{"a": 1, "b": [1, 2]}'::jsonb ? NULL, NULL ? 'abc'::text
SELECT 'null'::jsonb ? ''::text
SELECT 'null'::jsonb ? 'abc'::text
SELECT '1.50'::jsonb ? 'äöü €'::text
SELECT '{}'::jsonb ? '  42 '::text
SELECT 'true'::jsonb ? 'a%b\c_'::text
SELECT '{"a": 1, "b": [1, 2]}'::jsonb ? ''::text
SELECT '{"a": 1, "b": [1, 2]}'::jsonb ? 'äöü €'::text
SELECT '{"a": 1, "b": [1, 2]}'::jsonb ?& array['a'], '[1, "x", null]'::jsonb ?& array['a', 'b']
SELECT '{"a": 1, "b": [1, 2]}'::jsonb ?& NULL, NULL ?& array['a', 'b']
SELECT 'null'::jsonb ?& '{}'::text[]
SELECT 'null'::jsonb ?& array['a', 'b']
SELECT '1.50'::jsonb ?& '{"a,b","q\"q"}'::text[]
SELECT '{}'::jsonb ?& '{}'::text[]
SELECT 'true'::jsonb ?& '{"a,b","q\"q"}'::text[]
SELECT '{"a": 1, "b": [1, 2]}'::jsonb ?& '{}'::text[]
SELECT '{"a": 1, "b": [1, 2]}'::jsonb ?& '{"a,b","q\"q"}'::text[]
SELECT '{"a": 1, "b": [1, 2]}'::jsonb ?| array['a'], '[1, "x", null]'::jsonb ?| array['a', 'b']
SELECT '{"a": 1, "b": [1, 2]}'::jsonb ?| NULL, NULL ?| array['a', 'b']
SELECT 'null'::jsonb ?| '{}'::text[]
SELECT 'null'::jsonb ?| array['a', 'b']
SELECT '1.50'::jsonb ?| '{"a,b","q\"q"}'::text[]
SELECT '{}'::jsonb ?| '{}'::text[]
SELECT 'true'::jsonb ?| '{"a,b","q\"q"}'::text[]
SELECT '{"a": 1, "b": [1, 2]}'::jsonb ?| '{}'::text[]
SELECT '{"a": 1, "b": [1, 2]}'::jsonb ?| '{"a,b","q\"q"}'::text[]
SELECT @ (1.5::float4)
SELECT @ ('-2.25'::float4)
SELECT @ (3::float4)
SELECT @ ('NaN'::float4)
SELECT @ ('-Infinity'::float4)
SELECT @ ('3.4e38'::float4)
SELECT @ ('-0'::float4)
SELECT @ (2.5::float8)
SELECT @ ('-0.5'::float8)
SELECT @ (4::float8)
SELECT @ ('NaN'::float8)
SELECT @ ('Infinity'::float8)
SELECT @ ('1e308'::float8)
SELECT @ ('-0'::float8)
SELECT @ ('1e-310'::float8)
SELECT @ (7::int2)
SELECT @ ('-3'::int2)
SELECT @ (2::int2)
SELECT @ ('32767'::int2)
SELECT @ ('-32768'::int2)
SELECT @ (0::int2)
SELECT @ (5)
SELECT @ (-7)
SELECT @ (2)
SELECT @ (2147483647)
SELECT @ ('-2147483648'::int4)
SELECT @ (0)
SELECT @ (12::int8)
SELECT @ ('-5'::int8)
SELECT @ (3::int8)
SELECT @ (9223372036854775807)
SELECT @ ('-9223372036854775808'::int8)
SELECT @ (0::int8)
SELECT @ (3.75)
SELECT @ (-1.5::numeric)
SELECT @ (2.25::numeric(6,2))
SELECT @ (99999999999999999999.999)
SELECT @ (0.00)
SELECT @ (-0.000001)
SELECT array[1, 2, 3] @> array[2], '{4,NULL,1}'::int4[] @> array[1, 2, 3]
SELECT array[1, 2, 3] @> NULL, NULL @> array[1, 2, 3]
SELECT array[1, 2, 3] @> '{1,2}', '{1,2}' @> '{4,NULL,1}'::int4[]
SELECT '{}'::int4[] @> '{}'::int4[]
SELECT '{}'::int4[] @> array[1, 2, 3]
SELECT array[1, 2, 3] @> '{}'::int4[]
SELECT '[1,5)'::int4range @> 2, '[3,8)'::int4range @> 5
SELECT '[1,5)'::int4range @> NULL, NULL @> 5
SELECT 'empty'::int4range @> 2147483647
SELECT 'empty'::int4range @> 5
SELECT '(,)'::int4range @> '-2147483648'::int4
SELECT '[5,8]'::int4range @> 0
SELECT '(,1)'::int4range @> 2147483647
SELECT '[1,5)'::int4range @> 2147483647
SELECT '[1,5)'::int4range @> '-2147483648'::int4
SELECT '[1,5)'::int4range @> '[3,8)'::int4range, '[3,8)'::int4range @> '[1,5)'::int4range
SELECT '[1,5)'::int4range @> NULL, NULL @> '[1,5)'::int4range
SELECT '[1,5)'::int4range @> '[1,5)', '[1,5)' @> '[3,8)'::int4range
SELECT 'empty'::int4range @> 'empty'::int4range
SELECT 'empty'::int4range @> '[1,5)'::int4range
SELECT '(,)'::int4range @> '(,)'::int4range
SELECT '[5,8]'::int4range @> '[5,8]'::int4range
SELECT '(,1)'::int4range @> '(,1)'::int4range
SELECT '[1,5)'::int4range @> 'empty'::int4range
SELECT '[1,5)'::int4range @> '(,)'::int4range
SELECT '{"a": 1, "b": [1, 2]}'::jsonb @> '"a"'::jsonb, '[1, "x", null]'::jsonb @> '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb @> NULL, NULL @> '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb @> '[1, 2.50, 1e2]', '[1, 2.50, 1e2]' @> '[1, "x", null]'::jsonb
SELECT 'null'::jsonb @> 'null'::jsonb
SELECT 'null'::jsonb @> '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '1.50'::jsonb @> '1.50'::jsonb
SELECT '{}'::jsonb @> '{}'::jsonb
SELECT 'true'::jsonb @> 'true'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb @> 'null'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb @> '1.50'::jsonb
SELECT 'abc'::text @@ 'l'::text, 'Hello World'::text @@ 'abc'::text
SELECT 'abc'::text @@ NULL, NULL @@ 'abc'::text
SELECT 'abc'::text @@ 'abc', 'abc' @@ 'Hello World'::text
SELECT ''::text @@ ''::text
SELECT ''::text @@ 'abc'::text
SELECT 'äöü €'::text @@ 'äöü €'::text
SELECT '  42 '::text @@ '  42 '::text
SELECT 'a%b\c_'::text @@ 'a%b\c_'::text
SELECT 'abc'::text @@ ''::text
SELECT 'abc'::text @@ 'äöü €'::text
SELECT 2.5::float8 ^ 4::float8, '-0.5'::float8 ^ 2.5::float8
SELECT 2.5::float8 ^ NULL, NULL ^ 2.5::float8
SELECT 2.5::float8 ^ '1.5', '1.5' ^ '-0.5'::float8
SELECT 'NaN'::float8 ^ 'NaN'::float8
SELECT 'NaN'::float8 ^ 2.5::float8
SELECT 'Infinity'::float8 ^ 'Infinity'::float8
SELECT '1e308'::float8 ^ '1e308'::float8
SELECT '-0'::float8 ^ '-0'::float8
SELECT '1e-310'::float8 ^ '1e-310'::float8
SELECT 2.5::float8 ^ 'NaN'::float8
SELECT 2.5::float8 ^ 'Infinity'::float8
SELECT 3.75 ^ 2.25::numeric(6,2), -1.5::numeric ^ 3.75
SELECT 3.75 ^ NULL, NULL ^ 3.75
SELECT 3.75 ^ '1.50', '1.50' ^ -1.5::numeric
SELECT 99999999999999999999.999 ^ 99999999999999999999.999
SELECT 99999999999999999999.999 ^ 3.75
SELECT 0.00 ^ 0.00
SELECT -0.000001 ^ -0.000001
SELECT 3.75 ^ 99999999999999999999.999
SELECT 3.75 ^ 0.00
SELECT 'abc'::text ^@ 'l'::text, 'Hello World'::text ^@ 'abc'::text
SELECT 'abc'::text ^@ NULL, NULL ^@ 'abc'::text
SELECT 'abc'::text ^@ 'abc', 'abc' ^@ 'Hello World'::text
SELECT ''::text ^@ ''::text
SELECT ''::text ^@ 'abc'::text
SELECT 'äöü €'::text ^@ 'äöü €'::text
SELECT '  42 '::text ^@ '  42 '::text
SELECT 'a%b\c_'::text ^@ 'a%b\c_'::text
SELECT 'abc'::text ^@ ''::text
SELECT 'abc'::text ^@ 'äöü €'::text
SELECT 7::int2 | 2::int2, '-3'::int2 | 7::int2
SELECT 7::int2 | NULL, NULL | 7::int2
SELECT 7::int2 | '12', '12' | '-3'::int2
SELECT '32767'::int2 | '32767'::int2
SELECT '32767'::int2 | 7::int2
SELECT '-32768'::int2 | '-32768'::int2
SELECT 0::int2 | 0::int2
SELECT 7::int2 | '32767'::int2
SELECT 7::int2 | '-32768'::int2
SELECT 5 | 2, -7 | 5
SELECT 5 | NULL, NULL | 5
SELECT 5 | '12', '12' | -7
SELECT 2147483647 | 2147483647
SELECT 2147483647 | 5
SELECT '-2147483648'::int4 | '-2147483648'::int4
SELECT 0 | 0
SELECT 5 | 2147483647
SELECT 5 | '-2147483648'::int4
SELECT 12::int8 | 3::int8, '-5'::int8 | 12::int8
SELECT 12::int8 | NULL, NULL | 12::int8
SELECT 12::int8 | '12', '12' | '-5'::int8
SELECT 9223372036854775807 | 9223372036854775807
SELECT 9223372036854775807 | 12::int8
SELECT '-9223372036854775808'::int8 | '-9223372036854775808'::int8
SELECT 0::int8 | 0::int8
SELECT 12::int8 | 9223372036854775807
SELECT 12::int8 | '-9223372036854775808'::int8
SELECT |/ (2.5::float8)
SELECT |/ ('-0.5'::float8)
SELECT |/ (4::float8)
SELECT |/ ('NaN'::float8)
SELECT |/ ('Infinity'::float8)
SELECT |/ ('1e308'::float8)
SELECT |/ ('-0'::float8)
SELECT |/ ('1e-310'::float8)
SELECT 5 || array[2], -7 || array[1, 2, 3]
SELECT 5 || NULL, NULL || array[1, 2, 3]
SELECT 2147483647 || '{}'::int4[]
SELECT 2147483647 || array[1, 2, 3]
SELECT '-2147483648'::int4 || '{}'::int4[]
SELECT 0 || '{}'::int4[]
SELECT 5 || '{}'::int4[]
SELECT array[1, 2, 3] || 2, '{4,NULL,1}'::int4[] || 5
SELECT array[1, 2, 3] || NULL, NULL || 5
SELECT '{}'::int4[] || 2147483647
SELECT '{}'::int4[] || 5
SELECT array[1, 2, 3] || 2147483647
SELECT array[1, 2, 3] || '-2147483648'::int4
SELECT array[1, 2, 3] || array[2], '{4,NULL,1}'::int4[] || array[1, 2, 3]
SELECT array[1, 2, 3] || NULL, NULL || array[1, 2, 3]
SELECT array[1, 2, 3] || '{1,2}', '{1,2}' || '{4,NULL,1}'::int4[]
SELECT '{}'::int4[] || '{}'::int4[]
SELECT '{}'::int4[] || array[1, 2, 3]
SELECT array[1, 2, 3] || '{}'::int4[]
SELECT 5 || 'l'::text, -7 || 'abc'::text
SELECT 5 || NULL, NULL || 'abc'::text
SELECT 2147483647 || ''::text
SELECT 2147483647 || 'abc'::text
SELECT '-2147483648'::int4 || 'äöü €'::text
SELECT 0 || '  42 '::text
SELECT 5 || ''::text
SELECT 5 || 'äöü €'::text
SELECT '\x6162'::bytea || '\x62'::bytea, '\x00ff10'::bytea || '\x6162'::bytea
SELECT '\x6162'::bytea || NULL, NULL || '\x6162'::bytea
SELECT '\x6162'::bytea || '\x61', '\x61' || '\x00ff10'::bytea
SELECT ''::bytea || ''::bytea
SELECT ''::bytea || '\x6162'::bytea
SELECT '\xffffffffffffffff'::bytea || '\xffffffffffffffff'::bytea
SELECT '\x6162'::bytea || ''::bytea
SELECT '\x6162'::bytea || '\xffffffffffffffff'::bytea
SELECT '{"a": 1, "b": [1, 2]}'::jsonb || '"a"'::jsonb, '[1, "x", null]'::jsonb || '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb || NULL, NULL || '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb || '[1, 2.50, 1e2]', '[1, 2.50, 1e2]' || '[1, "x", null]'::jsonb
SELECT 'null'::jsonb || 'null'::jsonb
SELECT 'null'::jsonb || '{"a": 1, "b": [1, 2]}'::jsonb
SELECT '1.50'::jsonb || '1.50'::jsonb
SELECT '{}'::jsonb || '{}'::jsonb
SELECT 'true'::jsonb || 'true'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb || 'null'::jsonb
SELECT '{"a": 1, "b": [1, 2]}'::jsonb || '1.50'::jsonb
SELECT 'abc'::text || 2, 'Hello World'::text || 5
SELECT 'abc'::text || NULL, NULL || 5
SELECT ''::text || 2147483647
SELECT ''::text || 5
SELECT 'äöü €'::text || '-2147483648'::int4
SELECT '  42 '::text || 0
SELECT 'a%b\c_'::text || 2147483647
SELECT 'abc'::text || 2147483647
SELECT 'abc'::text || '-2147483648'::int4
SELECT 'abc'::text || 'l'::text, 'Hello World'::text || 'abc'::text
SELECT 'abc'::text || NULL, NULL || 'abc'::text
SELECT 'abc'::text || 'abc', 'abc' || 'Hello World'::text
SELECT ''::text || ''::text
SELECT ''::text || 'abc'::text
SELECT 'äöü €'::text || 'äöü €'::text
SELECT '  42 '::text || '  42 '::text
SELECT 'a%b\c_'::text || 'a%b\c_'::text
SELECT 'abc'::text || ''::text
SELECT 'abc'::text || 'äöü €'::text
SELECT ||/ (2.5::float8)
SELECT ||/ ('-0.5'::float8)
SELECT ||/ (4::float8)
SELECT ||/ ('NaN'::float8)
SELECT ||/ ('Infinity'::float8)
SELECT ||/ ('1e308'::float8)
SELECT ||/ ('-0'::float8)
SELECT ||/ ('1e-310'::float8)
SELECT ~ (7::int2)
SELECT ~ ('-3'::int2)
SELECT ~ (2::int2)
SELECT ~ ('32767'::int2)
SELECT ~ ('-32768'::int2)
SELECT ~ (0::int2)
SELECT ~ (5)
SELECT ~ (-7)
SELECT ~ (2)
SELECT ~ (2147483647)
SELECT ~ ('-2147483648'::int4)
SELECT ~ (0)
SELECT ~ (12::int8)
SELECT ~ ('-5'::int8)
SELECT ~ (3::int8)
SELECT ~ (9223372036854775807)
SELECT ~ ('-9223372036854775808'::int8)
SELECT ~ (0::int8)
SELECT 'ab'::char(4) ~ 'l'::text, 'xyz'::char(3) ~ 'abc'::text
SELECT 'ab'::char(4) ~ NULL, NULL ~ 'abc'::text
SELECT ''::char(2) ~ ''::text
SELECT ''::char(2) ~ 'abc'::text
SELECT 'a '::char(3) ~ 'äöü €'::text
SELECT 'ab'::char(4) ~ ''::text
SELECT 'ab'::char(4) ~ 'äöü €'::text
SELECT 'abc'::name ~ 'l'::text, 'some_name'::name ~ 'abc'::text
SELECT 'abc'::name ~ NULL, NULL ~ 'abc'::text
SELECT ''::name ~ ''::text
SELECT ''::name ~ 'abc'::text
SELECT 'abc'::name ~ ''::text
SELECT 'abc'::name ~ 'äöü €'::text
SELECT 'abc'::text ~ 'l'::text, 'Hello World'::text ~ 'abc'::text
SELECT 'abc'::text ~ NULL, NULL ~ 'abc'::text
SELECT 'abc'::text ~ 'abc', 'abc' ~ 'Hello World'::text
SELECT ''::text ~ ''::text
SELECT ''::text ~ 'abc'::text
SELECT 'äöü €'::text ~ 'äöü €'::text
SELECT '  42 '::text ~ '  42 '::text
SELECT 'a%b\c_'::text ~ 'a%b\c_'::text
SELECT 'abc'::text ~ ''::text
SELECT 'abc'::text ~ 'äöü €'::text
SELECT 'ab'::char(4) ~* 'l'::text, 'xyz'::char(3) ~* 'abc'::text
SELECT 'ab'::char(4) ~* NULL, NULL ~* 'abc'::text
SELECT ''::char(2) ~* ''::text
SELECT ''::char(2) ~* 'abc'::text
SELECT 'a '::char(3) ~* 'äöü €'::text
SELECT 'ab'::char(4) ~* ''::text
SELECT 'ab'::char(4) ~* 'äöü €'::text
SELECT 'abc'::name ~* 'l'::text, 'some_name'::name ~* 'abc'::text
SELECT 'abc'::name ~* NULL, NULL ~* 'abc'::text
SELECT ''::name ~* ''::text
SELECT ''::name ~* 'abc'::text
SELECT 'abc'::name ~* ''::text
SELECT 'abc'::name ~* 'äöü €'::text
SELECT 'abc'::text ~* 'l'::text, 'Hello World'::text ~* 'abc'::text
SELECT 'abc'::text ~* NULL, NULL ~* 'abc'::text
SELECT 'abc'::text ~* 'abc', 'abc' ~* 'Hello World'::text
SELECT ''::text ~* ''::text
SELECT ''::text ~* 'abc'::text
SELECT 'äöü €'::text ~* 'äöü €'::text
SELECT '  42 '::text ~* '  42 '::text
SELECT 'a%b\c_'::text ~* 'a%b\c_'::text
SELECT 'abc'::text ~* ''::text
SELECT 'abc'::text ~* 'äöü €'::text
SELECT 'ab'::char(4) ~~ 'l'::text, 'xyz'::char(3) ~~ 'abc'::text
SELECT 'ab'::char(4) ~~ NULL, NULL ~~ 'abc'::text
SELECT ''::char(2) ~~ ''::text
SELECT ''::char(2) ~~ 'abc'::text
SELECT 'a '::char(3) ~~ 'äöü €'::text
SELECT 'ab'::char(4) ~~ ''::text
SELECT 'ab'::char(4) ~~ 'äöü €'::text
SELECT '\x6162'::bytea ~~ '\x62'::bytea, '\x00ff10'::bytea ~~ '\x6162'::bytea
SELECT '\x6162'::bytea ~~ NULL, NULL ~~ '\x6162'::bytea
SELECT '\x6162'::bytea ~~ '\x61', '\x61' ~~ '\x00ff10'::bytea
SELECT ''::bytea ~~ ''::bytea
SELECT ''::bytea ~~ '\x6162'::bytea
SELECT '\xffffffffffffffff'::bytea ~~ '\xffffffffffffffff'::bytea
SELECT '\x6162'::bytea ~~ ''::bytea
SELECT '\x6162'::bytea ~~ '\xffffffffffffffff'::bytea
SELECT 'abc'::name ~~ 'l'::text, 'some_name'::name ~~ 'abc'::text
SELECT 'abc'::name ~~ NULL, NULL ~~ 'abc'::text
SELECT ''::name ~~ ''::text
SELECT ''::name ~~ 'abc'::text
SELECT 'abc'::name ~~ ''::text
SELECT 'abc'::name ~~ 'äöü €'::text
SELECT 'abc'::text ~~ 'l'::text, 'Hello World'::text ~~ 'abc'::text
SELECT 'abc'::text ~~ NULL, NULL ~~ 'abc'::text
SELECT 'abc'::text ~~ 'abc', 'abc' ~~ 'Hello World'::text
SELECT ''::text ~~ ''::text
SELECT ''::text ~~ 'abc'::text
SELECT 'äöü €'::text ~~ 'äöü €'::text
SELECT '  42 '::text ~~ '  42 '::text
SELECT 'a%b\c_'::text ~~ 'a%b\c_'::text
SELECT 'abc'::text ~~ ''::text
SELECT 'abc'::text ~~ 'äöü €'::text
SELECT 'ab'::char(4) ~~* 'l'::text, 'xyz'::char(3) ~~* 'abc'::text
SELECT 'ab'::char(4) ~~* NULL, NULL ~~* 'abc'::text
SELECT ''::char(2) ~~* ''::text
SELECT ''::char(2) ~~* 'abc'::text
SELECT 'a '::char(3) ~~* 'äöü €'::text
SELECT 'ab'::char(4) ~~* ''::text
SELECT 'ab'::char(4) ~~* 'äöü €'::text
SELECT 'abc'::name ~~* 'l'::text, 'some_name'::name ~~* 'abc'::text
SELECT 'abc'::name ~~* NULL, NULL ~~* 'abc'::text
SELECT ''::name ~~* ''::text
SELECT ''::name ~~* 'abc'::text
SELECT 'abc'::name ~~* ''::text
SELECT 'abc'::name ~~* 'äöü €'::text
SELECT 'abc'::text ~~* 'l'::text, 'Hello World'::text ~~* 'abc'::text
SELECT 'abc'::text ~~* NULL, NULL ~~* 'abc'::text
SELECT 'abc'::text ~~* 'abc', 'abc' ~~* 'Hello World'::text
SELECT ''::text ~~* ''::text
SELECT ''::text ~~* 'abc'::text
SELECT 'äöü €'::text ~~* 'äöü €'::text
SELECT '  42 '::text ~~* '  42 '::text
SELECT 'a%b\c_'::text ~~* 'a%b\c_'::text
SELECT 'abc'::text ~~* ''::text
SELECT 'abc'::text ~~* 'äöü €'::text
