-- A database that is followed: its tables are the two models that read from this one.
{{ config(materialized='source') }}
from postgres connection {{ target.schema }}.flights_postgres (publication 'flights')
