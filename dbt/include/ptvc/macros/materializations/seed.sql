{#
  A seed's table equals its file after every `dbt seed`:

    same columns, same rows     -> skipped; what others wrote into the table counts as a difference
    same columns, other rows    -> DELETE and COPY in one transaction: who reads the table sees the old or the new rows
    other columns, or no table  -> a new table is filled, then takes the name; staged (staging.sql) when others rest on the old one
#}
{% materialization seed, adapter='ptvc' %}
  {% set existing = load_cached_relation(this) %}
  {% set target_relation = this.incorporate(type='table') %}
  {% set agate_table = load_agate_table() %}
  {% do store_result('agate_table', response='OK', agate_table=agate_table) %}
  {{ run_hooks(pre_hooks, inside_transaction=False) }}
  {{ run_hooks(pre_hooks, inside_transaction=True) }}

  {% if existing is not none and not existing.is_table %}
    {{ exceptions.raise_compiler_error("Cannot seed to '" ~ existing.render() ~ "', it is a " ~ existing.sql_kind) }}
  {% endif %}
  {% set columns = ptvc__seed_columns(agate_table) %}
  {% set difference = 'columns' if existing is none or should_full_refresh()
      else adapter.seed_difference(existing, columns, agate_table) %}
  {% if difference != 'none' and ptvc__begin() %}
    {% set existing = load_cached_relation(this) %}
    {% set difference = 'columns' if existing is none or should_full_refresh()
        else adapter.seed_difference(existing, columns, agate_table) %}
  {% endif %}
  {% if difference == 'columns' %}
    {% set target_relation = ptvc__build_seed(existing, target_relation, columns, agate_table) %}
  {% elif difference == 'rows' %}
    {% do adapter.replace_rows('delete from ' ~ existing.render(), ptvc__copy_sql(existing, columns), agate_table) %}
    {% do ptvc__seed_loaded(agate_table) %}
  {% else %}
    {{ log(existing.render() ~ ' is unchanged: skipped') }}
    {% do store_raw_result(name='main', message='UNCHANGED', code='SKIP', rows_affected='-1') %}
  {% endif %}

  {% do create_indexes(target_relation) %}
  {% do apply_grants(target_relation, config.get('grants'), should_revoke=True) %}
  {% do persist_docs(target_relation, model) %}
  {{ run_hooks(post_hooks, inside_transaction=True) }}
  {{ adapter.commit() }}
  {{ run_hooks(post_hooks, inside_transaction=False) }}
  {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}

{% macro ptvc__build_seed(existing, target_relation, columns, agate_table) -%}
  {% if existing is not none %}{% do ptvc__assert_droppable(existing) %}{% endif %}
  {% set intermediate = make_intermediate_relation(target_relation) %}
  {{ drop_relation_if_exists(load_cached_relation(intermediate)) }}
  {% set definitions = [] %}
  {% for name, type in columns.items() %}{% do definitions.append(name ~ ' ' ~ type) %}{% endfor %}
  {% do adapter.building(intermediate) %}
  {% call statement('_') -%}
    create table {{ intermediate.render() }} ({{ definitions | join(', ') }})
  {%- endcall %}
  {% do adapter.cache_added(intermediate) %}
  {% do adapter.copy_rows(ptvc__copy_sql(intermediate, columns), agate_table) %}
  {% do ptvc__seed_loaded(agate_table) %}
  {{ return(ptvc__swap_table(existing, target_relation, intermediate, false)) }}
{%- endmacro %}

{# The columns as the table has them: quoted names, and types from `column_types`, `string` and the like as in contracts, or else from the values. #}
{% macro ptvc__seed_columns(agate_table) -%}
  {% set override = model['config'].get('column_types', {}) %}
  {% set columns = {} %}
  {% for name in agate_table.column_names %}
    {% do columns.update({
        adapter.quote_seed_column(name | string, model['config'].get('quote_columns', none)):
            api.Column.translate_type(override.get(name, adapter.convert_type(agate_table, loop.index0)))}) %}
  {% endfor %}
  {{ return(columns) }}
{%- endmacro %}

{% macro ptvc__copy_sql(relation, columns) -%}
  copy {{ relation.render() }} ({{ columns | join(', ') }}) from stdin
{%- endmacro %}

{% macro ptvc__seed_loaded(agate_table) -%}
  {% set code = 'CREATE' if should_full_refresh() else 'INSERT' %}
  {% set count = agate_table.rows | length %}
  {% do store_raw_result(name='main', message=code ~ ' ' ~ count, code=code, rows_affected=count) %}
{%- endmacro %}
