-- Ranges: text, constructors, which operators exist for which types, and ranges wherever a value may stand.
select int4range(1,5) @> '3'
select int4range(1,5) @> '[2,3)'
select int4range(1,5) @> 3::smallint
select int4range(1,5) @> 3::bigint
select int4range(1,5) @> null
select numrange(1,5) @> 3
select numrange(1,5) @> 3.5
select '3' <@ int4range(1,5)
select '[1,2)' <@ int4range(1,5)
select '[1,5)' @> 3
select 3 <@ '[1,5)'
select null @> int4range(1,5)
select '[1,5)' @> int4range(1,5)
select int4range(1,5) && '[2,3)'
select '[2,3)' && int4range(1,5)
select int4range(1,5) && int8range(1,5)
select int4range(1,5) << '[7,8)'
select int4range(1,5) -|- '[5,8)'
select int4range(1,5) &< 3
select int4range(1,5) + 3
select int4range(1,5) + '[5,8)'
select int4range(1,5) + '[6,8)'
select int4range(1,9) - '[6,8)'
select '[1,2)' -|- '[2,3)'
select int4range(1,5,null)
select int4range(1,5,'x')
select int4range(5,1)
select int4range(5,5,'(]')
select int4range(1,2,'()')
select int4range(2147483647,2147483647,'[]')
select int4range(2147483646,2147483647,'(]')
select int8range(1,9223372036854775807,'[]')
select daterange('2024-01-01','infinity','[]'), daterange('-infinity','infinity','(]'), daterange('-infinity','infinity','()')
select daterange('5874897-12-31','5874897-12-31','[]')
select daterange(null,null), daterange(null, '2024-01-01', '[]'), daterange(null,null,'[]')
select numrange(1.50, 2), numrange('1.0','2.00')
select tsrange('2024-01-01','2024-01-02'), tstzrange('2024-01-01','infinity','[]')
select daterange('0044-03-15 BC', null)
select '[1,'::int4range
select '1,2'::int4range
select '[1 2]'::int4range
select '[1,2,3]'::int4range
select '[1,2] x'::int4range
select ' empty '::int4range
select 'EMPTYx'::int4range
select '[a,2]'::int4range
select '["",2]'::int4range
select '["1",2]'::int4range
select '[ 1 , 2 ]'::int4range
select '[1,2'::int4range
select '[3,2]'::int4range
select ' ( , ) '::int4range
select '(,)'::int4range
select '[,]'::int4range
select '["1\"",2]'::int4range
select '[\1,2]'::int4range
select '["1""",2]'::int4range
select '[1"2",20]'::int4range
select '[(1,2]'::int4range
select '[1,(2]'::int4range
select ''::int4range
select '[99999999999,2]'::int4range
select max(int4range(1,2))
select min(x) from (values (int4range(1,2))) v(x)
select lower('[1,5)'::int4range), upper('[1,5)'::int4range), lower('ABC'), lower(null)
select lower(numrange(1.50,2)), lower(int4range(null,2)), lower('empty'::int4range)
select isempty('empty')
select isempty('[1,2)'), lower_inc('[1,2)')
select isempty(1)
select isempty(null)
select range_merge('[1,2)'::int4range, '[5,6)')
select range_merge('[1,2)'::int4range, int8range(1,2))
select range_merge('[1,2)', '[5,6)')
select int4range('1','5'), int4range('1',null), int4range(1.5,2)
select int4range(1::bigint,2)
select int4range(1)
select int4range('[1,2)')
select daterange('2024-01-01'::timestamp, '2024-01-02')
select tsrange('2024-01-01'::date, '2024-01-02'::date)
select tstzrange('2024-01-01'::timestamp, '2024-01-02'::date)
select numrange(1.5::float8, 2)
select int4range(1,2) = int8range(1,2)
select int4range(1,2) = '[1,2)'
select int4range(1,2) = 1
select int4range(1,2)::int8range
select int4range(1,2)::text::int8range, int4range(1,2)::varchar(3)
select int4range(1,2) || 'x'
select int4range(1,2)::bytea
select array[int4range(1,2), null, 'empty']
select array['[1,2)'::int4range] @> array['[1,2)'::int4range]
select case when true then int4range(1,2) else int8range(1,2) end
select coalesce(int4range(1,2), '[1,')
select greatest(int4range(1,2), int4range(1,3), 'empty')
select int4range(1,2) union select int8range(1,2)
select array_agg(int4range(1,2)), count(int4range(1,2)), any_value(int4range(1,2))
select range_agg(int4range(1,2))
select range_intersect_agg(x) from (values (int4range(1,5)), (int4range(3,9)), (null)) v(x)
select range_intersect_agg(x) from (values (int4range(1,2)), (int4range(3,9))) v(x)
select range_intersect_agg(x) from (values (null::int4range)) v(x)
select range_intersect_agg(x) from (values (1)) v(x)
select to_jsonb(int4range(1,5)), jsonb_build_object(int4range(1,5), 1)
select sum(int4range(1,2))
select '[2024-01-01 10:00, 2024-01-01 11:00)'::tsrange
select '["2024-01-01 10:00", "2024-01-01 11:00")'::tsrange
select '[2024-01-01,2024-01-05]'::daterange
select '[2024-01-01 10:00+02,)'::tstzrange
select int4range(1,5) @> int8range(1,5)
select 3 @> int4range(1,5)
select int4range(1,5) <@ 3
select -int4range(1,5)
select int4range(1,5) / int4range(1,5)
select int4range(1,5) & int4range(1,5)
select int4range(1,5) between '[1,2)' and '[1,9)'
select '(1,2)'::int4range < 'empty'::int4range
select format_type(3904, -1), format_type(3905,-1)
select int4range(3, 7) * int4range(1, 2), int4range(1,2) * null
select lower_inc(int4range(1,2)), upper_inc(int4range(1,2)), lower_inf(int4range(null,2)), upper_inf('empty'::int4range), upper_inf(tsrange(null,'infinity'))
select numrange(1,5) - numrange(2,3)
select numrange(1,5) - numrange(1,3,'[]'), numrange(1,5,'()') - numrange(1,3,'()'), numrange(1,5,'[]') - numrange(5,9,'()')
select array_to_string(array[int4range(1,2)], ';'), concat(int4range(1,2), 'x'), format('%s', int4range(1,2))
select unnest(array[int4range(1,2)])
select daterange('2024-01-31', '2024-02-01') + interval '1 day'
select '5'::int4range
select upper(int4range(1,2)), upper('x'::varchar)
select lower(5)
select int4range(1,5) + int8range(1,5)
select '[1,5)' * int4range(2,9), '[1,5)' - int4range(2,9), '[1,5)'::int4range * '[2,9)'
select date('2024-01-01'), int4('5'), text(1)
create table rw (id int, r int4range, d daterange[], n numrange default '[1,2)', primary key (id))
insert into rw (id, r, d) values (1, '[1,2]', array['[2024-01-01,2024-01-03]'::daterange])
insert into rw (id, r) values (2, '[3,1]')
select * from rw
select column_name, udt_name from information_schema.columns where table_name = 'rw' order by 1
select attname, format_type(atttypid, atttypmod) from pg_attribute where attrelid = 'rw'::regclass and attnum > 0 order by attnum
select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 'rw'::regclass
insert into rw (id, r) select 7, int4range(g, g + 2) from generate_series(1,1) g
select unnest(d) from rw
select r, sum(id) over (partition by r order by id) from rw
select first_value(r) over (order by r) from rw
select percentile_disc(0.5) within group (order by r) from rw
select mode() within group (order by r) from rw
select string_agg(r::text, ',' order by r) from rw
select r from rw group by rollup(r) order by r
select greatest(null, r) from rw order by 1
select nullif(r, '[1,3)') from rw order by 1
select r = any(array['[1,3)'::int4range]) from rw order by 1
select d[1] from rw order by 1
select array_position(d, '[2024-01-01,2024-01-04)') from rw order by 1
select d && array['[2024-01-01,2024-01-04)'::daterange] from rw order by 1
select (r, id) = (int4range(1,3), 1) from rw order by 1
select concat(r, ':', n) from rw where id = 7
select length(r::text) from rw order by 1
select r like '[1%' from rw
select r::text like '[1%' from rw order by 1
select lower(r) + 1, upper(r) from rw order by 1
select int4range(null, null) = '(,)'
select range_contains(r, '[1,2)') from rw order by 1
select range_overlaps(r, r) from rw
select not (r @> 2) from rw order by 1
select r @> id from rw order by 1
select * from (values ('[1,2)'::int4range), ('empty'), (null)) v(x) order by x nulls first
select * from (values ('[1,2)'::int4range), ('empty'), (null)) v(x) order by x desc
select int4range(1,3)::text || 'a', int4range(1,3)::name
alter table rw add column q int8range default '[1,5]'
select q from rw order by id
update rw set q = q * '[3,)' where id = 1
select q from rw order by id
select jsonb_agg(r order by id), jsonb_object_agg(r, id) from rw
select tstzrange('2024-01-01', '2024-02-01') @> '2024-01-15'::timestamp
select tsrange('2024-01-01', '2024-02-01') @> '2024-01-15'::date
select tsrange('2024-01-01', '2024-02-01') @> '2024-01-15'::timestamp
select numrange(1, 2) @> 1.5::numeric(4,2)
select numrange(1, 2) @> 1
select numrange(1.1, 2.2) @> 1.10
select numrange('[1.1,2.2)') is null
select '[1,2)'::numrange = '[1.0,2.00)'::numrange
select int4range '[1,5]'
select daterange '[2024-01-01,2024-01-31]' @> date '2024-01-31'
select cast('[1,5]' as int8range)
select int4range(1,2) is null, int4range(1,2) is not null
select case int4range(1,2) when '[1,2)' then 1 else 2 end
select count(*) filter (where r @> 1) from rw
select count(distinct r) from rw
select bool_or(r && '[1,3)') from rw
select extract(year from lower(daterange('2024-01-01', null)))
select isempty(r) and lower_inc(r) or upper_inf(r) from rw
select r + r, r * r, r - r from rw order by 1
select -r from rw
select r + 1 from rw
select * from rw a join rw b using (r)
select a.id, b.id from rw a join rw b on a.r && b.r and a.id = b.id order by 1
select a.id from rw a where r in (select r from rw) order by 1
select id from rw where r > '[1,2)' order by 1
select int8range(1, 2) @> 1
select int8range(1, 2) @> 1::bigint
select range_merge(int4range(1,2), int4range(5,6)), range_merge('empty', int4range(5,6))
select lower(r), lower('A'), lower(null::int4range) from rw where id = 1
select lower(unnest(d)) from rw
select 1 <@ int4range(1,5), 1 <@ '[1,2)'::int4range, null <@ int4range(1,2), 1 <@ null::int4range
select int4range(1, 2) <@ int4range(1, 5) and int4range(1, 2) @> int4range(1, 2)
select daterange('2024-01-01', '2023-01-01')
select daterange('x', null)
select '[2024-01-01,x)'::daterange
select '[2024-02-30,)'::daterange
select int4range(3000000000, null)
select overlay('[1,2)' placing 'x' from 1)
select round(upper(numrange(1,2.555)), 1)
create view rvw as select r, count(*) from rw group by r
select * from rvw order by r
select id from rw where r @> 1 or r is null order by id
select sum(upper(r) - lower(r)) from rw
drop view rvw
select int4range('[1,2)'), numrange('[1.1,2.2)'::text), int4range(null)
select int4range(1)
drop table rw
select range_intersect_agg(x) from (values (int4range(1,5)), (int4range(3,9)), (null)) v(x)
select range_intersect_agg(x) from (values (int4range(1,2)), (int4range(3,9))) v(x)
select range_intersect_agg(x) from (values (null::int4range)) v(x)
select range_intersect_agg(x) from (values (1)) v(x)
select range_intersect_agg('[1,2)')
select range_intersect_agg(null)
select range_intersect_agg(x) from (values (int4range(1,2)), ('empty')) v(x)
select range_intersect_agg(x) from (values ('(,)'::numrange), ('(1.5,)'), ('(,2]')) v(x)
select range_intersect_agg(distinct x), range_intersect_agg(x) filter (where lower(x) > 1), range_intersect_agg(x) from (values (int4range(1,5)), (int4range(3,9))) v(x)
select k, range_intersect_agg(x) over (partition by k), range_intersect_agg(x) over (order by k, x) from (values (1, int4range(1,5)), (1, int4range(3,9)), (2, null), (2, '(,)')) v(k,x) order by k, x
select k, range_intersect_agg(x), min(k) from (values (1, tsrange('2024-01-01',null)), (1, '[2024-02-01,2024-03-01]'), (2, null), (3, 'empty')) v(k,x) group by rollup(k) order by k
select range_intersect_agg(x) from (select int4range(1,2) as x where false) v
select range_intersect_agg(x), sum(y), avg(y) from (values (int4range(1,5), interval '1 day'), (int4range(2,8), '2 days')) v(x, y)
select range_intersect_agg(x) is null, lower(range_intersect_agg(x)) from (values (int4range(1,5)), (int4range(2,8))) v(x) having range_intersect_agg(x) @> 3
create table zr (id int, r tstzrange, at timestamptz, s text, l timestamp, d date, a tstzrange[])
insert into zr values (1, '[2024-03-31 00:30+00,2024-10-27 01:30+00)', '2024-07-01 12:00+00', '[2024-03-31 02:30,2024-07-01)', '2024-07-01 12:00', '2024-07-01', array['[2024-01-01 00:00Z,)'::tstzrange]), (2, 'empty', null, 'empty', null, null, null), (3, '(,)', 'infinity', '[2024-01-01 00:00+00,infinity]', 'infinity', '-infinity', '{}')
set time zone 'Europe/Berlin'
select id, r, r::text, r::varchar(9), a, a::text from zr order by id
select id, s::tstzrange from zr order by id
select id, r @> at, at <@ r, r @> '2024-07-01'::timestamptz, r && '[2024-07-01,2024-07-02)' from zr order by id
select id, tstzrange(at, null), tstzrange(l, d, '[]'), tstzrange(d::timestamptz, null) from zr where id = 1
select id, r * tstzrange('2024-05-01', '2024-06-01'), r + r, r - '[2024-05-01,)', range_merge(r, '[2025-01-01,2025-01-02]') from zr order by id
select id, lower(r), upper(r), lower(r)::date, isempty(r), lower_inf(r) from zr order by id
select concat(r, '!'), r || '?', format('%s', r) from zr order by id
select r = '[2024-03-31 01:30,2024-10-27 02:30)', r < '(,)', r << '[2030-01-01,)' from zr order by id
select range_intersect_agg(r), count(distinct r), array_agg(r order by id) from zr
insert into zr (id, r) values (4, '[2024-07-01,2024-07-02]') returning r
update zr set r = '[2024-12-01,2024-12-02)' where r @> timestamptz '2024-07-01 12:00' and id = 4 returning r, lower(r)
select tstzrange '[2024-07-01,2024-07-02)', '[2024-07-01,)'::tstzrange @> '2024-06-30 22:00Z'::timestamptz
select daterange(d, null), tsrange(l, null) from zr order by id
select to_jsonb(r) from zr
select case when id = 1 then r else 'empty' end, coalesce(r, '[2024-07-01,)') from zr order by id
select r in ('[2024-03-31 01:30,2024-10-27 02:30)', 'empty') from zr order by id
select tstzrange('2024-07-01 12:00', l) from zr order by id
select r -|- '[2024-10-27 02:30,)' from zr order by id
select array['[2024-07-01,)'::tstzrange]
set time zone 'UTC'
select id, r from zr order by id
drop table zr
