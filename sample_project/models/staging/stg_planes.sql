select
    tailnum,
    year_built,
    manufacturer,
    model,
    seats
from {{ ref('planes') }}
