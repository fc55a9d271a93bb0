{#
  What a run changes is staged: built and hydrated in a schema beside that of its place, under its own name. From then on a `ref` of it
  is the staged one, so that what is made from it is compiled against the new, built on it and tested with it. When the run ends, everything
  staged takes its place in one transaction (dbt/adapters/ptvc/staging/), but for what is connected with a failure.

    a materialized view whose columns stay -> a replacement: what rests on it goes on, and sees the difference only
    another one, and under --full-refresh  -> a new object: what rests on the old one is staged, too

  What rests on a replacement is staged as well if a test of this run, or a table that it fills, comes to read the new that way
  (dbt/adapters/ptvc/staging/readers.py).
#}

{# Whether it is staged or made at once, as a new model that reads nothing new is, and a sink. #}
{% macro ptvc__is_staged(action, wanted, sql) -%}
  {{ return(not wanted.is_sink and (action == 'replace' or (action == 'create' and adapter.reads_new(sql)))) }}
{%- endmacro %}

{# Whether the model reads what is staged. Code in Python names it in strings of its own syntax, so its relations are asked for. #}
{% macro ptvc__reads_staged() -%}
  {{ return(adapter.reads_staged(ptvc__python_reads() | join(', ') if model['language'] == 'python' else compiled_code)) }}
{%- endmacro %}

{# Before something is changed: one run at a time does so. True if another one was waited for: what was there may be another now. #}
{% macro ptvc__begin() -%}
  {{ return(not adapter.has_begun() and adapter.begin(ptvc__schemas_of_run())) }}
{%- endmacro %}

{% macro ptvc__schemas_of_run() -%}
  {% set schemas = [this.schema] %}
  {% for node in graph.nodes.values() if node.unique_id in selected_resources and node.schema not in schemas %}
    {% do schemas.append(node.schema) %}
  {% endfor %}
  {{ return(schemas) }}
{%- endmacro %}

{# Returns the relation that has the new definition from now on: the staged one, or the view that a replacement is for. #}
{% macro ptvc__stage(existing, wanted, sql) -%}
  {% set staged = adapter.staged_as(wanted) %}
  {% set by_name = adapter.is_read_by_name(model.unique_id, sql, graph.nodes, selected_resources) %}
  {% set sql = adapter.over_views(sql) %}
  {% if existing is not none and existing.is_materialized_view and wanted.is_materialized_view and not should_full_refresh()
        and adapter.begin_replacement(ptvc__get_create_replacement_sql(staged, existing, sql)) %}
    {{ log('Applying ALTER to: ' ~ existing) }}
    {% do ptvc__wait(staged, []) %}
    {% do ptvc__staged_in_place(existing, wanted, staged, by_name) %}
    {{ return(wanted) }}
  {% endif %}
  {{ log('Applying ' ~ ('CREATE' if existing is none else 'REPLACE') ~ ' to: ' ~ wanted) }}
  {% if existing is not none %}
    {% do ptvc__assert_droppable(existing) %}
    {% do ptvc__warn_of_reductions(existing) %}
  {% endif %}
  {% call statement('main') -%}
    {{ get_create_sql(staged, sql) }}
  {%- endcall %}
  {% if existing is not none and adapter.reads(staged, existing) %}
    {{ exceptions.raise_compiler_error(wanted.render() ~ " reads itself: a view cannot read itself. What adds to what is there is an `incremental` model.") }}
  {% endif %}
  {% set changes = ptvc__apply_indexes(staged, staged.definition_hash) %}
  {% do ptvc__wait(staged, changes.create) %}
  {% do ptvc__staged_anew(existing, wanted, staged, by_name) %}
  {{ return(staged) }}
{%- endmacro %}

{# What ALTER SOURCE has left out is none of the model's text: a source that is made anew has it again. #}
{% macro ptvc__warn_of_reductions(existing) -%}
  {% if config.get('materialized') in ('source', 'source_table') %}
    {% set found = run_query(
        "select r.definition from mz_internal.mz_source_reductions r join mz_catalog.mz_objects o on o.id = r.id "
        "join mz_catalog.mz_schemas s on s.id = o.schema_id where s.name = " ~ ptvc__literal(existing.schema)
        ~ " and o.name = " ~ ptvc__literal(existing.identifier) ~ " order by r.number") %}
    {% if found.rows %}
      {{ exceptions.warn(existing.render() ~ " is made anew as its model says: what ALTER had left out of it is there again, namely "
          ~ found.columns[0].values() | join('; ') ~ ". Write it into the model, or ALTER it once more when the run has ended.") }}
    {% endif %}
  {% endif %}
{%- endmacro %}

{# A new object takes the place of `existing`, if there is one, and of all that rests on that. #}
{% macro ptvc__staged_anew(existing, target, staged, by_name=false) -%}
  {% set sinks = ptvc__sinks_of_run(existing) if existing is not none else [] %}
  {% do adapter.staged(model.unique_id, target, staged, existing, by_name=by_name, forced=should_full_refresh(), sinks=sinks) %}
{%- endmacro %}

{# Indexes of the view stay, and get the names that belong to the new definition. Others are made beside them now. #}
{% macro ptvc__staged_in_place(existing, wanted, staged, by_name) -%}
  {% set changes = adapter.index_succession(existing, wanted, ptvc__index_configs(existing)) %}
  {% do adapter.staged(model.unique_id, wanted, staged, existing, in_place=true, by_name=by_name, renamed_indexes=changes.rename.items() | list,
      made_indexes=changes.create.keys() | list, dropped_indexes=changes.drop | list) %}
  {% for index_name, index in changes.create.items() %}
    {% do ptvc__create_index(wanted, index_name, index) %}
  {% endfor %}
  {% if changes.create %}{% do ptvc__wait(wanted, changes.create) %}{% endif %}
  {% do store_raw_result(name='main', message='CREATE REPLACEMENT MATERIALIZED VIEW',
      code='CREATE REPLACEMENT MATERIALIZED VIEW', rows_affected='-1') %}
{%- endmacro %}

{# A sink that reads a new object: it is made when that has taken its place. #}
{% macro ptvc__make_sink_later(existing, wanted, sql) -%}
  {% set statements = [] %}
  {% if existing is not none %}
    {% do ptvc__assert_droppable(existing) %}
    {% do statements.append(ptvc__get_drop_sql(existing)) %}
  {% endif %}
  {% do statements.append(get_create_sql(wanted, sql)) %}
  {% if config.persist_relation_docs() and model.description %}
    {% do statements.append(ptvc__alter_relation_comment(wanted, model.description)) %}
  {% endif %}
  {% do adapter.make_sink_later(model.unique_id, wanted, statements, existing is not none) %}
  {% do store_raw_result(name='main', message='CREATE SINK', code='CREATE SINK', rows_affected='-1') %}
  {{ run_hooks(post_hooks, inside_transaction=True) }}
  {{ adapter.commit() }}
  {{ run_hooks(post_hooks, inside_transaction=False) }}
  {{ return({'relations': [wanted]}) }}
{%- endmacro %}
