{#
  An index as a node of the DAG. On one relation (`select * from` it, or a bare ref): an index by `columns`, or by all
  of them. On any other query: a view, and an index on it, so that the view is maintained in memory.

  An index is in the schema of its relation, whichever the model's own is: there it is looked for, waited for and replaced.
#}
{% materialization index, adapter='ptvc' %}
  {% set upstream = ptvc__single_relation(sql) %}
  {% if upstream is none %}
    {{ return(ptvc__maintain(this.incorporate(type='view'), ptvc__query(sql))) }}
  {% endif %}
  {{ return(ptvc__maintain_index(upstream)) }}
{% endmaterialization %}

{% macro ptvc__maintain_index(upstream) -%}
  {% set upstream = adapter.over_all_views(upstream) %}
  {% set columns = config.get('columns') or ptvc__all_columns(upstream) %}
  {% set wanted = this.incorporate(path={'schema': adapter.schema_in_place(ptvc__schema_of(upstream))}, type='index') %}
  {% set existing = load_cached_relation(wanted) %}
  {# In the model's own schema there may be what it was before: on another relation, or as another kind. #}
  {% set former = load_cached_relation(this) if wanted.schema != this.schema else none %}
  {% if former is not none and (existing is none or not existing.is_index) %}
    {% set existing, former = former, none %}
  {% endif %}
  {{ run_hooks(pre_hooks, inside_transaction=False) }}
  {{ run_hooks(pre_hooks, inside_transaction=True) }}

  {% set moved = adapter.reads_new(upstream) %}
  {% set same = not moved and ptvc__index_stays(existing, upstream, columns) %}
  {% if not same and ptvc__begin() %}
    {% set existing = load_cached_relation(wanted) %}
    {% set same = not moved and ptvc__index_stays(existing, upstream, columns) %}
  {% endif %}
  {% set action = 'unchanged' if same else ptvc__choose_action(existing, wanted.incorporate(definition_hash='changed'), upstream) %}
  {% if moved %}
    {% do ptvc__stage_index(existing, wanted, upstream, columns) %}
  {% elif action == 'create' %}
    {% do ptvc__build_index(wanted, upstream, columns) %}
  {% elif action == 'replace' %}
    {% do ptvc__replace_index(existing, wanted, upstream, columns) %}
  {% else %}
    {% do store_raw_result(name='main', code='SKIP', rows_affected='-1',
        message='UNCHANGED' if action == 'unchanged' else 'CHANGE NOT APPLIED') %}
  {% endif %}
  {% if former is not none %}
    {% do ptvc__assert_droppable(former) %}
    {% do adapter.drop_relation(former) %}
  {% endif %}

  {% do persist_docs(wanted if not moved else adapter.staged_as(wanted), model, for_columns=false) %}
  {{ run_hooks(post_hooks, inside_transaction=True) }}
  {{ run_hooks(post_hooks, inside_transaction=False) }}
  {{ return({'relations': [wanted] if not moved else []}) }}
{%- endmacro %}

{% macro ptvc__index_stays(existing, upstream, columns) -%}
  {{ return(existing is not none and existing.is_index and not should_full_refresh()
      and adapter.index_is(existing, upstream, columns, ptvc__cluster())) }}
{%- endmacro %}

{# On a relation that is staged: the index is with it, and goes with it. #}
{% macro ptvc__stage_index(existing, wanted, upstream, columns) -%}
  {% if existing is not none and not existing.is_index %}{% do ptvc__assert_droppable(existing) %}{% endif %}
  {% set staged = adapter.staged_as(wanted) %}
  {% do ptvc__build_index(staged, upstream, columns) %}
  {% do adapter.staged(model.unique_id, wanted, staged, existing, forced=should_full_refresh()) %}
{%- endmacro %}

{% macro ptvc__build_index(index, upstream, columns) -%}
  {% call statement('main') -%}
    {{ ptvc__index_on_sql(index.identifier, upstream, columns, ptvc__cluster()) }}
  {%- endcall %}
  {% if config.get('wait_for_hydration', true) %}
    {% do adapter.wait_until_hydrated(index, config.get('hydration_timeout', 600)) %}
  {% endif %}
{%- endmacro %}

{# The new index serves before the old one goes. #}
{% macro ptvc__replace_index(existing, wanted, upstream, columns) -%}
  {% if not existing.is_index %}{% do ptvc__assert_droppable(existing) %}{% endif %}
  {% set intermediate = make_intermediate_relation(wanted) %}
  {{ drop_relation_if_exists(load_cached_relation(intermediate)) }}
  {% do adapter.building(intermediate) %}
  {% do ptvc__build_index(intermediate, upstream, columns) %}
  {% do adapter.take_place(existing, intermediate, wanted) %}
  {% do adapter.built(intermediate) %}
{%- endmacro %}
