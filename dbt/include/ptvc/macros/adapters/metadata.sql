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

{# Schema, name, kind, and the text that holds the hash of the definition. #}
{% macro ptvc__list_relations_without_caching(schema_relation) -%}
  {% set sql -%}
    select
      d.schema as schema_name,
      d.name as name,
      d.kind as kind,
      case
        when d.definition_sql like '%/* dbt:hash=%' then d.definition_sql
        else d.create_sql
      end as definition
    from mz_internal.mz_object_definitions d
    where d.schema = {{ ptvc__literal(schema_relation.schema) }}
  {%- endset %}
  {{ return(run_query(sql)) }}
{%- endmacro %}

{# The edges of the graph of objects: what rests on what. #}
{% macro ptvc__get_relations() -%}
  {% set sql -%}
    select
      dependent.schema as dependent_schema,
      dependent.name as dependent_name,
      dependent.kind as dependent_kind,
      referenced.schema as referenced_schema,
      referenced.name as referenced_name,
      referenced.kind as referenced_kind
    from mz_internal.mz_object_dependencies edge
    join mz_internal.mz_object_definitions dependent on dependent.id = edge.object_id
    join mz_internal.mz_object_definitions referenced on referenced.id = edge.referenced_object_id
  {%- endset %}
  {{ return(run_query(sql)) }}
{%- endmacro %}

{# Replica and whether the relation is hydrated there. #}
{% macro ptvc__get_hydration_statuses(relation) -%}
  {% set sql -%}
    select h.replica_id, h.hydrated
    from mz_internal.mz_hydration_statuses h
    join mz_internal.mz_object_definitions d on d.id = h.object_id
    where d.schema = {{ ptvc__literal(relation.schema) }}
      and d.name = {{ ptvc__literal(relation.identifier) }}
  {%- endset %}
  {{ return(run_query(sql)) }}
{%- endmacro %}

{% macro ptvc__literal(value) -%}
  '{{ (value | string) | replace("'", "''") }}'
{%- endmacro %}
