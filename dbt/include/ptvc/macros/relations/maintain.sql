{#
  Bring a maintained object (view, materialized view, source, sink) to its definition, with as little change as possible:

    absent     -> created; staged if it reads what this run has staged, and would not come to it by itself
    unchanged  -> skipped; its indexes are compared on their own. Staged if it reads such a thing
    changed    -> per `on_configuration_change`: applied, left with a warning, or refused

  To apply is to stage (staging.sql): all of a run's changes take their places at one time, when it ends. But a sink with another
  target is dropped first. One that is unchanged, reads something else or is in another cluster, stays what it is, also under
  --full-refresh: its target knows no other sink. It is cut over when the run ends to what the run has made anew.
#}
{% macro ptvc__maintain(target_relation, sql) -%}
  {{ run_hooks(pre_hooks, inside_transaction=False) }}
  {{ run_hooks(pre_hooks, inside_transaction=True) }}
  {% set existing = load_cached_relation(this) %}
  {% set wanted = ptvc__hashed(target_relation, sql, existing) %}
  {% set action = ptvc__choose_action(existing, wanted, sql) %}
  {% if action in ('create', 'replace') and ptvc__begin() %}
    {# Another run has ended meanwhile. #}
    {% set existing = load_cached_relation(this) %}
    {% set wanted = ptvc__hashed(target_relation, sql, existing) %}
    {% set action = ptvc__choose_action(existing, wanted, sql) %}
  {% endif %}
  {% if action in ('replace', 'unchanged') and existing.is_sink and wanted.is_sink %}
    {% set action = ptvc__choose_sink_action(existing, wanted, sql) %}
  {% endif %}

  {% if action in ('create', 'replace') %}{% do ptvc__warn_of_unenforced(wanted) %}{% endif %}
  {% if action in ('unchanged', 'left') %}
    {% set wanted = existing %}
    {% do ptvc__keep(existing, action, sql) %}
  {% elif action == 'alter' %}
    {% set wanted = existing %}
    {% do ptvc__alter_sink(existing, get_create_sql(wanted, adapter.in_place(sql)), adapter.reads_new(sql)) %}
  {% elif ptvc__is_staged(action, wanted, sql) %}
    {% set wanted = ptvc__stage(existing, wanted, sql) %}
    {% do context.update({'this': wanted}) %}
  {% elif wanted.is_sink and adapter.reads_new(sql) %}
    {{ return(ptvc__make_sink_later(existing, wanted, adapter.in_place(sql))) }}
  {% elif action == 'create' %}
    {{ log('Applying CREATE to: ' ~ wanted) }}
    {% do ptvc__build(wanted, adapter.in_place(sql)) %}
  {% else %}
    {{ log('Applying REPLACE to: ' ~ existing) }}
    {% do ptvc__replace_sink(existing, wanted, adapter.in_place(sql)) %}
  {% endif %}

  {% do apply_grants(wanted, config.get('grants'), should_revoke=True) %}
  {% do persist_docs(wanted, model) %}
  {{ run_hooks(post_hooks, inside_transaction=True) }}
  {{ adapter.commit() }}
  {{ run_hooks(post_hooks, inside_transaction=False) }}
  {{ return({'relations': [wanted]}) }}
{%- endmacro %}

{% macro ptvc__hashed(target_relation, sql, existing) -%}
  {{ return(target_relation.incorporate(
      definition_hash=adapter.definition_hash(target_relation.type, sql, ptvc__definition_options(), existing))) }}
{%- endmacro %}

{# create, replace, unchanged or left. #}
{% macro ptvc__choose_action(existing, wanted, sql='') -%}
  {% if existing is none %}{{ return('create') }}{% endif %}
  {{ log('Determining configuration changes on: ' ~ existing) }}
  {% set same = existing.type == wanted.type and existing.definition_hash == wanted.definition_hash %}
  {% set moved = not wanted.is_sink and adapter.reads_new(sql) %}
  {% if same and not moved and (existing.is_sink or not should_full_refresh()) %}{{ return('unchanged') }}{% endif %}
  {% if same or should_full_refresh() or existing.type != wanted.type %}{{ return('replace') }}{% endif %}
  {% set choice = config.get('on_configuration_change', 'apply') | string %}
  {% if choice == 'apply' %}
    {{ return('replace') }}
  {% elif choice == 'continue' and moved %}
    {# What it rests on is replaced, and it would go with that. #}
    {{ return('replace') }}
  {% elif choice == 'continue' %}
    {{ exceptions.warn("Configuration changes were identified and `on_configuration_change` was set to `continue` for `" ~ existing.render() ~ "`") }}
    {{ return('left') }}
  {% endif %}
  {{ exceptions.raise_fail_fast_error("Configuration changes were identified and `on_configuration_change` was set to `fail` for `" ~ existing.render() ~ "`") }}
{%- endmacro %}

{# A sink is looked at, and goes over, when the run ends if that mends what it reads: until then it may wait for just that. #}
{% macro ptvc__keep(existing, action, sql) -%}
  {% set later = existing.is_sink and adapter.has_staged() %}
  {% set cut_over = existing.is_sink and not later and adapter.cut_over(existing, config.get('hydration_timeout', 600)) %}
  {% if later %}
    {% if config.get('wait_for_hydration', true) or adapter.retired_below(existing) %}
      {% do adapter.make_sink_later(model.unique_id, existing, []) %}
    {% endif %}
  {% elif existing.is_sink %}
    {% do ptvc__wait(existing, []) %}
  {% endif %}
  {% if cut_over and action == 'unchanged' %}
    {% set message = 'ALTER SINK' %}
  {% elif action == 'unchanged' %}
    {% set changes = ptvc__apply_indexes(existing, existing.definition_hash) %}
    {% if not existing.is_sink %}{% do ptvc__wait(existing, changes.create) %}{% endif %}
    {% do adapter.leave(existing) %}
    {{ log(existing.render() ~ ' is unchanged: skipped') }}
    {% set message = 'UNCHANGED' if not (changes.create or changes.drop) else 'INDEXES CHANGED' %}
  {% else %}
    {% set message = 'CHANGE NOT APPLIED' %}
  {% endif %}
  {% do store_raw_result(name='main', message=message, code='SKIP', rows_affected='-1') %}
{%- endmacro %}

{# Of a sink whose definition is another one: unchanged, alter, or replace. #}
{% macro ptvc__choose_sink_action(existing, wanted, sql) -%}
  {% set change = adapter.sink_change(existing, get_create_sql(wanted, adapter.in_place(sql))) %}
  {% if change == 'nothing' %}{{ return('unchanged') }}{% endif %}
  {% if change == 'altered' %}{{ return('alter') }}{% endif %}
  {% if change == 'manner' and not should_full_refresh() %}
    {{ exceptions.raise_compiler_error(
        "sink " ~ existing.render() ~ " is to write in another way to where it writes, which goes on for that sink only: another one would be refused "
        "there, or would write everything once more. Give it another target; or empty its target, and have it made anew: `dbt run "
        "--full-refresh --select " ~ model.name ~ "`. It was left as it is.") }}
  {% endif %}
  {{ return('replace') }}
{%- endmacro %}

{# The sink goes on in its target, over something else or in another cluster. #}
{% macro ptvc__alter_sink(sink, create_sql, later) -%}
  {{ log('Applying ALTER to: ' ~ sink) }}
  {% set alterations = adapter.sink_alterations(sink, create_sql) %}
  {% if later or adapter.has_staged() %}
    {% do adapter.make_sink_later(model.unique_id, sink, alterations) %}
    {% do store_raw_result(name='main', message='ALTER SINK', code='ALTER SINK', rows_affected='-1') %}
  {% else %}
    {% for alteration in alterations %}
      {% call statement('main') -%}{{ alteration }}{%- endcall %}
    {% endfor %}
    {% do adapter.cut_over(sink, config.get('hydration_timeout', 600)) %}
    {% do ptvc__wait(sink, []) %}
  {% endif %}
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

{# A sink's target takes no second one. #}
{% macro ptvc__replace_sink(existing, wanted, sql) -%}
  {% set retired = adapter.retired_below(existing) if existing.is_sink else [] %}
  {% do ptvc__assert_droppable(existing) %}
  {% do adapter.drop_relation(existing) %}
  {% do adapter.drop_retired(retired) %}
  {% do ptvc__build(wanted, sql) %}
{%- endmacro %}

{# Wait until `relation` and the indexes that were just made are hydrated, a source has read what was there, and a sink writes. Of a view only indexes are maintained. #}
{% macro ptvc__wait(relation, index_names) -%}
  {% if config.get('wait_for_hydration', true) %}
    {% set timeout = config.get('hydration_timeout', 600) %}
    {% if relation.is_materialized_view %}
      {% do adapter.wait_until_hydrated(relation, timeout) %}
    {% elif relation.is_sink %}
      {% do adapter.wait_until_running(relation, timeout) %}
    {% elif relation.is_source or config.get('materialized') == 'source_table' %}
      {% do adapter.wait_until_ingested(relation, timeout) %}
    {% endif %}
    {% for index_name in index_names %}
      {% do adapter.wait_until_hydrated(ptvc__index_relation(relation, index_name), timeout) %}
    {% endfor %}
  {% endif %}
{%- endmacro %}
