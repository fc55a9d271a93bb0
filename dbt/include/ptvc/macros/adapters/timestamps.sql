{% macro ptvc__current_timestamp() -%}
  now()
{%- endmacro %}

{% macro ptvc__current_timestamp_backcompat() -%}
  cast(now() as timestamp)
{%- endmacro %}

{% macro ptvc__current_timestamp_in_utc_backcompat() -%}
  cast(now() as timestamp)
{%- endmacro %}
