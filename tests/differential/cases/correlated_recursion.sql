-- WITH RECURSIVE in subqueries, over columns of the queries around them.
create table cr (id int, up int)
insert into cr values (1, null), (2, 1), (3, 2), (4, 2), (5, 99), (null, null), (6, 3)
select id, (with recursive a(x, d) as (select up, 0 from cr c where c.id = o.id union all select c.up, a.d + 1 from cr c, a where a.x = c.id and d < 9) select count(x) from a) as n from cr o order by id
select id, (with recursive a(x, d) as (select o.up, 0 union all select c.up, a.d + 1 from cr c, a where a.x = c.id and d < 9) select x from a where x is not null order by d desc, x limit 1) as root from cr o order by id
select id, array(with recursive a(x) as (select o.id union select c.id from cr c join a on c.up = a.x) select x from a order by x) as below from cr o order by id
select o.id, s.x from cr o, lateral (with recursive a(x) as (select 1 union all select x + 1 from a where x < o.id) select x from a) s order by 1, 2
select o.id, s.x from cr o left join lateral (with recursive a(x) as (select 1 where o.id > 2 union all select x + 1 from a where x < o.id - 2) select x from a) s on true order by 1, 2
select id from cr o where exists (with recursive a(x) as (select o.id union select c.up from cr c join a on c.id = a.x) select from a where x = 1) order by id
select id, (with recursive a(x) as (select o.up union select c.up from (select c2.up, a.x from cr c2, a where c2.id = a.x and c2.id > 0 ) c ) select max(x) from a) m from cr o order by id
select id, (with recursive a(x, k) as (select o.id, o.up union all select a.x + 1, o.up from a where a.x < 6), b as (select max(x) as m from a) select m from b) m from cr o order by id
select id, (select max(z) from (with recursive a(z) as (select o.id union all select z + 1 from a where z < o.id + 2) select z from a) q) m from cr o order by id
select id, (with recursive a(x) as (select o.id union select c.up from a left join cr c on c.id = a.x where a.x is not null) select count(x) from a) n from cr o order by id
select id, (with recursive a(x) as (select o.id union select c.up from cr k, a join cr c on c.id = a.x where k.id = 1) select count(x) from a) n from cr o order by id
select id, (select (with recursive a(x) as (select o.id + p.id union select a.x - 1 from a where a.x > o.id) select count(*) from a) from cr p where p.id = 3) n from cr o order by id
select id, (with recursive a(x) as (select o.id union select a.x + 1 from a where x < (select max(id) from cr c where c.id <= o.id + 2)) select max(x) from a) n from cr o order by id
select id, (with recursive a(x) as (select 1 union all select x + 1 from a where x < 3) select sum(x) from a) n from cr o order by id
select id, (with recursive a(x) as (select o.id union select x + 1 from a where x < 3), b(y) as (select x from a union select y + o.id from b where y < 20) select count(*) from b) n from cr o where id > 0 order by id
select o.id, q.n from cr o cross join lateral (select count(*) as n from (with recursive a(x) as (select o.up union select c.up from cr c, a where c.id = a.x) select * from a) z where z.x is distinct from o.id) q order by 1
select id from cr o where 1 in (with recursive a(x) as (select o.id union select c.up from cr c join a on c.id = a.x) select x from a) order by id
with recursive t(i) as (select 1 union all select i + 1 from t where i < 3) select i, (with recursive u(j) as (select t.i union all select j + 1 from u where j < 4) select string_agg(j::text, ',' order by j) from u) from t order by i
with w as (select id from cr where id < 4) select id, (with recursive a(x) as (select w.id union select c.up from cr c join a on c.id = a.x) select count(*) from a where x in (select id from w)) from w order by id
select id, (with recursive a(x) as (values (o.id) union all select x + 1 from a where x < 4) select max(x) from a) from cr o order by id
select id, (with recursive a(x) as (select o.id union all select x + 1 from a where x < 4 and o.up is not null) select array_agg(x order by x) from a) from cr o order by id
select id, (with recursive a as (select o.id as x, o.up as y union all select x, y + 1 from a where y < 4) select max(y) from a where x = id) from cr o order by id
update cr set up = 3 where id = 5
delete from cr where id = 6
select id, (with recursive a(x) as (select o.id union select c.up from a left join cr c on c.id = a.x where a.x is not null) select count(x) from a) n from cr o order by id
select id, (with recursive a(x) as (select o.id union select c.up from cr k, a join cr c on c.id = a.x where k.id = 1) select count(x) from a) n from cr o order by id
select id, (select (with recursive a(x) as (select o.id + p.id union select a.x - 1 from a where a.x > o.id) select count(*) from a) from cr p where p.id = 3) n from cr o order by id
select id, (with recursive a(x) as (select o.id union select a.x + 1 from a where x < (select max(id) from cr c where c.id <= o.id + 2)) select max(x) from a) n from cr o order by id
select id, (with recursive a(x) as (select 1 union all select x + 1 from a where x < 3) select sum(x) from a) n from cr o order by id
select id, (with recursive a(x) as (select o.id union select x + 1 from a where x < 3), b(y) as (select x from a union select y + o.id from b where y < 20) select count(*) from b) n from cr o where id > 0 order by id
select o.id, q.n from cr o cross join lateral (select count(*) as n from (with recursive a(x) as (select o.up union select c.up from cr c, a where c.id = a.x) select * from a) z where z.x is distinct from o.id) q order by 1
select id from cr o where 1 in (with recursive a(x) as (select o.id union select c.up from cr c join a on c.id = a.x) select x from a) order by id
select id, (with recursive a(x) as (values (o.id) union all select x + 1 from a where x < 4) select max(x) from a) from cr o order by id
select id, (with recursive a(x) as (select o.id union all select x + 1 from a where x < 4 and o.up is not null) select array_agg(x order by x) from a) from cr o order by id
select id, (with recursive a as (select o.id as x, o.up as y union all select x, y + 1 from a where y < 4) select max(y) from a where x = id) from cr o order by id
drop table cr
