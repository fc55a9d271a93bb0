select mooring, ship, since
from {{ ref('stg_moorings') }}
where mz_now() <= since + interval '100 years'
