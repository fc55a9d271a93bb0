'{"b":1.50, "a":[1,2e2,-0.0,"x\u00e9"], "b":2.0, "":null}'::jsonb
'[]'::jsonb
' 12 '::jsonb
'1e-3'::jsonb
'-0'::jsonb
'"\u00e9\n\t\u0001/\\"'::jsonb
'"\ud83d\ude00"'::jsonb
'"\ud83d"'::jsonb
'"\u0000"'::jsonb
''::jsonb
'{'::jsonb
'NaN'::jsonb
'[1,]'::jsonb
'01'::jsonb
'{"a":1} x'::jsonb
'nul'::jsonb
'1e200000'::jsonb
'"a	b"'::jsonb
'123456789012345678901234567890.123456789012345678901234567890123456789'::jsonb
'{"a":{"b":[1,{"c":"x"}]}}'::jsonb -> 'a' -> 'b' -> 1 ->> 'c'
'{"a":{"b":[1,{"c":"x"}]}}'::jsonb -> 'a' -> 'b' -> -1
'{"a":{"b":[1,{"c":"x"}]}}'::jsonb -> 'a' ->> 'b'
'{"a":null}'::jsonb -> 'a'
'{"a":null}'::jsonb ->> 'a'
'[1,2]'::jsonb -> 5
'[1,2]'::jsonb -> 'a'
'[1,2]'::jsonb -> '1'
'{"1":2}'::jsonb -> 1
'1'::jsonb -> 0
'"a"'::jsonb ->> 0
'"a"'::jsonb -> -1
'1'::jsonb -> 1
'1'::jsonb #> '{0}'
'1'::jsonb #> '{}'
'"x"'::jsonb #>> '{}'
'null'::jsonb #>> '{}'
'[1,[2,{"a":3}]]'::jsonb #> '{1,1,a}'
'[1,[2,{"a":3}]]'::jsonb #>> '{-1,-1}'
'[1,[2,{"a":3}]]'::jsonb #> '{1,x}'
'[1,[2,{"a":3}]]'::jsonb #> ARRAY['1',NULL]
'{"a":[1,2]}'::jsonb #> ARRAY['a',' 1']
'{"a":[1,2]}'::jsonb #> ARRAY['a','+1']
'{"a":[1,2]}'::jsonb #> ARRAY['a','1 ']
'{"a":1,"b":[1,2,{"c":3}]}'::jsonb @> '{"b":[{"c":3}]}'
'[1,2,3]'::jsonb @> '[3,1,1]'
'[1,2,3]'::jsonb @> '2'
'2'::jsonb @> '[2]'
'2'::jsonb @> '2.0'
'[]'::jsonb @> '[]'
'{}'::jsonb @> '[]'
'[{"a":[1,2]}]'::jsonb @> '[{"a":[1]}]'
'[[1,2]]'::jsonb @> '[[1]]'
'[[1,2]]'::jsonb @> '[1]'
'true'::jsonb @> '1'
'1'::jsonb <@ '[1,true]'
'{"a":1}'::jsonb ? 'a'
'["a"]'::jsonb ? 'a'
'"a"'::jsonb ? 'a'
'[1]'::jsonb ? '1'
'{"a":1}'::jsonb ?| ARRAY['b','a']
'{"a":1}'::jsonb ?& ARRAY['b','a']
'{"a":1}'::jsonb ?& '{}'
'{"a":1}'::jsonb ?| ARRAY[NULL,'a']
'{"a":1}'::jsonb ?& ARRAY[NULL,'a']
'{"a":1}'::jsonb || '{"a":2,"b":3}'
'[1]'::jsonb || '[2]'
'[1]'::jsonb || '2'
'1'::jsonb || '2'
'1'::jsonb || '{"a":1}'
'{"a":1}'::jsonb || '1'
'[]'::jsonb || '{"a":1}'
'{}'::jsonb || '[]'
'{}'::jsonb || '1'
'{"a":1}'::jsonb || '[1]'
'{"a":1}'::jsonb || NULL
'x' || '{"a":1}'::jsonb::text
'x'::text || '{"a":1}'::jsonb
'{"a":1,"b":2}'::jsonb - 'a'
'["a","b","a",1]'::jsonb - 'a'
'"a"'::jsonb - 'a'
'[1,2,3]'::jsonb - 1
'[1,2,3]'::jsonb - -1
'[1,2,3]'::jsonb - 7
'[1,2,3]'::jsonb - -7
'{"a":1}'::jsonb - 1
'1'::jsonb - 1
'{"a":1,"b":2,"c":3}'::jsonb - ARRAY['a','c']
'{"a":1,"b":2,"c":3}'::jsonb - '{a,c}'::text[]
'1'::jsonb - ARRAY['a']
'{"a":{"b":[1,2]}}'::jsonb #- '{a,b,0}'
'{"a":{"b":[1,2]}}'::jsonb #- '{a,b,-1}'
'{"a":{"b":[1,2]}}'::jsonb #- '{a,x}'
'{"a":{"b":[1,2]}}'::jsonb #- '{a,b,x}'
'{"a":{"b":[1,2]}}'::jsonb #- '{}'
'1'::jsonb #- '{a}'
'{"a":1}'::jsonb #- ARRAY[NULL]::text[]
'[]'::jsonb #- '{x}'
jsonb_set('{"a":1}', '{b}', '2')
jsonb_set('{"a":1}', '{b}', '2', false)
jsonb_set('{"a":{"b":1}}', '{a,b}', '{"x":1}')
jsonb_set('{"a":{"b":1}}', '{x,b}', '1')
jsonb_set('{"a":1}', '{a,b}', '2')
jsonb_set('[1,2]', '{5}', '3')
jsonb_set('[1,2]', '{-5}', '3')
jsonb_set('[1,2]', '{-5}', '3', false)
jsonb_set('[1,2]', '{2}', '3')
jsonb_set('[1,2]', '{-1}', '3')
jsonb_set('[]', '{-1}', '3')
jsonb_set('[]', '{3}', '3')
jsonb_set('[]', '{3}', '3', false)
jsonb_set('[1,2]', '{x}', '3')
jsonb_set('{"a":[1]}', '{a,x}', '3')
jsonb_set('1', '{x}', '3')
jsonb_set('{}', '{}', '3')
jsonb_set('{"a":1}', ARRAY['a',NULL], '3')
jsonb_set('{"a":[]}', ARRAY['a',NULL], '3')
jsonb_set('{"a":1}', '{a}', NULL)
jsonb_set('{"a":[{"b":1}]}', '{a,0,b}', '[1]')
jsonb_set('[[1]]', '{3,0}', '[1]')
jsonb_insert('{"a":[0,1,2]}', '{a,1}', '"n"')
jsonb_insert('{"a":[0,1,2]}', '{a,1}', '"n"', true)
jsonb_insert('{"a":[0,1,2]}', '{a,-1}', '"n"', true)
jsonb_insert('{"a":[0,1,2]}', '{a,9}', '"n"')
jsonb_insert('{"a":[0,1,2]}', '{a,-9}', '"n"')
jsonb_insert('{"a":1}', '{b}', '2')
jsonb_insert('{"a":1}', '{a}', '2')
jsonb_insert('1', '{a}', '2')
jsonb_strip_nulls('{"a":null,"b":[null,{"c":null}],"d":{"e":null}}')
jsonb_strip_nulls('{"a":null,"b":[null,{"c":null}]}', true)
jsonb_strip_nulls('null')
jsonb_pretty('{"a":[1,{"b":[]},{}],"c":"x"}')
jsonb_pretty('1')
jsonb_pretty('[]')
jsonb_typeof('null')
jsonb_typeof('1.5')
jsonb_typeof('[]')
jsonb_typeof('true')
jsonb_array_length('[1,2]')
jsonb_array_length('{}')
jsonb_array_length('1')
jsonb_extract_path('{"a":[1,{"b":2}]}', 'a', '1', 'b')
jsonb_extract_path_text('{"a":[1,{"b":"x"}]}', 'a', '1', 'b')
jsonb_object('{a,1,b,2}')
jsonb_object('{a,1,b}')
jsonb_object('{a,b,b}', '{1,2,NULL}')
jsonb_object('{a,b}', '{1}')
jsonb_object(ARRAY['a',NULL], ARRAY['b','c'])
jsonb_object(ARRAY[NULL,'c'])
jsonb_build_object('b', 1, 'a', 'x', 'c', NULL, 'aa', true)
jsonb_build_object('a', 1.50, 'b', 1e20::float8, 'c', 'NaN'::float8, 'd', DATE '2024-01-02', 'e', TIMESTAMP '2024-01-02 03:04:05.5', 'f', TIMESTAMPTZ '2024-01-02 03:04:05+00')
jsonb_build_object('a', 1, 'a', 2)
jsonb_build_object(1, 2)
jsonb_build_object(true, 2)
jsonb_build_object('a')
jsonb_build_object(NULL, 1)
jsonb_build_object()
jsonb_build_object('a', '{"x":1}'::jsonb, 'b', ARRAY[1,2,NULL], 'c', ARRAY['x"y','z'])
jsonb_build_object('{"a":1}'::jsonb, 1)
jsonb_build_array(1, 'a', NULL, 2.50, '[1]'::jsonb)
jsonb_build_array()
to_jsonb('a"b'::text)
to_jsonb(1.50)
to_jsonb(1e-7::float8)
to_jsonb('-0'::float8)
to_jsonb('Infinity'::float8)
to_jsonb(0.1::float4)
to_jsonb(ARRAY[true,false])
to_jsonb(ARRAY[]::int[])
to_jsonb('1'::jsonb)
to_jsonb(NULL::int)
to_jsonb('x')
('{"a":[1,{"b":2}]}'::jsonb)['a'][1]['b']
('{"a":[1,{"b":2}]}'::jsonb)['a']['1']
('{"a":[1,{"b":2}]}'::jsonb)['x']
('{"a":1}'::jsonb)[1.5]
'1.5'::jsonb::int
'2.5'::jsonb::int
'-2.5'::jsonb::int
'1e10'::jsonb::int
'1e10'::jsonb::bigint
'40000'::jsonb::smallint
'"1"'::jsonb::int
'null'::jsonb::int
'true'::jsonb::bool
'1'::jsonb::bool
'{}'::jsonb::bool
'1.555'::jsonb::numeric(10,2)
'1.5'::jsonb::float8
'1e400'::jsonb::float8
'1.5'::jsonb::float4
'{"a": 1}'::jsonb::text
'{"a": 1}'::text::jsonb
'{"a": 1}'::jsonb::varchar(3)
1::jsonb
'1'::jsonb = '1.0'
'{"a":1.0}'::jsonb = '{"a":1.00}'
'{"a":1,"b":2}'::jsonb = '{"b":2,"a":1}'
'1'::jsonb < '2'
'[]'::jsonb < 'null'
'[1]'::jsonb > '9'
'[1,1]'::jsonb > '{}'
'"a"'::jsonb < '1'
'1'::jsonb < 'true'
'"b"'::jsonb < '"aa"'
'{"b":1}'::jsonb < '{"aa":1}'
'-10'::jsonb < '-9'
'100'::jsonb > '99.5'
'1'::jsonb IN ('1.0', '2')
'1'::jsonb IS DISTINCT FROM '1.0'
nullif('1'::jsonb, '1.0'::jsonb)
greatest('1'::jsonb, '"a"', 'true')
'1'::jsonb = ANY (ARRAY['2','1.0']::jsonb[])
ARRAY['{"a": 1}'::jsonb, NULL, '1']
'{"a":1}' -> 'a'
'{"a":1}'::jsonb -> 1::bigint
'{"a":1}'::jsonb #> ARRAY[1]
'{"a":1}'::jsonb + 1
'{"a":1}'::jsonb < 1
coalesce(NULL, '{"a":1}'::jsonb)
CASE WHEN true THEN '1'::jsonb ELSE '2' END
length('{"a":1}'::jsonb)
md5('{"a":1}'::jsonb::text)
jsonb '[1, 2]'
CAST('{"a":1}' AS jsonb) ->> 'a'
