{# The runtime has no GRANT yet: a config that asks for one is refused, never dropped. #}
{% macro ptvc__apply_grants(relation, grant_config, should_revoke=True) -%}
  {% if grant_config %}
    {{ exceptions.raise_compiler_error(
        "`grants` of " ~ relation.render() ~ " cannot be applied: this runtime has no privileges on single objects yet. "
        "Remove `grants` from the config."
    ) }}
  {% endif %}
{%- endmacro %}
