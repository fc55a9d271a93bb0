{# Names of the relations that exist for a moment only, within PostgreSQL's 63 bytes. #}

{% macro ptvc__make_intermediate_relation(base_relation, suffix) -%}
  {% set intermediate = base_relation.incorporate(path={'identifier': adapter.shorten(base_relation.identifier, suffix)}) %}
  {% do adapter.building(intermediate) %}
  {{ return(intermediate) }}
{%- endmacro %}

{% macro ptvc__make_backup_relation(base_relation, backup_relation_type, suffix) -%}
  {{ return(base_relation.incorporate(
      path={'identifier': adapter.shorten(base_relation.identifier, suffix)}, type=backup_relation_type)) }}
{%- endmacro %}

{# A temporary relation: no schema, and a name of its own, since other sessions' are listed too. #}
{% macro ptvc__make_temp_relation(base_relation, suffix) -%}
  {% set unique_suffix = suffix ~ modules.datetime.datetime.now().strftime('%H%M%S%f') %}
  {{ return(base_relation.incorporate(path={
      'identifier': adapter.shorten(base_relation.identifier, unique_suffix), 'schema': none, 'database': none})) }}
{%- endmacro %}
