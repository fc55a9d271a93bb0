{# The options of a model that shape its object, and so are part of the hash of its definition. #}
{% macro ptvc__definition_options() -%}
  {% set options = {} %}
  {% set cluster = ptvc__generated_cluster(config.get('cluster')) %}
  {% do options.update({'cluster': adapter.schema_in_production(cluster) if cluster else none}) %}
  {% for name in ['retain_history', 'refresh', 'partition_by', 'connector', 'format', 'envelope', 'key'] %}
    {% do options.update({name: config.get(name)}) %}
  {% endfor %}
  {% do options.update({'assert_not_null': ptvc__asserted_columns()}) %}
  {{ return(options) }}
{%- endmacro %}

{# The columns that must not be NULL: from `assert_not_null`, and from not_null constraints of an enforced contract. #}
{% macro ptvc__asserted_columns() -%}
  {% set names = [] %}
  {% for name in config.get('assert_not_null') or [] %}{% do names.append(adapter.quote(name)) %}{% endfor %}
  {% set contract = config.get('contract') %}
  {% if contract and contract.enforced and config.get('materialized') in ('materialized_view', 'materializedview') %}
    {% for column in ptvc__contracted_columns().values() %}
      {% set name = adapter.quote(column['name']) if column.get('quote') else column['name'] %}
      {% if column.get('constraints') | selectattr('type', 'equalto', 'not_null') | list and name not in names %}
        {% do names.append(name) %}
      {% endif %}
    {% endfor %}
  {% endif %}
  {{ return(names or none) }}
{%- endmacro %}

{% macro ptvc__in_cluster() -%}
  {%- if ptvc__cluster() -%}
    in cluster {{ adapter.quote(ptvc__cluster()) }}
  {%- endif -%}
{%- endmacro %}

{% macro ptvc__materialized_view_options() -%}
  {%- if (config.get('refresh_interval') or {}).keys() | reject('equalto', 'on_commit') | list -%}
    {{ exceptions.raise_compiler_error(
        "`refresh_interval` of " ~ this.render() ~ " asks for a view that is refreshed now and then: here it always is up to date. "
        "Remove `refresh_interval`; `retain_history` keeps what was."
    ) }}
  {%- endif -%}
  {%- set options = [] -%}
  {%- if config.get('retain_history') -%}
    {%- do options.append('retain history for ' ~ ptvc__literal(config.get('retain_history'))) -%}
  {%- endif -%}
  {%- for name in ptvc__asserted_columns() or [] -%}
    {%- do options.append('assert not null ' ~ name) -%}
  {%- endfor -%}
  {%- if config.get('partition_by') -%}
    {%- do options.append('partition by (' ~ config.get('partition_by') | join(', ') ~ ')') -%}
  {%- endif -%}
  {%- if config.get('refresh') -%}
    {%- do options.append('refresh = ' ~ config.get('refresh')) -%}
  {%- endif -%}
  {%- if options -%}
    with ({{ options | join(', ') }})
  {%- endif -%}
{%- endmacro %}
