{% macro ptvc__current_timestamp() -%}
  now()
{%- endmacro %}

{# Without a time zone: of the session's, and of UTC whatever the session's is. #}
{% macro ptvc__current_timestamp_backcompat() -%}
  current_timestamp::timestamp
{%- endmacro %}

{% macro ptvc__current_timestamp_in_utc_backcompat() -%}
  (current_timestamp at time zone 'utc')::timestamp
{%- endmacro %}
