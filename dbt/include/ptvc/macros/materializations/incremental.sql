{% macro ptvc__get_incremental_default_sql(arg_dict) -%}
  {% if arg_dict['unique_key'] %}
    {{ return(get_incremental_delete_insert_sql(arg_dict)) }}
  {% endif %}
  {{ return(get_incremental_append_sql(arg_dict)) }}
{%- endmacro %}

{% macro ptvc__get_incremental_merge_sql(arg_dict) -%}
  {{ exceptions.raise_compiler_error(
      "incremental_strategy 'merge' of " ~ this.render() ~ " needs MERGE, which this runtime does not have yet. "
      "Use 'delete+insert' with the same unique_key, or a materialized_view, which needs no strategy at all."
  ) }}
{%- endmacro %}
