"""Where in a model's file an error is.

The runtime counts lines of the statement that it was sent.  That is made of the file by Jinja and by a materialization, which
both add lines and leave some out, so the two texts are laid side by side: a line belongs to the same line of the file, or,
where Jinja has changed it, stands between, or behind, the same neighbours, or is the only one that Jinja can have made it of.  Blanks and
comments do not count.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

MAX_LINES = 5_000
"""Of either text: longer ones are not compared."""

_PATHS = ("model_paths", "snapshot_paths", "test_paths", "analysis_paths")
_JINJA = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}")
_COMMENT = re.compile(r"/\*.*?\*/")


def line_of_file(statement: str, line: int, file: str) -> int | None:
    """The line of the file that the statement's line comes from, both counted from 1; None where that is not clear."""
    made, written = _lines(statement), _lines(file)
    at = next((place for place, (number, _) in enumerate(made) if number == line), None)
    if at is None or max(len(made), len(written)) > MAX_LINES:
        return None
    found = _placed([text for _, text in made], [text for _, text in written])
    if at not in found:
        before = max((place for place in found if place < at), default=None)
        after = min((place for place in found if place > at), default=None)
        first = 0 if before is None else found[before] + 1
        last = len(written) if after is None else found[after]
        single = _made_of(made[at][1], [text for _, text in written], range(first, last))
        if single is not None:
            return written[single][0]
        if before is None:
            return None  # what stands above a model is the materialization's
        if after is not None and after - before == found[after] - found[before]:
            found[at] = found[before] + at - before
        elif at - before == 1:
            found[at] = found[before] + 1
        elif after is not None and after - at == 1:
            found[at] = found[after] - 1
    place = found.get(at)
    return written[place][0] if place is not None and place < len(written) else None


def _lines(text: str) -> list[tuple[int, str]]:
    """Those with something in them, and their numbers."""
    stripped = ((number, _COMMENT.sub("", line)) for number, line in enumerate(text.splitlines(), 1))
    return [(number, "".join(line.split())) for number, line in stripped if line.strip()]


def _placed(made: list[str], written: list[str]) -> dict[int, int]:
    """Where lines of `made` stand in `written`: in the same order, or, as a loop makes some again, where there is but one."""
    times = Counter(written)
    single = {text: place for place, text in enumerate(written) if times[text] == 1}
    found = {place: single[text] for place, text in enumerate(made) if text in single}
    for block in SequenceMatcher(None, made, written, autojunk=False).get_matching_blocks():
        found |= {block.a + offset: block.b + offset for offset in range(block.size)}
    return found


def _made_of(made: str, written: list[str], places: range) -> int | None:
    """The one line of those at `places` that Jinja can have made the line of: rather one with more in it than Jinja."""
    found: dict[bool, list[int]] = {True: [], False: []}
    for place in places:
        texts = _JINJA.split(written[place])
        if len(texts) > 1 and "{{" in written[place]:
            pattern = ".*".join(re.escape(text) for text in texts)
            if re.fullmatch(pattern, made) is not None:
                found[any(texts)].append(place)
    likely = found[True] or found[False]
    return likely[0] if len(likely) == 1 else None


def file_of_node(profile: Any, root: Path, node: Mapping[str, Any]) -> Path | None:
    """The file, relative to the project, of a node as dbt's log knows it; None if it is generated, or a package's."""
    path = node.get("node_path")
    if not path or not str(path).endswith(".sql"):
        return None
    for folder in (folder for paths in _PATHS for folder in getattr(profile, paths, None) or ()):
        file = Path(folder) / str(path)
        if (root / file).is_file():
            return file
    return None
