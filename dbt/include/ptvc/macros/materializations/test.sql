{#
  A project, or a package that it allows to, may have a default materialization of its own, which goes before dbt's (elementary keeps
  rows that fail). dbt takes an adapter's before any default, so this one asks. What dbt calls its own is the one below.
#}
{% materialization test, adapter='ptvc' %}
  {% set package = adapter.package_of_default('test') %}
  {{ return(context[package]['materialization_test_default']()) }}
{% endmaterialization %}

{#
  A data test. With `store_failures_as: materialized_view` (or `view`) the failures are an object that stays
  up to date after dbt has ended. Its text says what it is, for `ptvc watch`.
#}
{% materialization test, default %}
  {% set sql_with_limit = get_limit_subquery_sql(ptvc__query(sql), config.get('limit')) %}
  {% set relations = [] %}
  {% set main_sql = sql_with_limit %}
  {% if should_store_failures() %}
    {% set kind = config.get('store_failures_as') or 'table' %}
    {% if kind not in ['table', 'view', 'materialized_view'] %}
      {{ exceptions.raise_compiler_error(
          "'" ~ kind ~ "' is not a valid value for `store_failures_as`. "
          "Accepted values are: ['ephemeral', 'table', 'view', 'materialized_view']"
      ) }}
    {% endif %}
    {% set target_relation = api.Relation.create(
        identifier=model['alias'], schema=schema, database=database, type=kind) %}
    {% set target_relation = ptvc__store_failures(
        target_relation, sql_with_limit if kind == 'table' else adapter.stored_test(sql_with_limit, model, config)) %}
    {% do relations.append(target_relation) %}
    {% set main_sql = 'select * from ' ~ target_relation.render() %}
  {% endif %}
  {% call statement('main', fetch_result=True) -%}
    {{ get_test_sql(main_sql, config.get('fail_calc'), config.get('warn_if'), config.get('error_if'), limit=none) }}
  {%- endcall %}
  {{ return({'relations': relations}) }}
{% endmaterialization %}

{# Unchanged failures that are maintained stay as they are; on what is staged anew, they are staged. Returns where they are. #}
{% macro ptvc__store_failures(target_relation, sql) -%}
  {% set existing = load_cached_relation(target_relation) %}
  {% set wanted = target_relation.incorporate(
      definition_hash=none if target_relation.is_table
          else adapter.definition_hash(target_relation.type, sql, {}, existing)) %}
  {% if not wanted.is_table and adapter.reads_new(sql) %}
    {{ return(ptvc__stage(existing, wanted, sql)) }}
  {% endif %}
  {% set sql = sql if wanted.is_table else adapter.in_place(sql) %}
  {% if existing is none or existing.type != wanted.type or wanted.is_table
      or existing.definition_hash != wanted.definition_hash %}
    {% call statement(auto_begin=True) %}
      {% if existing is not none %}{{ ptvc__get_drop_sql(existing) }};{% do adapter.cache_dropped(existing) %}{% endif %}
      {{ get_create_sql(wanted, sql) }}
    {% endcall %}
    {% do adapter.cache_added(wanted) %}
  {% endif %}
  {% do ptvc__wait(wanted, []) %}
  {{ return(wanted) }}
{%- endmacro %}
