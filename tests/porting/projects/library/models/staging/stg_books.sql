select
    id as book_id,
    ifnull(title, 'unknown') as title,
    upper(author) as author,
    coalesce(pages, 0) // 100 as hundreds,
    coalesce(pages, 0) / 100 as share,
    if(price > 10, 'dear', 'cheap') as class
from {{ ref('books') }}
