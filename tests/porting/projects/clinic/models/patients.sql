select
    patient,
    nvl(max(ward), 'none') as last_ward,
    count(distinct day) as days,  -- on which
    max(dateadd(day, 7, day)) as next_week,
    datediff(day, min(day), max(day)) as span,
    bool_or(minutes > 40) as long_one
from {{ ref('visits') }}
group by patient
