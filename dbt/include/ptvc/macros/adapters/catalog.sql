{# The catalog for `dbt docs`: one row a column, with comments. #}

{% macro ptvc__catalog_sql(condition) -%}
  select
    {{ ptvc__literal(target.database) }} as table_database,
    n.nspname as table_schema,
    c.relname as table_name,
    case c.relkind
      when 'v' then 'VIEW'
      when 'm' then 'MATERIALIZED VIEW'
      else 'BASE TABLE'
    end as table_type,
    relation_comment.description as table_comment,
    a.attname as column_name,
    a.attnum as column_index,
    pg_catalog.format_type(a.atttypid, a.atttypmod) as column_type,
    column_comment.description as column_comment,
    pg_catalog.pg_get_userbyid(c.relowner) as table_owner
  from pg_catalog.pg_namespace n
  join pg_catalog.pg_class c on c.relnamespace = n.oid
  join pg_catalog.pg_attribute a on a.attrelid = c.oid
  left join pg_catalog.pg_description relation_comment
    on relation_comment.objoid = c.oid and relation_comment.objsubid = 0
  left join pg_catalog.pg_description column_comment
    on column_comment.objoid = c.oid and column_comment.objsubid = a.attnum
  where c.relkind in ('r', 'v', 'm', 'f', 'p')
    and a.attnum > 0
    and not a.attisdropped
    and ({{ condition }})
  order by n.nspname, c.relname, a.attnum
{%- endmacro %}

{% macro ptvc__get_catalog(information_schema, schemas) -%}
  {{ adapter.verify_database(information_schema.database) }}
  {% set names = [] %}
  {% for schema in schemas %}{% do names.append(ptvc__literal(schema | lower)) %}{% endfor %}
  {{ return(run_query(ptvc__catalog_sql('lower(n.nspname) in (' ~ names | join(', ') ~ ')'))) }}
{%- endmacro %}

{% macro ptvc__get_catalog_relations(information_schema, relations) -%}
  {{ adapter.verify_database(information_schema.database) }}
  {% set conditions = [] %}
  {% for relation in relations %}
    {% if relation.schema and relation.identifier %}
      {% do conditions.append('(n.nspname = ' ~ ptvc__literal(relation.schema) ~ ' and c.relname = ' ~ ptvc__literal(relation.identifier) ~ ')') %}
    {% elif relation.schema %}
      {% do conditions.append('(n.nspname = ' ~ ptvc__literal(relation.schema) ~ ')') %}
    {% else %}
      {% do exceptions.raise_compiler_error("get_catalog_relations needs a list of relations, each with a schema") %}
    {% endif %}
  {% endfor %}
  {{ return(run_query(ptvc__catalog_sql(conditions | join(' or ')))) }}
{%- endmacro %}

{% macro ptvc__get_catalog_for_single_relation(relation) -%}
  {{ return(ptvc__get_catalog_relations(relation.information_schema(), [relation])) }}
{%- endmacro %}

{# Of which columns those of views are made; without a column's name, by which their rows are chosen. #}
{% macro ptvc__get_column_lineage(schemas) -%}
  {% set sql -%}
    select
      o.schema_name, o.name, l.column_name, r.name as referenced_name, l.referenced_column_name as referenced_column, l.kind
    from mz_internal.mz_column_lineage l
    join mz_catalog.mz_objects o on o.id = l.object_id
    join mz_catalog.mz_objects r on r.id = l.referenced_object_id
    left join mz_catalog.mz_columns c on c.id = l.object_id and c.name = l.column_name
    where o.schema_name in ({{ ptvc__literals(schemas) }})
    order by o.schema_name, o.name, c.position nulls last, r.name, l.referenced_column_name, l.kind
  {%- endset %}
  {{ return(run_query(sql)) }}
{%- endmacro %}

{# To which time each stored relation holds all that belongs into it. #}
{% macro ptvc__get_frontiers(schemas) -%}
  {% set sql -%}
    select
      o.schema_name, o.name,
      to_char(to_timestamp(f.write_frontier / 1000.0), 'YYYY-MM-DD HH24:MI:SS TZH:TZM') as up_to_date
    from mz_internal.mz_frontiers f
    join mz_catalog.mz_objects o on o.id = f.object_id
    where o.schema_name in ({{ ptvc__literals(schemas) }})
  {%- endset %}
  {{ return(run_query(sql)) }}
{%- endmacro %}

{% macro ptvc__count_rows(relation) -%}
  {{ return(run_query('select count(*) from ' ~ relation.render())) }}
{%- endmacro %}

{% macro ptvc__literals(values) -%}
  {% for value in values %}{{ ptvc__literal(value) }}{{ ', ' if not loop.last }}{% endfor %}
{%- endmacro %}
