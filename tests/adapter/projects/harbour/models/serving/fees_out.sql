{{ config(materialized='sink', cluster='harbour_serving') }}

FROM {{ ref('fees') }}
INTO FILE '{{ env_var("HARBOUR_DATA") }}/fees_out'
FORMAT JSON KEY (mooring) ENVELOPE UPSERT
