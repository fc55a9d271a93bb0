{#
  The one relation that a body reads whole (`select * from r`, or a bare `r`), or none.

  A `ref` is looked up in the graph, since it renders a subquery under --empty and --sample.
#}
{% macro ptvc__single_relation(sql) -%}
  {% set nodes = model.depends_on.nodes %}
  {% if (nodes | length) == 1 and adapter.reads_one_ref(model.raw_code) %}
    {% set node = graph.nodes.get(nodes[0]) or graph.sources.get(nodes[0]) %}
    {% set relation = api.Relation.create(
        database=node.database, schema=node.schema, identifier=node.get('alias') or node.get('identifier')) %}
    {{ return(adapter.as_staged(relation).render()) }}
  {% endif %}
  {{ return(adapter.named_relation(sql)) }}
{%- endmacro %}
