{# dbt's string macros in PostgreSQL's words. #}

{% macro ptvc__listagg(measure, delimiter_text, order_by_clause, limit_num) -%}
  {%- set order = ' ' ~ order_by_clause if order_by_clause else '' -%}
  {%- if limit_num -%}
  array_to_string((array_agg({{ measure }}{{ order }}))[1:{{ limit_num }}], {{ delimiter_text }})
  {%- else -%}
  string_agg({{ measure }}, {{ delimiter_text }}{{ order }})
  {%- endif -%}
{%- endmacro %}

{% macro ptvc__split_part(string_text, delimiter_text, part_number) -%}
  {#- PostgreSQL counts negative parts from the end, as dbt does -#}
  split_part({{ string_text }}, {{ delimiter_text }}, {{ part_number }})
{%- endmacro %}

{% macro ptvc__any_value(expression) -%}
  min({{ expression }})
{%- endmacro %}
