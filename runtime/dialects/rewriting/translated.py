"""A translation put into its original, part by part of the query."""

from __future__ import annotations

from ...errors import PtvcError, Unsupported
from .comments import comments_of
from .differences import changes_between, needless, without_parentheses
from .edit import Edit, applied
from .rewriting import Rewriting
from .structure import same, structure
from .tokens import original, select_items, translated_tokens, with_bodies


def edits(text: str, dialect: str, translated: str) -> list[Edit]:
    """Those that make of `text` what `translated` means.  Raises Unsupported where that cannot be shown."""
    found = _edits(text, dialect, translated)
    if not same(applied(text, found), translated):
        raise _unlike()
    return found


def _edits(text: str, dialect: str, translated: str) -> list[Edit]:
    """Query by query of a WITH: what is tried out is parsed, so short texts are tried."""
    old, new = original(text, dialect), translated_tokens(translated)
    bodies, their = with_bodies(old), with_bodies(new)
    if len(bodies) != len(their):
        bodies = their = []
    found: list[Edit] = []
    outer, theirs = text, translated
    for (start, end), (begin, stop) in zip(bodies, their, strict=True):
        if min(end - start, stop - begin) < len(_STUB):
            continue
        inner = _edits(text[start:end], dialect, translated[begin:stop])
        found += [Edit(start + edit.start, start + edit.end, edit.text) for edit in inner]
        outer = outer[:start] + _STUB.ljust(end - start) + outer[end:]
        theirs = theirs[:begin] + _STUB.ljust(stop - begin) + theirs[stop:]
    found += _edits_of_query(outer, dialect, theirs)
    return sorted(found, key=lambda one: (one.start, one.end))


_STUB = "select 1"
_ITEM = "1"


def _edits_of_query(text: str, dialect: str, translated: str) -> list[Edit]:
    """Item by item of its select list, then the rest."""
    old, new = original(text, dialect), translated_tokens(translated)
    items, their = select_items(old), select_items(new)
    if len(items) != len(their):
        items = their = []
    found: list[Edit] = []
    outer, theirs = text, translated
    for (start, end), (begin, stop) in zip(items, their, strict=True):
        head = "SELECT " if "SELECT" in (token.raw for token in old) else "select "
        inner = _edits_of_one(head + text[start:end], dialect, head + translated[begin:stop])
        shift = start - len(head)
        found += [Edit(shift + edit.start, shift + edit.end, edit.text) for edit in inner]
        outer = outer[:start] + _ITEM.ljust(end - start) + outer[end:]
        theirs = theirs[:begin] + _ITEM.ljust(stop - begin) + theirs[stop:]
    return [*found, *_edits_of_one(outer, dialect, theirs)]


def _edits_of_one(text: str, dialect: str, translated: str) -> list[Edit]:
    comments = comments_of(text, dialect)
    wanted = structure(translated)

    def holds(candidate: str) -> bool:
        try:
            return bool(structure(candidate) == wanted)
        except PtvcError:
            return False

    old = original(text, dialect)
    new = without_parentheses(translated, old, holds)
    changes = changes_between(old, new)
    rewriting = Rewriting(text, old, new, comments)
    kept = needless(changes, old, new, lambda chosen: holds(rewriting.text(chosen)))
    found = rewriting.edits([change for change in changes if change not in kept])
    if not holds(applied(text, found)):
        raise _unlike()
    return found


def _unlike() -> Unsupported:
    return Unsupported("the translation cannot be put into the text", hint="Write it by hand.")
