select id, explode(split(truck, '')) as letter from {{ ref('base_trips') }}
