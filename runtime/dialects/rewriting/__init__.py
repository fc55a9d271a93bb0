"""A text of another dialect made PostgreSQL's by as few edits as that takes: what means the same stays as it was written.

```
text ──── tokens ──┐
                   ├─ what differs ── what may stay, since the tree is the same ── edits
translated ─ tokens┘
```

The criterion is the tree that our own parser makes, without positions: the edited text has that of the translated one.  So layout, comments,
letters' case and spellings such as `::` or `JOIN` are kept, and nothing rests on how the differences were found.
"""

from .edit import Edit, applied
from .structure import same
from .translated import edits

__all__ = ["Edit", "applied", "edits", "same"]
