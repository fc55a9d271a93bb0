select
    origin,
    time_hour,
    temp,
    wind_speed,
    precip,
    visib,
    case
        when visib < 1.0 then 'fog'
        when precip > 0.0 then 'rain'
        when wind_speed > 20.0 then 'wind'
        else 'fair'
    end as conditions
from {{ ref('weather') }}
