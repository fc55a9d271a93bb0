{# What a deployment asks of the catalog, one statement each. Owners are named where they are not the user. #}

{% macro ptvc__deploy_schemas() -%}
  {{ return(run_query(
      "select s.name, case when r.name <> current_user then r.name end as owner from mz_catalog.mz_schemas s "
      ~ "left join mz_catalog.mz_roles r on r.id = s.owner_id")) }}
{%- endmacro %}

{% macro ptvc__deploy_clusters() -%}
  {{ return(run_query(
      "select c.name, case when r.name <> current_user then r.name end as owner from mz_catalog.mz_clusters c "
      ~ "left join mz_catalog.mz_roles r on r.id = c.owner_id")) }}
{%- endmacro %}

{% macro ptvc__deploy_show_cluster(cluster) -%}
  {{ return(run_query("show create cluster " ~ adapter.quote(cluster))) }}
{%- endmacro %}

{# Of what is maintained: whether a replica has it hydrated, and how far it is behind. #}
{% macro ptvc__deploy_objects() -%}
  {% set sql -%}
    select o.id, o.schema_name, o.name, o.type as kind, c.name as cluster, h.hydrated, l.local_lag_ms
    from mz_catalog.mz_objects o
    left join mz_catalog.mz_clusters c on c.id = o.cluster_id
    left join mz_internal.mz_materialization_lag l on l.object_id = o.id
    left join (
      select object_id, bool_or(hydrated) as hydrated from mz_internal.mz_hydration_statuses group by object_id
    ) h on h.object_id = o.id
    order by o.oid
  {%- endset %}
  {{ return(run_query(sql)) }}
{%- endmacro %}

{% macro ptvc__deploy_uses() -%}
  {{ return(run_query("select object_id, referenced_object_id from mz_internal.mz_object_dependencies")) }}
{%- endmacro %}

{% macro ptvc__deploy_privileges() -%}
  {{ return(run_query(
      "select object_type, name, grantee, privilege_type, is_grantable from mz_internal.mz_show_all_privileges "
      ~ "where object_type in ('schema', 'cluster') order by 1, 2, 3, 4")) }}
{%- endmacro %}

{% macro ptvc__deploy_default_privileges() -%}
  {% set sql -%}
    select s.name, r.name as role, array_to_string(d.defaclacl, {{ ptvc__literal('\n') }}) as acl
    from pg_catalog.pg_default_acl d
    join mz_catalog.mz_schemas s on s.oid = d.defaclnamespace
    join mz_catalog.mz_roles r on r.oid = d.defaclrole
  {%- endset %}
  {{ return(run_query(sql)) }}
{%- endmacro %}
