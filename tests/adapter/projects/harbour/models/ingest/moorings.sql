{{ config(materialized='source') }}

(mooring int NOT NULL, ship int, berth int, since timestamp, until timestamp)
FROM FILE '{{ env_var("HARBOUR_DATA") }}/moorings' FORMAT JSON
KEY (mooring) ENVELOPE UPSERT
