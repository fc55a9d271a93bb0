-- Back into the database: a table that always has the view's rows.
{{ config(materialized='sink') }}
from {{ ref('flights_by_carrier') }}
into postgres connection {{ target.schema }}.flights_postgres (table {{ var('postgres_schema', 'public') }}.flights_by_carrier)
key (carrier) envelope upsert
