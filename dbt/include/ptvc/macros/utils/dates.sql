{# dbt's date macros in PostgreSQL's words. #}

{% macro ptvc__dateadd(datepart, interval, from_date_or_timestamp) -%}
  {{ from_date_or_timestamp }} + ((interval '1 {{ datepart }}') * ({{ interval }}))
{%- endmacro %}

{% macro ptvc__datediff(first_date, second_date, datepart) -%}
  {%- set first = 'cast(' ~ first_date ~ ' as timestamp)' -%}
  {%- set second = 'cast(' ~ second_date ~ ' as timestamp)' -%}
  {%- set seconds = {'week': 604800, 'day': 86400, 'hour': 3600, 'minute': 60, 'second': 1} -%}
  {%- set months = {'year': 12, 'quarter': 3, 'month': 1} -%}
  {%- if datepart in months -%}
    {#- boundaries crossed, counted in whole parts since year 0 -#}
    (cast(floor((extract(year from {{ second }}) * 12 + extract(month from {{ second }}) - 1) / {{ months[datepart] }}) as bigint)
     - cast(floor((extract(year from {{ first }}) * 12 + extract(month from {{ first }}) - 1) / {{ months[datepart] }}) as bigint))
  {%- elif datepart in seconds -%}
    {%- set unit = datepart -%}
    cast((extract(epoch from date_trunc('{{ unit }}', {{ second }})) - extract(epoch from date_trunc('{{ unit }}', {{ first }}))) / {{ seconds[datepart] }} as bigint)
  {%- elif datepart in ['millisecond', 'microsecond'] -%}
    {%- set scale = 1000 if datepart == 'millisecond' else 1000000 -%}
    cast(floor(extract(epoch from {{ second }}) * {{ scale }}) - floor(extract(epoch from {{ first }}) * {{ scale }}) as bigint)
  {%- else -%}
    {{ exceptions.raise_compiler_error("datediff: unknown date part '" ~ datepart ~ "'") }}
  {%- endif -%}
{%- endmacro %}

{% macro ptvc__last_day(date, datepart) -%}
  cast(date_trunc('{{ datepart }}', {{ date }}) + {{ "interval '3 month'" if datepart == 'quarter' else "interval '1 " ~ datepart ~ "'" }} - interval '1 day' as date)
{%- endmacro %}
