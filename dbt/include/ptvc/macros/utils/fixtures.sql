{# A unit test's input, of whose rows some may take others back. #}

{% macro ptvc__validate_fixture_rows(rows, row_number) -%}
  {#- the only place of dbt's `get_fixture_sql` that an adapter may change, so the list itself is changed -#}
  {%- if adapter.has_diffs(rows) and 'mz_diff' not in adapter.get_columns_in_relation(this) | map(attribute='name') -%}
    {%- do adapter.take_back(rows, model.name) -%}
  {%- endif -%}
{%- endmacro %}

{% macro ptvc__get_unit_test_sql(main_sql, expected_fixture_sql, expected_column_names) -%}
  {%- do adapter.assert_no_dialect(model) -%}
  {{ default__get_unit_test_sql(main_sql, expected_fixture_sql, expected_column_names) }}
{%- endmacro %}

{# Of `dbt show`; a test's query is one of PostgreSQL's already. #}
{% macro ptvc__get_limit_sql(sql, limit) -%}
  {{ default__get_limit_sql(ptvc__query(sql) if flags.WHICH == 'show' else sql, limit) }}
{%- endmacro %}
