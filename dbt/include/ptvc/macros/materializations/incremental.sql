{#
  An incremental model is a table that later runs add to. The first run, and --full-refresh, build it under another name
  and let it take its place: a run that fails (a constraint of its contract, for instance) leaves no empty table, which
  the next run would take for one that is filled.
#}
{% materialization incremental, adapter='ptvc', supported_languages=['sql', 'python'] %}
  {% set existing = load_cached_relation(this) %}
  {% set target_relation = this.incorporate(type='table') %}
  {% set intermediate = make_intermediate_relation(target_relation) %}
  {% set on_schema_change = incremental_validate_on_schema_change(config.get('on_schema_change'), default='ignore') %}
  {% set strategy = adapter.get_incremental_strategy_macro(context, config.get('incremental_strategy') or 'default') %}
  {{ run_hooks(pre_hooks, inside_transaction=False) }}
  {% if ptvc__begin() %}{% set existing = load_cached_relation(this) %}{% endif %}
  {{ drop_relation_if_exists(load_cached_relation(intermediate)) }}
  {{ run_hooks(pre_hooks, inside_transaction=True) }}

  {% set query = ptvc__query(sql) %}
  {% if model['language'] == 'python' %}
    {% set staging = make_temp_relation(target_relation, '__dbt_py') %}
    {% call statement('python', language='python') %}{{ ptvc__python_code(compiled_code, staging) }}{% endcall %}
    {% set query = 'select * from ' ~ staging.render() %}
  {% endif %}
  {% set rebuilds = existing is none or not existing.is_table or should_full_refresh() %}
  {% if rebuilds %}
    {% set target_relation = ptvc__exchange_table(existing, target_relation, intermediate, query) %}
    {% do context.update({'this': target_relation}) %}
  {% else %}
    {% do ptvc__increment(existing, target_relation, strategy, on_schema_change, query) %}
  {% endif %}
  {% if model['language'] == 'python' %}
    {% do run_query('drop table ' ~ staging.render()) %}
  {% endif %}

  {% do apply_grants(target_relation, config.get('grants'), should_revoke=should_revoke(existing, rebuilds)) %}
  {% do persist_docs(target_relation, model) %}
  {{ run_hooks(post_hooks, inside_transaction=True) }}
  {{ adapter.commit() }}
  {{ run_hooks(post_hooks, inside_transaction=False) }}
  {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}

{# The rows of the model's query go into a temporary table, from there by `strategy` into `existing`. #}
{% macro ptvc__increment(existing, target_relation, strategy, on_schema_change, sql) -%}
  {% set news = make_temp_relation(target_relation) %}
  {% do run_query(get_create_table_as_sql(True, news, sql)) %}
  {% set contract = config.get('contract') %}
  {% if not (contract and contract.enforced) %}
    {% do adapter.expand_target_column_types(from_relation=news, to_relation=target_relation) %}
  {% endif %}
  {% set columns = process_schema_changes(on_schema_change, news, existing)
      or adapter.get_columns_in_relation(existing) %}
  {% do ptvc__apply_contract(existing, make_intermediate_relation(target_relation)) %}
  {% call statement('main') -%}
    {{ strategy({
        'target_relation': target_relation,
        'temp_relation': news,
        'unique_key': config.get('unique_key'),
        'dest_columns': columns,
        'incremental_predicates': config.get('predicates') or config.get('incremental_predicates'),
    }) }}
  {%- endcall %}
{%- endmacro %}

{% macro ptvc__get_incremental_default_sql(arg_dict) %}
  {% if arg_dict['unique_key'] %}
    {{ return(get_incremental_delete_insert_sql(arg_dict)) }}
  {% endif %}
  {{ return(get_incremental_append_sql(arg_dict)) }}
{%- endmacro %}

{#
  A batch is an interval of `event_time`: what the table holds of it gives way to what the query has of it. Both
  statements are one query, and so commit together. A `unique_key` is not needed.
#}
{% macro ptvc__get_incremental_microbatch_sql(arg_dict) -%}
  {%- set target = arg_dict['target_relation'] -%}
  {%- set names = get_quoted_csv(arg_dict['dest_columns'] | map(attribute='name')) -%}
  {%- set event_time = config.get('event_time') -%}
  {%- set batch = model.get('batch') -%}
  {%- if not event_time or not batch -%}
    {{ exceptions.raise_compiler_error(
        "incremental_strategy 'microbatch' of " ~ this.render() ~ " needs `event_time`, the column that tells which "
        "batch a row belongs to, and runs batch by batch."
    ) }}
  {%- endif -%}
  delete from {{ target.render() }} as DBT_INTERNAL_DEST
  where DBT_INTERNAL_DEST.{{ event_time }} >= '{{ batch.event_time_start }}'
    and DBT_INTERNAL_DEST.{{ event_time }} < '{{ batch.event_time_end }}'
  {%- for predicate in arg_dict['incremental_predicates'] or [] %}
    and {{ predicate }}
  {%- endfor %};
  insert into {{ target.render() }} ({{ names }})
  select {{ names }} from {{ arg_dict['temp_relation'].render() }}
{%- endmacro %}
