select
    book_id,
    list_sort(list_value(title, author)) as words,
    regexp_extract(title, '[A-Z]') as initial
from {{ ref('stg_books') }}
