-- Times and timestamps that keep some digits of a second: literals, casts, what has which type, and the clock's functions.
select timestamp(3) '2024-01-01 00:00:00.1235', timestamp(0) '1999-12-31 23:59:59.5', timestamp '1999-12-31 23:59:58.5'::timestamp(0)
select '2000-01-01 00:00:00.5'::timestamp(0), '1999-12-31 23:59:59.4999'::timestamp(0), '1969-12-31 23:59:59.5'::timestamp(0)
select '2024-01-01 10:00:00.55+02'::timestamptz(1), timestamptz(1) '2024-01-01 10:00:00.55+02', timestamp(1) with time zone '2024-01-01 10:00:00.55'
select '23:59:59.96'::time(1), '24:00:00'::time(0), '00:00:00.000001'::time(5), '00:00:00.000005'::time(5), time(3) 'allballs'
select interval '25:00:00.55'::time(1), '2024-01-01 23:59:59.99'::timestamp::time(0)
select 'infinity'::timestamp(0), '-infinity'::timestamptz(3), 'infinity'::timestamp::timestamp(2)
select '{2024-01-01 00:00:00.55,NULL}'::timestamp(1)[], array['12:00:00.55'::time]::time(1)[]
select ('{2024-01-01 00:00:00.55}'::timestamp(1)[])[1], '{2024-01-01 00:00:00.55}'::timestamp(1)[] = '{2024-01-01 00:00:00.55}'
select array_append('{2024-01-01 00:00:00.55}'::timestamp(1)[], '2024-01-01 00:00:00.55')
select '2024-01-01 00:00:00.55'::timestamp(1) = '2024-01-01 00:00:00.55', '2024-01-01 00:00:00.55'::timestamp(1) in ('2024-01-01 00:00:00.55', '2024-01-01 00:00:00.6')
select '2024-01-01 00:00:00.55'::timestamp(1) = any ('{2024-01-01 00:00:00.55}')
select coalesce('2024-01-01 00:00:00.55'::timestamp(1), '2024-01-01 00:00:00.55'), coalesce(null::timestamp(1), '2024-01-01 00:00:00.55')
select case when true then '2024-01-01 00:00:00.55' else '2024-01-01 00:00:00.55'::timestamp(1) end
select greatest('2024-01-01 00:00:00.55', '2024-01-01 00:00:00.55'::timestamp(0)), nullif('2024-01-01 00:00:00.55'::timestamp(0), '2024-01-01 00:00:00.55')
select '2024-01-01 00:00:00.55'::timestamp(7), '2024-01-01 00:00:00.5555555'::timestamp(6)
select '2024-01-01'::timestamp(-1)
select '2024-01-01'::timestamptz(-1)
select '2024-01-01'::timestamptz(1, 2)
select '2024-01-01'::date(1)
select timestamp(3)
select extract(milliseconds from current_timestamp(0)) % 1000, extract(microseconds from localtimestamp(1)) % 100000, extract(microseconds from localtime(2)) % 10000
select current_timestamp(3) - now() < interval '1 ms', current_timestamp(6) = now(), localtimestamp(9) is null
select current_timestamp(-1)
select current_timestamp()
select now(3)
select localtime(3) is null, current_date is null
select max(v), min(v), count(distinct v) from (values ('2024-01-01 00:00:00.55'::timestamp(1)), ('2024-01-01 00:00:00.56')) as x (v)
select format_type(1114, 3), format_type(1184, 0), format_type(1083, 6), format_type(1115, 2), format_type(1114, -1), format_type(1114, null)
create table precise (a timestamp(2), b time(0)[], c timestamptz(4) default '2024-01-01 00:00:00.00005Z')
insert into precise values ('2024-01-01 00:00:00.555', '{00:00:00.5}'), ('2024-01-01 00:00:00.554', '{}')
insert into precise select '2024-01-01 00:00:00.999'::timestamp, array['23:59:59.5'::time], '2024-01-01 00:00:00.99999'
update precise set a = a + interval '0.005 s'
select * from precise
select a from precise where a = '2024-01-01 00:00:01'
select v::timestamp(0) from (values (date '2024-01-01'), (null)) as x (v)
select column_name, data_type::text, datetime_precision, udt_name from information_schema.columns where table_name = 'precise' order by ordinal_position
select attname, format_type(atttypid, atttypmod), atttypmod from pg_attribute where attrelid = 'precise'::regclass and attnum > 0 order by attnum
create table coarse as select a, a::timestamp(0) as b, max(a) over () as m, b[1] as e from precise
select attname, format_type(atttypid, atttypmod), atttypmod from pg_attribute where attrelid = 'coarse'::regclass and attname in ('a', 'b') order by attnum
drop table coarse
drop table precise
set time zone 'Europe/Berlin'
select '2024-07-01 00:00:00.55'::timestamptz(1), timestamp '2024-07-01 00:00:00.55'::timestamptz(1), '2024-07-01 00:00:00.55'::text::timestamptz(0)
select '2024-07-01 00:00:00.55+00'::timestamptz::timestamp(1), '2024-07-01 21:59:59.96+00'::timestamptz::time(1), '2024-07-01 21:59:59.96+00'::timestamptz(1)::date, date '2024-07-01'::timestamptz(3)
select ('2024-07-01 00:00:00.55+00'::timestamptz(1))::text, extract(second from '2024-07-01 00:00:00.55+00'::timestamptz(1))
set time zone 'UTC'
