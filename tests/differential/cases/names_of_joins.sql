-- Names of joins: JOIN USING (..) AS alias, and an alias of a join in parentheses.
create table nj_a (k int, x text)
create table nj_b (k bigint, y text)
create table nj_c (k int, z text)
insert into nj_a values (1, 'a1'), (2, 'a2'), (3, 'a3')
insert into nj_b values (2, 'b2'), (3, 'b3'), (4, 'b4')
insert into nj_c values (3, 'c3'), (4, 'c4'), (5, 'c5')
select j.k, a.k, c.k, x, z from nj_a a join nj_c c using (k) as j order by 1
select j.* from nj_a a join nj_c c using (k) as j
select * from nj_a a join nj_b b using (k) as j order by 1
select j.k, x, y from nj_a a full join nj_b b using (k) as j order by j.k
select j.k, a.k, b.k from nj_a a left join nj_b b using (k) as j order by j.k
select j.k, b.k from nj_a a right join nj_b b using (k) as j order by j.k
select j.x from nj_a a join nj_c c using (k) as j
select k from nj_a a join nj_c c using (k) as a
select i.k, j.k, k from nj_a a join nj_b b using (k) as i join nj_c c using (k) as j
select i.k, j.k from nj_a a full join nj_b b using (k) as i full join nj_c c using (k) as j order by j.k
select count(*), j.k from nj_a a join nj_c c using (k) as j group by j.k
select (select max(x) from nj_a where k = j.k) from nj_b b join nj_c c using (k) as j order by 1
select j.k from nj_a a join nj_c c using (k) as j where j.k > 1 order by j.k
select j from nj_a a join nj_c c using (k) as j
select j.k, j.x, j.z from (nj_a a join nj_c c using (k)) as j
select j.* from (nj_a a join nj_b b on a.k = b.k) as j
select * from (nj_a a join nj_b b on a.k = b.k) j order by 2
select j.k from (nj_a a join nj_b b on a.k = b.k) as j
select a.k from (nj_a a join nj_c c using (k)) as j
select p, q, z from (nj_a a join nj_c c using (k)) as j (p, q) order by p
select p from (nj_a a join nj_c c using (k)) as j (p, q, r, s)
select j.k, b.y from (nj_a a join nj_c c using (k)) as j join nj_b b using (k)
select j.k, b.y from nj_b b left join (nj_a a join nj_c c using (k)) as j on b.k = j.k order by b.y
select j.k from ((nj_a a join nj_c c using (k)) as i join nj_b b using (k)) as j
select i.k from ((nj_a a join nj_c c using (k)) as i join nj_b b using (k)) as j
select j.k, a.k from (nj_a a join nj_c c using (k)) as j, nj_a a order by 1, 2
select a.k from nj_a a, (nj_b b join nj_c c on b.k = a.k) as j
select * from (nj_a) as j
select j.n from nj_a a, (nj_c c cross join generate_series(1, a.k) as n) as j
drop table nj_a
drop table nj_b
drop table nj_c
select 1e100::float8, 1e100 + 1::float8, -1e100 * 1::float8, 2::float8 > 1e100, 1::float8 < -1e-60, 1e-60 + 0::float8
select case when true then 1e100 else 1::float8 end, coalesce(null::float8, 1e200), greatest(1e50, 2::float8), 1::float8 in (1e100, 1)
select 1e400 + 1::float8
select 1e39::float4, 1e38 + 1::float4, (-1e-50)::float4
select v * 1e100 from (values (1.5::float8), ('nan'), (null)) as x (v)
select 12345678901234567890123456789012345678901234567890::float8, 1::float8 - 12345678901234567890123456789012345678901234567890
select array[1e100, 1::float8], 1e100 = any (array[1::float8, 1e100]), nullif(1::float8, 1e100), 1e100 between 1::float8 and 'infinity'
create table nj_f (f float8 default 1e100, r real)
insert into nj_f (r) values (1e30), (-1e-30)
insert into nj_f values (1e300, 1), (-1e300, 2)
select * from nj_f where f >= 1e100 order by f, r
update nj_f set f = 1e-200 where f < -1e200
select f from nj_f where f < 1e-100
select sum(f) from nj_f where f between 0 and 1e-100
drop table nj_f
