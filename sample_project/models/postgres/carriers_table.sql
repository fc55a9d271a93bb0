-- How many flights of each airline there are, as the database counts them in the transaction that changes flights.
{{ config(materialized='source_table') }}
from source {{ ref('flights_database') }} (reference carriers)
