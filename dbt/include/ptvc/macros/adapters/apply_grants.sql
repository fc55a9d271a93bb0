{# Nobody reads a sink: what a folder's `+grants` say is for the relations in it. #}
{% macro ptvc__apply_grants(relation, grant_config, should_revoke=True) -%}
  {% if relation.is_sink %}
    {{ log('grants are not for sinks: none on ' ~ relation.render()) }}
  {% else %}
    {{ default__apply_grants(relation, grant_config, should_revoke) }}
  {% endif %}
{%- endmacro %}

{# What roles but the owner may do; everybody is "public" to a config. #}
{% macro ptvc__get_show_grant_sql(relation) -%}
  {%- if relation.type == 'function' -%}
  select case grantee when 'PUBLIC' then 'public' else grantee end as grantee, lower(privilege_type) as privilege_type
  from mz_internal.mz_show_all_privileges
  where object_type = 'function'
    and schema = {{ dbt.string_literal(relation.schema) }}
    and name = {{ dbt.string_literal(relation.identifier) }}
  {%- else -%}
  select case grantee when 'PUBLIC' then 'public' else grantee end as grantee, lower(privilege_type) as privilege_type
  from information_schema.table_privileges
  where table_schema = {{ dbt.string_literal(relation.schema) }}
    and table_name = {{ dbt.string_literal(relation.identifier) }}
    and grantee <> grantor
  {%- endif -%}
{%- endmacro %}

{% macro ptvc__get_grant_sql(relation, privilege, grantees) -%}
  {%- if relation.type == 'function' -%}
  grant {{ privilege }} on function {{ relation.render() }} to {{ grantees | join(', ') }}
  {%- else -%}
  {{ default__get_grant_sql(relation, privilege, grantees) }}
  {%- endif -%}
{%- endmacro %}

{% macro ptvc__get_revoke_sql(relation, privilege, grantees) -%}
  {%- if relation.type == 'function' -%}
  revoke {{ privilege }} on function {{ relation.render() }} from
  {%- for grantee in grantees %} {{ 'public' if grantee == 'public' else adapter.quote(grantee) }}{{ ',' if not loop.last }}{% endfor -%}
  {%- else -%}
  {{ default__get_revoke_sql(relation, privilege, grantees) }}
  {%- endif -%}
{%- endmacro %}
