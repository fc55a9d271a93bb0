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
    select s.name as schema_name, o.name as name, o.type as kind, d.definition as definition
    from mz_catalog.mz_objects o
    join mz_catalog.mz_schemas s on s.id = o.schema_id
    left join mz_internal.mz_definitions d on d.oid = o.oid
    where s.name = {{ ptvc__literal(schema_relation.schema) }}
  {%- endset %}
  {{ return(run_query(sql)) }}
{%- endmacro %}

{# The edges of the graph of objects: what rests on what. #}
{% macro ptvc__get_relations() -%}
  {% set sql -%}
    select
      dependent_schema.name as dependent_schema,
      dependent.name as dependent_name,
      dependent.type as dependent_kind,
      referenced_schema.name as referenced_schema,
      referenced.name as referenced_name,
      referenced.type as referenced_kind
    from mz_internal.mz_object_dependencies edge
    join mz_catalog.mz_objects dependent on dependent.id = edge.object_id
    join mz_catalog.mz_schemas dependent_schema on dependent_schema.id = dependent.schema_id
    join mz_catalog.mz_objects referenced on referenced.id = edge.referenced_object_id
    join mz_catalog.mz_schemas referenced_schema on referenced_schema.id = referenced.schema_id
  {%- endset %}
  {{ return(run_query(sql)) }}
{%- endmacro %}

{# Replica and whether the relation is hydrated there. #}
{% macro ptvc__get_hydration_statuses(relation) -%}
  {% set sql -%}
    select h.replica_id, h.hydrated
    from mz_internal.mz_hydration_statuses h
    join mz_catalog.mz_objects o on o.id = h.object_id
    join mz_catalog.mz_schemas s on s.id = o.schema_id
    where s.name = {{ ptvc__literal(relation.schema) }}
      and o.name = {{ ptvc__literal(relation.identifier) }}
  {%- endset %}
  {{ return(run_query(sql)) }}
{%- endmacro %}

{% macro ptvc__literal(value) -%}
  '{{ (value | string) | replace("'", "''") }}'
{%- endmacro %}
