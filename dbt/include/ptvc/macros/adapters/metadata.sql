{# What exists, as the runtime's catalog has it. Plain joins only: one statement each, answered in milliseconds. #}

{% macro ptvc__list_schemas(database) -%}
  {{ adapter.verify_database(database) }}
  {% set sql -%}
    select nspname as name from pg_catalog.pg_namespace
  {%- endset %}
  {{ return(run_query(sql)) }}
{%- endmacro %}

{% macro ptvc__check_schema_exists(information_schema, schema) -%}
  {{ adapter.verify_database(information_schema.database) }}
  {% set sql -%}
    select count(*) from pg_catalog.pg_namespace where nspname = {{ ptvc__literal(schema) }}
  {%- endset %}
  {{ return(run_query(sql)) }}
{%- endmacro %}

{# Schema, name, kind, and the definition's text, which holds its hash. #}
{% macro ptvc__list_relations_without_caching(schema_relation) -%}
  {% set sql -%}
    select o.schema_name, o.name, o.type as kind, coalesce(i.create_sql, d.definition) as definition
    from mz_catalog.mz_objects o
    left join mz_catalog.mz_indexes i on i.oid = o.oid
    left join mz_internal.mz_definitions d on d.oid = o.oid and d.position = 0 and o.type <> 'index'
    where o.schema_name = {{ ptvc__literal(schema_relation.schema) }}
  {%- endset %}
  {{ return(run_query(sql)) }}
{%- endmacro %}

{# The schema of a relation that is named in SQL. #}
{% macro ptvc__schema_of(rendered) -%}
  {% set sql -%}
    select n.nspname from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.oid = {{ ptvc__literal(rendered) }}::regclass
  {%- endset %}
  {{ return(run_query(sql).rows[0][0]) }}
{%- endmacro %}

{# The edges of the graph of objects: what rests on what.  The dead letters of a source are a part of it: what rests on them rests on the source. #}
{% macro ptvc__get_relations() -%}
  {% set sql -%}
    select
      dependent.schema_name as dependent_schema,
      dependent.name as dependent_name,
      dependent.type as dependent_kind,
      referenced.schema_name as referenced_schema,
      referenced.name as referenced_name,
      referenced.type as referenced_kind
    from mz_internal.mz_object_dependencies edge
    left join mz_internal.mz_dead_letters part on part.id = edge.object_id
    left join mz_internal.mz_dead_letters letters on letters.id = edge.referenced_object_id
    join mz_catalog.mz_objects dependent on dependent.id = edge.object_id
    join mz_catalog.mz_objects referenced on referenced.id = coalesce(letters.source_id, edge.referenced_object_id)
    where part.id is null
  {%- endset %}
  {{ return(run_query(sql)) }}
{%- endmacro %}

{# The tables that the statement of each source has made itself. #}
{% macro ptvc__get_own_tables() -%}
  {% set sql -%}
    select source.schema_name as source_schema, source.name as source_name, made.schema_name, made.name
    from mz_internal.mz_source_own_tables own
    join mz_catalog.mz_objects source on source.id = own.source_id
    join mz_catalog.mz_objects made on made.id = own.id
    order by made.schema_name, made.name
  {%- endset %}
  {{ return(run_query(sql)) }}
{%- endmacro %}

{# For each replica: whether the relation is hydrated there, its figures, and what is wrong with the replica. #}
{% macro ptvc__get_hydration_statuses(relation) -%}
  {% set sql -%}
    select
      h.replica_id, h.hydrated, h.hydration_seconds, h.rows, h.spark_job_id,
      case when r.status <> 'online' then coalesce(r.status || ': ' || r.reason, r.status) end as trouble,
      h.percent, j.rows_read, j.rows_total
    from mz_internal.mz_hydration_statuses h
    join mz_catalog.mz_objects o on o.id = h.object_id
    left join mz_internal.mz_cluster_replica_statuses r on r.replica_id = h.replica_id
    left join mz_internal.mz_spark_jobs j on j.id = h.spark_job_id
    where o.schema_name = {{ ptvc__literal(relation.schema) }}
      and o.name = {{ ptvc__literal(relation.identifier) }}
  {%- endset %}
  {{ return(run_query(sql)) }}
{%- endmacro %}

{# Whether a sink writes, and else why not. #}
{# The statement that made the sink, as it was written, and the one that would make it as it is now. #}
{% macro ptvc__get_sink_definitions(relation) -%}
  {% set sql -%}
    select d.definition, s.create_sql
    from mz_catalog.mz_sinks s
    join mz_catalog.mz_objects o on o.id = s.id
    join mz_internal.mz_definitions d on d.oid = o.oid
    where d.position = 0
      and o.schema_name = {{ ptvc__literal(relation.schema) }}
      and o.name = {{ ptvc__literal(relation.identifier) }}
  {%- endset %}
  {{ return(run_query(sql)) }}
{%- endmacro %}

{% macro ptvc__get_sink_status(relation) -%}
  {% set sql -%}
    select s.status, s.error
    from mz_internal.mz_sink_statuses s
    join mz_catalog.mz_objects o on o.id = s.id
    where o.schema_name = {{ ptvc__literal(relation.schema) }}
      and o.name = {{ ptvc__literal(relation.identifier) }}
  {%- endset %}
  {{ return(run_query(sql)) }}
{%- endmacro %}

{# Of a source, or of a table that a source writes: how the source is, and how far the relation is with what was there. #}
{% macro ptvc__get_ingestion_status(relation) -%}
  {% set sql -%}
    select s.status, s.error, n.snapshot_committed, n.snapshot_records_staged, n.snapshot_records_known
    from mz_catalog.mz_objects o
    join mz_internal.mz_source_statuses s
      on s.id = o.id
      or s.id in (select d.referenced_object_id from mz_internal.mz_object_dependencies d where d.object_id = o.id)
    left join mz_internal.mz_source_statistics n on n.id = o.id
    where o.schema_name = {{ ptvc__literal(relation.schema) }}
      and o.name = {{ ptvc__literal(relation.identifier) }}
  {%- endset %}
  {{ return(run_query(sql)) }}
{%- endmacro %}

{% macro ptvc__literal(value) -%}
  '{{ (value | string) | replace("'", "''") }}'
{%- endmacro %}

{# When the contents of each relation last changed: for `dbt source freshness` without a `loaded_at_field`. No row is read for it. #}
{% macro ptvc__get_relation_last_modified(information_schema, relations) -%}
  {{ adapter.verify_database(information_schema.database) }}
  {% set names = [] %}
  {% for relation in relations %}
    {% do names.append('(' ~ ptvc__literal(relation.schema) ~ ', ' ~ ptvc__literal(relation.identifier) ~ ')') %}
  {% endfor %}
  {% call statement('last_modified', fetch_result=True) -%}
    select o.schema_name as "schema", o.name as identifier, c.last_change as last_modified, now() as snapshotted_at
    from mz_internal.mz_last_changes c
    join mz_catalog.mz_objects o on o.id = c.object_id
    where (o.schema_name, o.name) in ({{ names | join(', ') }})
  {%- endcall %}
  {{ return(load_result('last_modified')) }}
{%- endmacro %}
