{#
  Bring a maintained object (view, materialized view, source, sink) to its definition, with as little change as possible:

    absent     -> created
    unchanged  -> skipped; its indexes are compared on their own
    changed    -> per `on_configuration_change`: applied (a new one is built and hydrated beside the old one, and
                  takes its place: a materialized view with the same columns as a replacement, others by swapping names
                  and dropping the old one; a sink is dropped first, since two would write to one place), left with a
                  warning, or refused

  A sink that is unchanged stays what it is, also under --full-refresh: its target knows no other sink. It is cut over to
  what the run has made anew.
#}
{% macro ptvc__maintain(target_relation, sql) -%}
  {% set existing = load_cached_relation(this) %}
  {% set wanted = target_relation.incorporate(
      definition_hash=adapter.definition_hash(target_relation.type, sql, ptvc__definition_options(), existing)) %}
  {{ run_hooks(pre_hooks, inside_transaction=False) }}
  {{ run_hooks(pre_hooks, inside_transaction=True) }}

  {% set action = ptvc__choose_action(existing, wanted) %}
  {% if action in ('create', 'replace') %}{% do ptvc__warn_of_unenforced(wanted) %}{% endif %}
  {% if action == 'create' %}
    {{ log('Applying CREATE to: ' ~ wanted) }}
    {% do ptvc__build(wanted, sql) %}
  {% elif action == 'replace' %}
    {% do ptvc__replace_relation(existing, wanted, sql) %}
  {% else %}
    {% set wanted = existing %}
    {% do ptvc__keep(existing, action) %}
  {% endif %}

  {% do apply_grants(wanted, config.get('grants'), should_revoke=True) %}
  {% do persist_docs(wanted, model) %}
  {{ run_hooks(post_hooks, inside_transaction=True) }}
  {{ adapter.commit() }}
  {{ run_hooks(post_hooks, inside_transaction=False) }}
  {{ return({'relations': [wanted]}) }}
{%- endmacro %}

{# create, replace, unchanged or left. #}
{% macro ptvc__choose_action(existing, wanted) -%}
  {% if existing is none %}{{ return('create') }}{% endif %}
  {{ log('Determining configuration changes on: ' ~ existing) }}
  {% set same = existing.type == wanted.type and existing.definition_hash == wanted.definition_hash %}
  {% if same and (existing.is_sink or not should_full_refresh()) %}{{ return('unchanged') }}{% endif %}
  {% if should_full_refresh() or existing.type != wanted.type %}{{ return('replace') }}{% endif %}
  {% set choice = config.get('on_configuration_change', 'apply') | string %}
  {% if choice == 'apply' %}
    {{ return('replace') }}
  {% elif choice == 'continue' %}
    {{ exceptions.warn("Configuration changes were identified and `on_configuration_change` was set to `continue` for `" ~ existing.render() ~ "`") }}
    {{ return('left') }}
  {% endif %}
  {{ exceptions.raise_fail_fast_error("Configuration changes were identified and `on_configuration_change` was set to `fail` for `" ~ existing.render() ~ "`") }}
{%- endmacro %}

{% macro ptvc__keep(existing, action) -%}
  {% set cut_over = existing.is_sink and adapter.cut_over(existing, config.get('hydration_timeout', 600)) %}
  {% if existing.is_sink %}{% do ptvc__wait(existing, []) %}{% endif %}
  {% if cut_over and action == 'unchanged' %}
    {% set message = 'ALTER SINK' %}
  {% elif action == 'unchanged' %}
    {% set changes = ptvc__apply_indexes(existing, existing.definition_hash) %}
    {% if not existing.is_sink %}{% do ptvc__wait(existing, changes.create) %}{% endif %}
    {{ log(existing.render() ~ ' is unchanged: skipped') }}
    {% set message = 'UNCHANGED' if not (changes.create or changes.drop) else 'INDEXES CHANGED' %}
  {% else %}
    {% set message = 'CHANGE NOT APPLIED' %}
  {% endif %}
  {% do store_raw_result(name='main', message=message, code='SKIP', rows_affected='-1') %}
{%- endmacro %}

{# Create `relation`, index it, wait for it. A sink that has begun to write stays: its target would refuse the next one. #}
{% macro ptvc__build(relation, sql) -%}
  {% if not relation.is_sink %}{% do adapter.building(relation) %}{% endif %}
  {% call statement('main') -%}
    {{ get_create_sql(relation, sql) }}
  {%- endcall %}
  {% set changes = ptvc__apply_indexes(relation, relation.definition_hash) %}
  {% do ptvc__wait(relation, changes.create) %}
  {% if not relation.is_sink %}{% do adapter.built(relation) %}{% endif %}
{%- endmacro %}

{#
  A materialized view whose columns stay takes its new definition in place: what rests on it goes on and sees the
  difference only. Otherwise, and under --full-refresh, a new object takes the place of the old one and of all that
  rests on it.
#}
{% macro ptvc__replace_relation(existing, wanted, sql) -%}
  {% set intermediate = make_intermediate_relation(wanted) %}
  {{ drop_relation_if_exists(load_cached_relation(intermediate)) }}
  {% if existing.is_materialized_view and wanted.is_materialized_view and not should_full_refresh()
        and adapter.begin_replacement(ptvc__get_create_replacement_sql(intermediate, existing, sql)) %}
    {{ log('Applying ALTER to: ' ~ existing) }}
    {% do ptvc__wait(intermediate, []) %}
    {% call statement('main') -%}
      alter materialized view {{ existing.render() }} apply replacement {{ intermediate.render() }}
    {%- endcall %}
    {% do ptvc__exchange_indexes(wanted) %}
  {% else %}
    {{ log('Applying REPLACE to: ' ~ existing) }}
    {% do ptvc__replace_object(existing, wanted, sql) %}
  {% endif %}
{%- endmacro %}

{# Names of indexes hold the hash of the definition: the new ones are there before the old ones go. #}
{% macro ptvc__exchange_indexes(relation) -%}
  {% set changes = adapter.index_changes(relation, relation.definition_hash, ptvc__index_configs(relation)) %}
  {% for index_name, index in changes.create.items() %}
    {% do ptvc__create_index(relation, index_name, index) %}
  {% endfor %}
  {% do ptvc__wait(relation, changes.create) %}
  {% for index_name in changes.drop %}
    {% do adapter.drop_relation(ptvc__index_relation(relation, index_name)) %}
  {% endfor %}
{%- endmacro %}

{% macro ptvc__replace_object(existing, wanted, sql) -%}
  {% do ptvc__assert_droppable(existing) %}
  {% set intermediate = make_intermediate_relation(wanted) %}
  {% if existing.is_index or existing.is_sink or wanted.is_sink %}
    {% set retired = adapter.retired_below(existing) if existing.is_sink else [] %}
    {% do adapter.drop_relation(existing) %}
    {% do adapter.drop_retired(retired) %}
    {% do ptvc__build(wanted, sql) %}
  {% else %}
    {% do ptvc__drop_indexes_of(existing, wanted) %}
    {% call statement('main') -%}
      {{ get_create_sql(intermediate, sql) }}
    {%- endcall %}
    {% do ptvc__wait(intermediate, ptvc__index_as(intermediate, wanted)) %}
    {% do adapter.take_place(existing, intermediate, wanted, ptvc__sinks_of_run(existing)) %}
  {% endif %}
{%- endmacro %}

{# Under --full-refresh an unchanged definition is built again: its indexes would have the names of the old ones. #}
{% macro ptvc__drop_indexes_of(existing, wanted) -%}
  {% if existing.definition_hash == wanted.definition_hash %}
    {% for index_name in adapter.index_changes(existing, none, []).drop %}
      {% do adapter.drop_relation(ptvc__index_relation(existing, index_name)) %}
    {% endfor %}
  {% endif %}
{%- endmacro %}

{# Index the relation that is built beside the old one, under the names that its successor's indexes have. #}
{% macro ptvc__index_as(intermediate, wanted) -%}
  {% set changes = adapter.index_changes(wanted, wanted.definition_hash, ptvc__index_configs(intermediate)) %}
  {% for index_name, index in changes.create.items() %}
    {% do ptvc__create_index(intermediate, index_name, index) %}
  {% endfor %}
  {{ return(changes.create) }}
{%- endmacro %}

{# Wait until `relation` and the indexes that were just made are hydrated, and a sink writes. A view is not maintained: only indexes are. #}
{% macro ptvc__wait(relation, index_names) -%}
  {% if config.get('wait_for_hydration', true) %}
    {% set timeout = config.get('hydration_timeout', 600) %}
    {% if relation.is_materialized_view %}
      {% do adapter.wait_until_hydrated(relation, timeout) %}
    {% elif relation.is_sink %}
      {% do adapter.wait_until_running(relation, timeout) %}
    {% endif %}
    {% for index_name in index_names %}
      {% do adapter.wait_until_hydrated(ptvc__index_relation(relation, index_name), timeout) %}
    {% endfor %}
  {% endif %}
{%- endmacro %}
