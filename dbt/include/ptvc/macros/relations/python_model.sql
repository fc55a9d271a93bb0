{#
  A Python model's rows go into a temporary table, from where the materialization takes them as those of any query: names that
  begin with _ptvc tell the process that runs the code what it reads, all as of one time, and where its rows go.
#}

{%- macro py_script_comment() -%}
# What the model reads, all as of one time.
_ptvc_relations = {{ ptvc__python_reads() | tojson }}
{%- endmacro -%}

{%- macro ptvc__python_reads() -%}
{%- set relations = [] -%}
{%- for reference in model.refs -%}
  {%- set arguments = [reference.get('package'), reference['name']] if reference.get('package') else [reference['name']] -%}
  {%- set relation = ref(*arguments, v=reference.get('version')) -%}
  {%- if relation.is_cte -%}
    {{ exceptions.raise_compiler_error(
        "a Python model cannot read the ephemeral model '" ~ reference['name'] ~ "': it is a part of queries only. Make it a view."
    ) }}
  {%- endif -%}
  {%- do relations.append(resolve_model_name(relation.render())) -%}
{%- endfor -%}
{%- for reference in model.sources -%}
  {%- do relations.append(resolve_model_name(source(*reference).render())) -%}
{%- endfor -%}
{{- return(relations) -}}
{%- endmacro -%}

{%- macro ptvc__python_code(compiled_code, staging) -%}
  {%- if config.get('materialized') == 'incremental' and config.get('incremental_strategy') == 'microbatch' -%}
    {{ exceptions.raise_compiler_error(
        "incremental_strategy 'microbatch' is not for Python models: what they read is not cut to the batch. Use 'merge' or "
        "'delete+insert', and filter in the model if dbt.is_incremental."
    ) }}
  {%- endif -%}
{{ compiled_code }}

# The table that takes the rows.
_ptvc_staging = {{ staging.render() | tojson }}
{%- endmacro -%}
