select ship, name, length_m, upper(flag) as flag
from {{ ref('ships') }}
