{# Indexes: the `indexes` config of any relation. A name holds the hash of what the index is made of. #}

{% macro ptvc__index_on_sql(index_name, on, columns, cluster) -%}
  {%- set key = ptvc__index_key(on, columns) -%}
  create index {{ adapter.quote(index_name) }}
  {%- if cluster %} in cluster {{ adapter.quote(cluster) }}{% endif %} on {{ on }} ({{ key | join(', ') }})
{%- endmacro %}

{# What is a column's name, letter by letter, is quoted; anything else is an expression, or quoted already. #}
{% macro ptvc__index_key(on, columns) -%}
  {% set key = [] %}
  {% set names = get_columns_in_query('select * from ' ~ on) %}
  {% for column in columns %}{% do key.append(adapter.quote(column) if column in names else column) %}{% endfor %}
  {{ return(key) }}
{%- endmacro %}

{# Make the indexes of `relation` what the config says; `definition_hash` is that of the relation. #}
{% macro ptvc__apply_indexes(relation, definition_hash=none) -%}
  {% set changes = adapter.index_changes(relation, definition_hash, ptvc__index_configs(relation)) %}
  {% for index_name in changes.drop %}
    {% do adapter.drop_relation(ptvc__index_relation(relation, index_name)) %}
  {% endfor %}
  {% for index_name, index in changes.create.items() %}
    {% do ptvc__create_index(relation, index_name, index) %}
  {% endfor %}
  {{ return(changes) }}
{%- endmacro %}

{# The indexes that the model asks for; an `index` model on a query has one by `columns`, or by all of them. #}
{% macro ptvc__index_configs(relation) -%}
  {% set configs = [] + (config.get('indexes') or []) %}
  {% if config.get('materialized') == 'index' %}
    {% do configs.append({'columns': config.get('columns') or ptvc__all_columns(relation.render())}) %}
  {% endif %}
  {{ return(configs) }}
{%- endmacro %}

{% macro ptvc__all_columns(rendered) -%}
  {% set names = [] %}
  {% for name in get_columns_in_query('select * from ' ~ rendered) %}{% do names.append(adapter.quote(name)) %}{% endfor %}
  {{ return(names) }}
{%- endmacro %}

{% macro ptvc__create_index(relation, index_name, index) -%}
  {% set columns = index.columns or ptvc__all_columns(relation.render()) %}
  {% do run_query(ptvc__index_on_sql(index_name, relation.render(), columns, ptvc__cluster(index.cluster))) %}
  {% do adapter.cache_added(ptvc__index_relation(relation, index_name)) %}
{%- endmacro %}

{% macro ptvc__index_relation(relation, index_name) -%}
  {{ return(relation.incorporate(path={'identifier': index_name}, type='index')) }}
{%- endmacro %}

{# What dbt's own materializations (table, incremental, seed) call once they have built a relation. #}
{% macro ptvc__create_indexes(relation) -%}
  {% if config.get('indexes') %}{% do ptvc__apply_indexes(relation) %}{% endif %}
{%- endmacro %}
