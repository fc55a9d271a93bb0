-- char(n): blanks at the end, where they count and where they do not; what the operators and functions of a char are.
select 'ab'::char(4), 'ab'::char(4) || 'x', 'ab'::char(4)::text || 'x', 'ab'::char(4)::varchar || 'x', ('ab'::char(4))::varchar(1)
select 'a'::char, 'abc'::char, 'abc'::character, 'abc'::character(2), 'abc  '::char(5), 'abc  '::bpchar, char 'xyz', char(2) 'xyz', character(4) 'ab', bpchar 'ab  ', nchar(2) 'xyz', bpchar(2) 'xyz'
select 'ab'::char(4) = 'ab', 'ab'::char(4) = 'ab  ', 'ab'::char(4) = 'ab  '::text, 'ab'::char(4) = 'ab'::text, 'ab'::char(4) = 'ab      '::char(10)
select 'ab'::char(4) = 'ab  '::varchar, 'ab  '::varchar = 'ab'::char(4), 'ab'::bpchar = 'ab  '::bpchar, 'ab  '::bpchar = 'ab'::char(2), 'ab '::bpchar <> 'ab'
select 'ab'::char(4) < 'ab'||chr(9), 'ab'::char(4) > 'ab'||chr(9)::char(3), ('ab'||chr(9))::char(4) > 'ab'::char(4), ('ab'||chr(9))::bpchar > 'ab  '::bpchar
select 'ab'::char(4) like 'ab', 'ab'::char(4) like 'ab  ', 'ab'::char(4) like 'ab%', 'ab' like 'ab'::char(4), 'ab'::char(4) ilike 'AB__', 'ab  '::bpchar like 'ab', 'ab'::char(4) not like 'ab'
select 'ab'::char(4) ~ 'b$', 'ab'::char(4) ~ 'b  $', 'ab'::char(4) !~* 'B$', 'ab' ~ 'b '::char(3), 'ab'::char(4) similar to 'ab', 'ab'::char(4) ~~* 'ab'
select length('ab'::char(4)), char_length('ab'::char(4)), octet_length('ab'::char(4)), bit_length('ab'::char(4)), octet_length('äb'::char(4)), length('ab  '::bpchar), octet_length('ab  '::bpchar)
select upper('ab'::char(4)) || '|', substring('abcd'::char(6), 3) || '|', reverse('ab'::char(4)) || '|', lpad('ab'::char(4), 5) || '|', replace('ab'::char(4), ' ', 'x'), md5('ab'::char(4)) = md5('ab')
select concat('ab'::char(4), '|'), concat_ws('ab'::char(3), 'x', 'y'::char(2), 'z'), format('%s|', 'ab'::char(4)), quote_literal('ab'::char(4)), quote_nullable('ab'::char(4))
select to_jsonb('ab'::char(4)), jsonb_build_object('ab'::char(4), 'x'::char(2)), array_to_string(array['ab'::char(4), 'c'], '|')
select array['ab'::char(4), 'c'::char(4)], array['ab'::char(4), 'c'::char(2)], '{ab,c}'::char(4)[], ('{ab,c}'::char(4)[])[1] || '|', array['ab'::char(4)] = array['ab'], array['ab'::bpchar] = array['ab  '::bpchar]
select 'ab'::char(4) = any (array['ab', 'c']), 'ab'::char(4) = any ('{ab}'), 'ab'::char(4) = any (array['ab'::bpchar, 'c']), 'ab'::char(4) in ('ab', 'c'), 'ab  '::bpchar in ('ab', 'c'), 'ab' in ('ab'::char(4), 'c'::char(2)), 'ab'::char(4) <> all ('{ab,c}')
select case when true then 'ab'::char(4) else 'c'::char(2) end || '|', coalesce('ab'::char(4), 'c') , coalesce(null, 'c'::char(3)), greatest('ab'::char(4), 'b'::char(2)), least('ab'::char(4), 'ab'::char(6)), nullif('ab'::char(4), 'ab'), nullif('ab'::char(4), 'x'), nullif('ab '::bpchar, 'x')
select case when false then 'ab'::char(4) else 'c'::char(2) end, case when true then 'x' else 'ab'::char(4) end, case when true then 'x  '::text else 'ab'::char(4) end
select 'ab'::char(4) is distinct from 'ab', 'ab'::char(4) is not distinct from 'ab    '::bpchar, 'ab '::bpchar is distinct from 'ab'
select '5  '::char(4)::int, ' 5'::char(4)::numeric, 'true'::char(6)::boolean, '2024-01-01'::char(12)::date, '{"a":1}'::char(9)::jsonb, 'ab'::char(4)::bytea, 'ab'::char(4)::name
select 'ab'::char(4)::uuid
select 5::char(3), 12345::char(3), true::char(3), true::bpchar, 1.5::char(5), '2024-01-01'::date::char(7), 'x'::"char"::char(3), 'ab'::char(4)::"char", ''::char(2)::"char", 'abc'::name::char(2)
select 'abcd'::char(4)::char(2), 'ab'::char(4)::char(6), 'ab'::char(4)::bpchar, 'ab'::char(4)::bpchar(3), 'ab  '::bpchar::text || '|', 'ab  '::text::bpchar
select max(v), min(v), count(distinct v), string_agg(v, '|' order by v) from (values ('ab'::char(4)), ('b'), ('ab   '), (null)) as x (v)
select array_agg(v order by v), any_value(v) from (values ('ab'::char(4)), ('b')) as x (v)
select v, count(*) from (values ('ab'::char(4)), ('ab    '), ('c')) as x (v) group by v order by v
select v from (select 'ab'::char(4) as v union select 'ab'::char(6)) as x
select v || '|' from (select 'ab'::char(4) as v union all select 'c'::char(6)) as x
select v from (select 'ab'::char(4) as v union all select 'c  '::text) as x
select v from (select 'c  '::text as v union all select 'ab'::char(4)) as x
select v::text || '|' from (values ('ab'::char(4)), ('c'::char(6))) as x (v) order by v
select distinct v from (values ('ab'::char(4)), ('ab'::char(4))) as x (v) order by v
select distinct on (v) v, n from (values ('ab'::char(4), 1), ('ab'::char(4), 2)) as x (v, n) order by v, n
select a.v, b.v from (values ('ab'::char(4))) as a (v) join (values ('ab'::char(6)), ('ab')) as b (v) on a.v = b.v
select v, a.n, b.n from (values ('ab'::char(4), 1)) as a (v, n) join (values ('ab'::char(6), 2)) as b (v, n) using (v)
select v, a.n, b.n from (values ('ab'::char(4), 1)) as a (v, n) full join (values ('ab'::char(6), 2), ('c', 3)) as b (v, n) using (v)
select a.v, b.v from (values ('ab'::char(4))) as a (v) join (values ('ab'::text), ('ab  ')) as b (v) on a.v = b.v
select a.v, b.v from (values ('ab'::char(4))) as a (v) join (values ('ab'::varchar), ('ab  ')) as b (v) on a.v = b.v
select row_number() over (partition by v order by n), lag(v) over (order by n), v from (values ('ab'::char(4), 1), ('ab', 2), ('c', 3)) as x (v, n)
select v from (values ('ab'::char(4)), ('c')) as x (v) intersect select 'ab'::char(4)
select v from (values ('ab'::char(4)), ('c')) as x (v) except select 'ab'::char(7)
select 'ab'::char(4) || 5, 5 || 'ab'::char(4), 'ab'::char(4) || 'c'::char(3), 'ab'::char(4) || null, array['x'::char(2)] || 'y'::char(3)
select 'abc'::char(0)
select 'abc'::char(10485761)
select 'abc'::char(1, 2)
select length('ab'::char(4) || ' '), 'ab'::char(4) ^@ 'ab', starts_with('ab'::char(4), 'ab '), position('b '::char(3) in 'ab ')
select 'ab'::char(4) + 1
select 'ab'::char(4) = 5
select split_part('a b'::char(5), ' ', 2), trim('ab'::char(4)) || '|', rtrim('ab'::char(4), 'b'), overlay('ab'::char(4) placing 'x' from 2) || '|', to_date('2024'::char(6), 'YYYY'), string_to_array('a b'::char(5), ' ')
select format_type(1042, 7), format_type(1042, -1), format_type(1042, null), format_type(1014, 7), format_type(1014, -1)
select oid, typname, typlen, typcategory, typispreferred, typelem, typarray, typcollation from pg_type where typname in ('bpchar', '_bpchar') order by oid
create table codes (id int, c char(3) primary key, d character default 'x', l char(2)[], b bpchar, v varchar(4), t text)
insert into codes values (1, 'ab', default, '{a,bc}', 'q  ', 'ab', 'ab'), (2, 'abc', 'y', '{}', 'q', 'abc ', 'abc  ')
insert into codes values (3, 'abcd')
insert into codes values (3, 'abc ')
insert into codes values (3, 'xy    ', ' ', array['z', null], 'zz')
insert into codes (id, c) select 4, 'abcd'::text
insert into codes (id, c, d) select 4, 'd  '::text, 'q '::varchar
insert into codes (id, c, d) values (5, 'e'::char(9), 'qq'::char(2))
insert into codes (id, c, d) values (5, 'e'::char(9), 'q'::char(2))
insert into codes (id, c) values (6, 'ab    ')
insert into codes (id, c, l) values (6, 'f', '{abc}')
insert into codes (id, c, l) values (6, 'f', array['abc'])
update codes set c = 'longer' where id = 1
update codes set c = c || 'x' where id = 1
update codes set v = c, t = c where id in (2, 3)
select * from codes
select id, c || '|', d || '|', b || '|', octet_length(c), octet_length(b), v || '|', t || '|' from codes
select id from codes where c = 'ab'
select id from codes where c = 'abx '
select id from codes where c in ('abx', 'xy ') order by c
select id from codes where c = 'xy'::text
select id from codes where c = 'xy '::text
select id from codes where c like 'xy'
select id from codes where c like 'xy%' and c > 'a' and c between 'x' and 'z'
select c from codes order by c
select c from codes order by c desc limit 2
select b::text, count(*) from codes group by b having count(*) > 1
select count(distinct b), count(distinct d) from codes
select a.id, b.id from codes a join codes b on a.c = b.v
select a.id, b.id from codes a join codes b on a.c = b.t
select a.id, b.id from codes a join codes b on a.b = b.d
insert into codes (id, c) values (1, 'abx') on conflict (c) do update set id = 10 returning id, c
delete from codes where c = 'abx' returning c || '|'
create table copied as select c, d, b, c || 'x' as e, max(c) as m from codes group by c, d, b
select attname, format_type(atttypid, atttypmod), atttypmod from pg_attribute where attrelid = 'copied'::regclass and attnum in (1, 2, 3, 4) order by attnum
select column_name, data_type::text, character_maximum_length, udt_name from information_schema.columns where table_name = 'codes' order by ordinal_position
select * from copied
create table broken (id int, d character default 'xyz')
insert into broken (id) values (1)
drop table broken
drop table copied
drop table codes
create table defaults (a char(3) default 'abc', b char(4) default 'x', c char(2)[] default '{ab}', d timestamp(0) default '2024-01-01 00:00:00', e interval day to second(2))
select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 'defaults'::regclass order by adnum
select data_type::text, character_maximum_length from information_schema.columns where table_name = 'defaults' order by ordinal_position
insert into defaults default values
select * from defaults
drop table defaults
select v = any (array['b ']), v <> all (array['b ']::text[]), v < any (array['b ']), 'b '::text = any (array[v]), v = any (array['b ']::varchar[]), 'b '::varchar = any (array[v]) from (select 'b'::char(4) as v) as x
select v in (select 'b '::text), v in (select 'b '::varchar), v > any (select 'b'::text), v <= all (select 'b '::varchar), v not in (select 'b '::text) from (select 'b'::char(4) as v) as x
select 'b '::text in (select v), 'b '::varchar in (select v), 'b '::text = all (select v), ('b '::text, 1) in (select v, 1), (v, 1) in (select 'b '::text, 1) from (select 'b'::char(4) as v) as x
select v is distinct from 'b '::text, 'b '::varchar is not distinct from v, nullif(v, 'b '::text), nullif(v, 'x'::text) || '|', nullif('b '::varchar, v), nullif(v, 'b '::varchar) from (select 'b'::char(4) as v) as x
select '\101'::"char", '\000'::"char" = '', '\400'::"char" = '', '\1012'::"char", '\18'::"char", '\'::"char", '\501'::text::"char"
select array['0044-03-15 BC'::date, '2024-01-01', 'infinity', null], array['0044-03-15 12:00:00 BC'::timestamp], daterange('0044-03-15 BC', '2024-01-01'), row('0044-03-15 BC'::date), array[daterange('0044-03-15 BC', null)]
