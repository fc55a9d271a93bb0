select mooring, ship, berth, since, until
from {{ ref('moorings') }}
where berth is not null
