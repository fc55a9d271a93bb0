select id, getdate() as seen_at, date_part(dow, day) as dow from {{ ref('visits') }}
