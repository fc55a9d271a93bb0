-- The same flights as `flights`, as they are in the database's table.
{{ config(materialized='source_table') }}
from source {{ ref('flights_database') }} (reference flights)
