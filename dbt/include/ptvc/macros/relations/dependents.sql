{#
  May `relation` be dropped with all that rests on it? Yes when --full-refresh was given, or when each dependent is
  rebuilt later in this run, or holds failures of a test. Otherwise refuse, and name them and the remedy.
#}
{% macro ptvc__assert_droppable(relation) -%}
  {% set blocking = [] %}
  {% set falling = [] %}
  {% for dependent in adapter.dependents(relation) %}
    {% set node = ptvc__node_of(dependent) %}
    {% if node is none and dependent.is_index %}
      {# made by the `indexes` config: it comes and goes with its relation #}
    {% elif node is not none and (node.unique_id in selected_resources or node.resource_type == 'test') %}
      {% do falling.append(dependent.render()) %}
    {% else %}
      {% do blocking.append(dependent.sql_kind ~ ' ' ~ dependent.render()) %}
    {% endif %}
  {% endfor %}
  {% if blocking and not should_full_refresh() %}
    {{ exceptions.raise_compiler_error(
        relation.render() ~ " changed and has to be replaced, but these rest on it and are not part of this run: "
        ~ blocking | join(', ') ~ ". Run them too (`dbt run --select " ~ model.name ~ "+`), or drop them with "
        "`dbt run --full-refresh --select " ~ model.name ~ "`."
    ) }}
  {% elif blocking %}
    {{ exceptions.warn(relation.render() ~ " is replaced under --full-refresh; dropped with it: " ~ blocking | join(', ')) }}
  {% endif %}
  {% if falling %}
    {{ log(relation.render() ~ " is replaced; rebuilt later in this run: " ~ falling | join(', '), info=true) }}
  {% endif %}
{%- endmacro %}

{# The node of the project that makes `relation`, or none. #}
{% macro ptvc__node_of(relation) -%}
  {% for node in graph.nodes.values() %}
    {% if node.schema == relation.schema and node.get('alias') == relation.identifier %}
      {{ return(node) }}
    {% endif %}
  {% endfor %}
  {{ return(none) }}
{%- endmacro %}
