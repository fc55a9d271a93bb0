{#
  A table is filled by every run. When others rest on it and its columns are the same, the rows are exchanged in one
  transaction, so that they live on and see only what differs; else a new table takes the old one's name. With others on it, or when it
  reads what is staged, it is staged (staging.sql).
  A model in Python fills a temporary table first, which is then its query; dbt lets none but a materialization itself run it.
#}
{% materialization table, adapter='ptvc', supported_languages=['sql', 'python'] %}
  {% set existing = load_cached_relation(this) %}
  {% set target_relation = this.incorporate(type='table') %}
  {% set intermediate = make_intermediate_relation(target_relation) %}
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
  {% if ptvc__keeps_dependents(existing) and not ptvc__reads_staged() %}
    {% set built = ptvc__exchange_rows(existing, target_relation, intermediate, query) %}
  {% else %}
    {% set built = ptvc__exchange_table(existing, target_relation, intermediate, query) %}
  {% endif %}
  {% do context.update({'this': built}) %}
  {% if model['language'] == 'python' %}
    {% do run_query('drop table ' ~ staging.render()) %}
  {% endif %}

  {{ run_hooks(post_hooks, inside_transaction=True) }}
  {% do apply_grants(built, config.get('grants'), should_revoke=True) %}
  {% do persist_docs(built, model) %}
  {{ adapter.commit() }}
  {{ run_hooks(post_hooks, inside_transaction=False) }}
  {{ return({'relations': [built]}) }}
{% endmaterialization %}

{% macro ptvc__keeps_dependents(existing) -%}
  {{ return(existing is not none and existing.is_table and not should_full_refresh()
      and (adapter.dependents(existing) | rejectattr('is_index') | list | length) > 0) }}
{%- endmacro %}

{# Returns the table that has the new rows. #}
{% macro ptvc__exchange_rows(existing, target_relation, intermediate, sql) -%}
  {% do adapter.building(intermediate) %}
  {% do run_query(get_create_table_as_sql(False, intermediate, sql)) %}
  {% set columns = adapter.get_columns_in_relation(existing) %}
  {% if ptvc__column_signature(columns) == ptvc__column_signature(adapter.get_columns_in_relation(intermediate)) %}
    {% set names = columns | map(attribute='quoted') | join(', ') %}
    {% set constraints = adapter.constraint_changes(existing, intermediate) %}
    {% do ptvc__alter_constraints(existing, constraints.drop) %}
    {% call statement('main') -%}
      begin;
      delete from {{ existing.render() }};
      insert into {{ existing.render() }} ({{ names }}) select {{ names }} from {{ intermediate.render() }};
      commit
    {%- endcall %}
    {% do ptvc__alter_constraints(existing, constraints.add) %}
    {% do adapter.drop_relation(intermediate) %}
    {% do adapter.built(intermediate) %}
    {% do create_indexes(existing) %}
    {{ return(existing) }}
  {% endif %}
  {% do ptvc__assert_droppable(existing) %}
  {% do store_raw_result(name='main', message='CREATE TABLE', code='CREATE TABLE', rows_affected='-1') %}
  {{ return(ptvc__stage_table(existing, target_relation, intermediate)) }}
{%- endmacro %}

{# Returns the table that has the new rows: of one that is staged, that. #}
{% macro ptvc__exchange_table(existing, target_relation, intermediate, sql) -%}
  {% if existing is not none %}{% do ptvc__assert_droppable(existing) %}{% endif %}
  {% do adapter.building(intermediate) %}
  {% call statement('main') -%}
    {{ get_create_table_as_sql(False, intermediate, sql) }}
  {%- endcall %}
  {{ return(ptvc__swap_table(existing, target_relation, intermediate, ptvc__reads_staged())) }}
{%- endmacro %}

{% macro ptvc__swap_table(existing, target_relation, intermediate, reads_staged) -%}
  {% if reads_staged or (existing is not none and adapter.dependents(existing) | rejectattr('is_index') | list) %}
    {{ return(ptvc__stage_table(existing, target_relation, intermediate)) }}
  {% elif existing is not none %}
    {% do adapter.take_place(existing, intermediate, target_relation) %}
  {% else %}
    {% do adapter.rename_relation(intermediate, target_relation) %}
  {% endif %}
  {% do adapter.built(intermediate) %}
  {% do create_indexes(target_relation) %}
  {{ return(target_relation) }}
{%- endmacro %}

{# The table is full already: it moves to where what is staged is. #}
{% macro ptvc__stage_table(existing, target_relation, intermediate) -%}
  {% set staged = adapter.staged_as(target_relation) %}
  {% do adapter.move_relation(intermediate, staged) %}
  {% do adapter.built(intermediate) %}
  {% do create_indexes(staged) %}
  {% do ptvc__staged_anew(existing, target_relation, staged) %}
  {{ return(staged) }}
{%- endmacro %}

{% macro ptvc__column_signature(columns) -%}
  {% set signature = [] %}
  {% for column in columns %}{% do signature.append(column.name ~ ' ' ~ column.data_type) %}{% endfor %}
  {{ return(signature) }}
{%- endmacro %}
