-- What the adapter asks of the runtime's own catalog, served by a PostgreSQL: so that macros and materializations that
-- both understand can be tried without the runtime.  PostgreSQL rewrites the text of views, so DDL is recorded as sent.

create schema mz_internal;

create table mz_internal.created (oid oid primary key, sql text not null);

create function mz_internal.record_ddl() returns event_trigger language plpgsql as $$
declare command record;
begin
  for command in select * from pg_event_trigger_ddl_commands() loop
    if command.command_tag in ('CREATE VIEW', 'CREATE MATERIALIZED VIEW', 'CREATE INDEX') then
      insert into mz_internal.created values (command.objid, current_query())
      on conflict (oid) do update set sql = excluded.sql;
    end if;
  end loop;
end $$;

create event trigger record_ddl on ddl_command_end execute function mz_internal.record_ddl();

create schema mz_catalog;

create view mz_catalog.mz_schemas as select oid::text as id, oid, nspname::text as name from pg_namespace;

create view mz_catalog.mz_objects as
select
  c.oid::text as id, c.oid as oid, c.relnamespace::text as schema_id, n.nspname::text as schema_name,
  c.relname::text as name,
  case c.relkind when 'r' then 'table' when 'v' then 'view' when 'm' then 'materialized-view' when 'i' then 'index' end as type
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'v', 'm', 'i')
  and n.nspname not in ('pg_catalog', 'information_schema', 'mz_catalog', 'mz_internal', 'pg_toast');

create view mz_internal.mz_definitions as select oid, 0 as position, sql as definition from mz_internal.created;

create view mz_catalog.mz_indexes as
select indexrelid as oid, pg_get_indexdef(indexrelid) as create_sql from pg_index;

create view mz_internal.mz_object_dependencies as
select distinct r.ev_class::text as object_id, d.refobjid::text as referenced_object_id
from pg_depend d
join pg_rewrite r on r.oid = d.objid
where d.classid = 'pg_rewrite'::regclass and d.refclassid = 'pg_class'::regclass and d.refobjid <> r.ev_class
union
select indexrelid::text, indrelid::text from pg_index;

create view mz_internal.mz_dead_letters as select null::text as id, null::text as source_id where false;

create view mz_internal.mz_source_own_tables as select null::text as id, null::text as source_id where false;

create view mz_internal.mz_hydration_statuses as
select
  id as object_id, 'r1' as replica_id, true as hydrated, 0.1::float8 as hydration_seconds, 1::bigint as rows,
  null::bigint as spark_job_id
from mz_catalog.mz_objects where type in ('materialized-view', 'index');

create view mz_internal.mz_cluster_replica_statuses as
select 'r1' as replica_id, 'online' as status, null::text as reason;
