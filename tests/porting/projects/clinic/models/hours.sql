select id, {{ hours('minutes') }} as hours from {{ ref('visits') }}
