{% macro hours(minutes) %}({{ minutes }} / 60.0){% endmacro %}

{% macro redshift__zone() %}'UTC'{% endmacro %}
