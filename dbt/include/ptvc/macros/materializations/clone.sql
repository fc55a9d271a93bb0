{# `dbt clone`: a view on each relation of the other state, also on what a Python model has made. A table is not copied. #}
{% materialization clone, adapter='ptvc' %}
  {% if not defer_relation %}
    {{ log('No relation found in state manifest for ' ~ model.unique_id, info=True) }}
    {{ return({'relations': []}) }}
  {% endif %}
  {% set other = load_cached_relation(defer_relation) %}
  {# An index is in the schema of what it is on, where nothing may be known of it. #}
  {% if config.get('materialized') in ('index', 'sink') or (other is not none and (other.is_index or other.is_sink)) %}
    {{ log('Nothing can be read from ' ~ defer_relation ~ ': it is not cloned', info=True) }}
    {{ return({'relations': []}) }}
  {% endif %}
  {% set existing = load_cached_relation(this) %}
  {% if existing is not none and not flags.FULL_REFRESH %}
    {{ log('Relation ' ~ existing ~ ' already exists', info=True) }}
    {{ return({'relations': []}) }}
  {% endif %}
  {{ return(ptvc__maintain(this.incorporate(type='view'), 'select * from ' ~ defer_relation)) }}
{% endmaterialization %}
