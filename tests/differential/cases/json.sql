-- json: the text as it was written; its operators and functions; that it has no equality.
select '{"a" : 1,  "b":[1, 2 ,3], "a":  {"x": "\u00e4\n"} }'::json, ' [1] '::json, json '1.50', json '"x"', 'null'::json
select '{"a":'::json
select ''::json
select '{"a":1}x'::json
select '[1,]'::json
select 'NaN'::json
select '01'::json
select '"\u00zz"'::json
select '"\ud800"'::json, '"\u0000"'::json, '1e1000000'::json
select '{"a" : 1,  "b":[1, 2 ,3], "a":  {"x": "\u00e4\n"} }'::json -> 'a', '{"a" : 1,  "b":[1, 2 ,3]}'::json -> 'b', '{"a" : "x"}'::json -> 'a', '{"a" : "x"}'::json ->> 'a', '{"a" : null}'::json ->> 'a', '{"a" : null}'::json -> 'a', '{"a":1}'::json -> 'z'
select '[1, "b" ,{"c":  3}, null]'::json -> 0, '[1, "b" ,{"c":  3}]'::json -> 2, '[1, "b" ,{"c":  3}]'::json -> -1, '[1, "b"]'::json ->> -1, '[1]'::json -> 5, '[1]'::json -> 'a', '{"1":2}'::json -> 1, '[null]'::json ->> 0, '5'::json -> 0
select '{"a": {"b": [10, {"c": "d e"}]}}'::json #> '{a,b,1}', '{"a": {"b": [10, {"c": "d e"}]}}'::json #>> '{a,b,1,c}', '{"a": {"b": [10]}}'::json #> '{a,b,-1}', '{"a": 1}'::json #> '{a,b}', '{"a":1}'::json #> '{}', ' {"a":1} '::json #>> '{}', '"x"'::json #>> '{}', '"x"'::json #> '{}', 'null'::json #>> '{}'
select '{"a": [1]}'::json #> '{a,x}', '{"a": [1]}'::json #> array['a', null], '{"a": {"1": 2}}'::json #>> '{a,1}'
select '{"a": "\u0041\"\\\/\b"}'::json -> 'a', '{"a": "\u0041\"\\\/\b"}'::json ->> 'a', '{"\u0061": 1}'::json -> 'a', '{"a": "\ud83d\ude04"}'::json ->> 'a'
select '{"a": "\u0000"}'::json -> 'a'
select '{"a": "\u0000"}'::json ->> 'a'
select '{"a": "\ud800"}'::json ->> 'a'
select '{"a": "\ud800", "b": 1}'::json -> 'b'
select json_typeof('{}'), json_typeof('[]'), json_typeof('"x"'), json_typeof('1.5'), json_typeof(' true '), json_typeof('null'), json_typeof(null)
select json_array_length('[1,[2,3],"a,b"]'), json_array_length('[ ]'), json_array_length(null)
select json_array_length('{}')
select json_array_length('1')
select json_extract_path('{"a": {"b":  1}}', 'a', 'b'), json_extract_path('{"a": {"b":  1}}', 'a'), json_extract_path_text('{"a": [1, "x"]}', 'a', '1'), json_extract_path('{}', 'a')
select to_json(1), to_json(1.50), to_json(true), to_json('a"b'::text), to_json(null::int), to_json('2024-01-01'::date), to_json('2024-01-01 12:00'::timestamp), to_json('2024-01-01 12:00Z'::timestamptz), to_json('{"b":1, "a":2}'::json), to_json('{"b":1, "a":2}'::jsonb)
select to_json(1e20::float8), to_json('nan'::float8), to_json('-infinity'::float4), to_json(1.5::float4), to_json(interval '1 day'), to_json('x'::char(3)), to_json('\x00ff'::bytea), to_json('12:00'::time), to_json(5::oid), to_json('x'::"char")
select to_json(array[1, 2, null]), to_json(array['a', 'b"c']), to_json('{}'::int[]), to_json(array['{"a": 1}'::json]), array_to_json(array[1.5, 2.5]), array_to_json(null::int[]), to_json(array[1e20::float8])
select to_json('x')
select array_to_json(1)
select json_build_array(), json_build_array(1, 'a', null, true, '{"a":  1}'::json, array[1, 2]), json_build_array(null)
select json_build_object(), json_build_object('a', 1, 'b', null, 'a', '{"x": [1]}'::jsonb), json_build_object(1, 2, true, 'x'::char(2)), json_build_object('2024-01-01'::date, array['x'])
select json_build_object('a')
select json_build_object(null, 1)
select json_build_object(array[1], 1)
select json_build_object('{}'::json, 1)
select key, value from json_each('{"a" : 1, "b": {"c":  [ ]}, "a": "x\n"}')
select key, value from json_each_text('{"a" : 1, "b": {"c":  [ ]}, "a": "x\ny", "n": null}')
select * from json_each('[1]')
select * from json_each('1')
select value from json_array_elements('[1, {"a" :2}, "x", null, [ 1 ]]')
select value from json_array_elements_text('[1, {"a" :2}, "x", null, [ 1 ]]')
select * from json_array_elements('{}')
select * from json_array_elements_text('"x"')
select json_object_keys('{"b":1, "a":2, "b":3}')
select json_object_keys('[1]')
select json_array_elements('[1,2]'), json_array_elements_text('["a"]')
select e ->> 'a' from json_array_elements('[{"a":1},{"a":2}]') as e
select json_agg(v order by v) from (values (1), (null), (3)) as x (v)
select json_agg(v order by v) from (values ('{1,2}'::int[]), ('{3}')) as x (v)
select json_agg(v) from (values (1)) as x (v) where v > 1
select json_agg(v order by v) filter (where v > 1) from (values (1), (2), (3)) as x (v)
select json_agg(distinct v) from (values ('b'), ('a'), ('b')) as x (v)
select json_object_agg(k, v order by k) from (values ('a', 1), ('b', null), ('c', 3)) as x (k, v)
select json_object_agg(k, v) from (values (null, 1)) as x (k, v)
select json_object_agg(k, v order by k) from (values (1, '{"x":  1}'::json), (2, 'null')) as x (k, v)
select json_agg('x')
select json_agg(json_build_object('a', v) order by v) from (values (1), (2)) as x (v)
select '{"b":1, "a":1.0}'::json::jsonb, '{"b":1,"a":1.0}'::jsonb::json, '{"a" : 1}'::json::text, ' [1]'::text::json, '[1]'::varchar::json
select '{"a":1}'::json::int
select 5::json
select '{"a": "\u0000"}'::json::jsonb
select '{}'::json = '{}'::json
select '{}'::json = '{}'
select '{}'::json <> '{}'::jsonb
select '{}'::json < '{}'::json
select '{}'::json is distinct from '{}'::json
select '{}'::json in ('{}')
select '{}'::json is null, '{}'::json is not null, coalesce(null, '{ }'::json), case when true then '{ }'::json end
select greatest('{}'::json, '[]')
select nullif('{}'::json, '{}')
select min('{}'::json)
select count(distinct v) from (values ('{}'::json)) as x (v)
select array_agg(distinct v) from (values ('{}'::json)) as x (v)
select count(v), array_agg(v) from (values ('{ }'::json)) as x (v)
select v from (values ('{}'::json)) as x (v) group by v
select distinct v from (values ('{}'::json)) as x (v)
select distinct on (v) v from (values ('{}'::json)) as x (v)
select v from (values ('{}'::json)) as x (v) order by v
select row_number() over (partition by v) from (values ('{}'::json)) as x (v)
select row_number() over (order by v) from (values ('{}'::json)) as x (v)
select '{}'::json union select '{}'::json
select '{}'::json union all select '{ }'::json
select '{}'::json intersect select '{}'::json
select '{}'::json except all select '{}'::json
select a.v from (values ('{}'::json)) as a (v) join (values ('{}'::json)) as b (v) using (v)
select array['{}'::json], '{"{}"}'::json[], array['{}'::json] = array['{}'::json]
select '{"a":1}'::json || '{}'::json
select '{"a":1}'::json || 'x'
select '{"a":1}'::json @> '{}'
select '{"a":1}'::json ? 'a'
select ('{"a":1}'::json)['a']
select '{"a":1}'::json is json object, '{"a":1}' is json
select concat('{ }'::json, 'x'), format('%s', '[ ]'::json), length('{ }'::json::text)
select to_jsonb('{"b": 1}'::json)
create table js (id int, j json, l json[])
insert into js values (1, '{"a" :  1}', '{"{}"}'), (2, '[1 ]', null), (3, null, '{}')
insert into js values (4, '{', null)
insert into js select 5, '{"b":1}'::jsonb
insert into js select 6, '{"b":1}'::text
update js set j = json_build_object('id', id) where id = 3
select id, j, l, j -> 'a', j ->> 0 from js
select id, (select j ->> 'id' from js as o where o.id = js.id) from js
select id, x.key, x.value from js, json_each(j) as x where json_typeof(j) = 'object'
create table jk (j json primary key)
create table jt as select j from js
drop table js
drop table jt
