{# What is maintained by the runtime, and so is only touched when its definition changed. #}

{% materialization view, adapter='ptvc' %}
  {{ return(ptvc__maintain(this.incorporate(type='view'), sql)) }}
{% endmaterialization %}

{% materialization materialized_view, adapter='ptvc' %}
  {{ return(ptvc__maintain(this.incorporate(type='materialized_view'), sql)) }}
{% endmaterialization %}

{% materialization source, adapter='ptvc' %}
  {{ return(ptvc__maintain(this.incorporate(type='source'), sql)) }}
{% endmaterialization %}

{% materialization sink, adapter='ptvc' %}
  {% set upstream = ptvc__single_relation(sql) %}
  {% set body = sql if upstream is none else 'select * from ' ~ upstream %}
  {% set existing = ptvc__sink_in_production(body) %}
  {% if existing is not none %}{{ return(ptvc__leave_sink(existing)) }}{% endif %}
  {{ return(ptvc__maintain(this.incorporate(type='sink'), body)) }}
{% endmaterialization %}
