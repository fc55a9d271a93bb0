{#
  May `relation` be dropped with all that rests on it? Yes when --full-refresh was given, or when each dependent is
  rebuilt later in this run. Otherwise refuse, and name them and the remedy.
#}
{% macro ptvc__assert_droppable(relation) -%}
  {% set blocking = [] %}
  {% set foreign = [] %}
  {% set tests = [] %}
  {% set falling = [] %}
  {% set plain = [] %}
  {% set sinks = ptvc__sinks_of_run(relation) | map(attribute='identifier') | list %}
  {% set own_tables = adapter.own_tables(relation) if relation.is_source else [] %}
  {% for dependent in adapter.dependents(relation) %}
    {% set node = ptvc__node_of(dependent) %}
    {% if dependent in own_tables %}
      {# it comes and goes with the source #}
    {% elif own_tables and node is not none and adapter.reads_by_plain_name(node.unique_id, model.unique_id, graph.nodes) %}
      {% do plain.append(dependent.sql_kind ~ ' ' ~ dependent.render()) %}
    {% elif node is none and dependent.is_index %}
      {# made by the `indexes` config: it comes and goes with its relation #}
    {% elif dependent.is_sink and dependent.identifier in sinks %}
      {{ log(dependent.render() ~ " goes on with what it reads until its model runs") }}
    {% elif node is not none and node.unique_id in selected_resources %}
      {# what an earlier run has replaced, and a sink still reads, is no model's #}
      {% if not adapter.is_retired(dependent) %}{% do falling.append(dependent.render()) %}{% endif %}
    {% else %}
      {% do blocking.append(dependent.sql_kind ~ ' ' ~ dependent.render() ~ ptvc__foreign(dependent, node)) %}
      {% if node is none %}{% do foreign.append(dependent) %}{% endif %}
      {% if node is not none and node.resource_type == 'test' %}{% do tests.append(node.name) %}{% endif %}
    {% endif %}
  {% endfor %}
  {% if plain %}
    {{ exceptions.raise_compiler_error(
        relation.render() ~ " changed and has to be replaced with the tables that it makes, but these rest on them by plain names, so dbt does not "
        "know that they are made after it: " ~ plain | join(', ') ~ ". Write `{{ ref('" ~ model.name ~ "').own_table('"
        ~ own_tables[0].identifier ~ "') }}` in them, and the like for other tables, and run all of it.") }}
  {% elif blocking and not should_full_refresh() %}
    {{ exceptions.raise_compiler_error(
        relation.render() ~ " changed and has to be replaced, but these rest on it and are not part of this run: "
        ~ blocking | join(', ') ~ ". " ~ ptvc__remedy(blocking, foreign, tests)
    ) }}
  {% elif blocking %}
    {{ exceptions.warn(relation.render() ~ " is replaced under --full-refresh; dropped with it: " ~ blocking | join(', ')
        ~ (". `dbt test` makes the views of tests anew." if tests else "")) }}
  {% endif %}
  {% if falling %}
    {{ log(relation.render() ~ " is replaced; rebuilt later in this run: " ~ falling | join(', '), info=true) }}
  {% endif %}
{%- endmacro %}

{# What to say of something that no node of the project makes: of a model that was deleted or renamed, or of another project or target. #}
{% macro ptvc__foreign(relation, node) -%}
  {% if node is not none %}{{ return('') }}{% endif %}
  {% set schemas = graph.nodes.values() | map(attribute='schema') | list %}
  {{ return(' (no model of this project makes it)' if relation.schema in schemas else ' (made by another project or target)') }}
{%- endmacro %}

{# `foreign` is what this project does not make, nearest first. What the project makes over that falls with it, and is made anew. #}
{% macro ptvc__remedy(blocking, foreign, tests) -%}
  {% set command = ('dbt build' if tests else 'dbt run') ~ ' --select ' ~ model.name ~ '+' %}
  {% set run = "Run them too (`" ~ command ~ "`" ~ (", which runs tests as well)" if tests else ")") %}
  {% if not foreign %}{{ return(run ~ ".") }}{% endif %}
  {% set statements = [] %}
  {% for relation in foreign | reverse %}
    {% set made_over_it = adapter.dependents(relation) | rejectattr('is_index') | reject('in', foreign) | list %}
    {% do statements.append('drop ' ~ relation.sql_kind ~ ' ' ~ relation.render() ~ (' cascade' if made_over_it else '')) %}
  {% endfor %}
  {% set drop = "`" ~ statements | join('; ') ~ "`" %}
  {{ return(("Drop what this project does not make: " if foreign | length == blocking | length
      else run ~ ", and drop what this project does not make: ") ~ drop
      ~ ". Or `dbt run --full-refresh --select " ~ model.name ~ "+`, which drops that, and makes what the project makes anew.") }}
{%- endmacro %}

{# The sinks on `relation` whose models are part of this run: they stay, and are cut over there. #}
{% macro ptvc__sinks_of_run(relation) -%}
  {% set sinks = [] %}
  {% for dependent in adapter.dependents(relation) if dependent.is_sink %}
    {% set node = ptvc__node_of(dependent) %}
    {% if node is not none and node.unique_id in selected_resources and node.config.materialized == 'sink' %}
      {% do sinks.append(dependent) %}
    {% endif %}
  {% endfor %}
  {{ return(sinks) }}
{%- endmacro %}

{# The node of the project that makes `relation`, or none. An index is in the schema of its relation, not of its model. #}
{% macro ptvc__node_of(relation) -%}
  {% for node in graph.nodes.values() if ptvc__makes_relation(node) %}
    {% if adapter.stands_for(relation.identifier, node.get('alias')) %}
      {% if node.schema == relation.schema %}{{ return(node) }}{% endif %}
      {% set upstream = graph.nodes.get(node.depends_on.nodes[0]) or graph.sources.get(node.depends_on.nodes[0])
          if relation.is_index and node.depends_on.nodes else none %}
      {% if relation.is_index and node.config.materialized == 'index'
            and (upstream is none or upstream.schema == relation.schema) %}
        {{ return(node) }}
      {% endif %}
    {% endif %}
  {% endfor %}
  {{ return(none) }}
{%- endmacro %}

{# Whether the node makes something of its name: an ephemeral model does not, nor a test that stores nothing, nor an analysis. #}
{% macro ptvc__makes_relation(node) -%}
  {% if node.resource_type == 'test' %}
    {% set stored_as = node.config.get('store_failures_as') %}
    {% set stored = node.config.get('store_failures') %}
    {{ return(stored_as != 'ephemeral' if stored_as else (flags.STORE_FAILURES if stored is none else stored)) }}
  {% endif %}
  {{ return(node.resource_type in ('model', 'seed', 'snapshot') and node.config.materialized != 'ephemeral') }}
{%- endmacro %}
