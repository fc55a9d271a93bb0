"""Changes of a YAML file that leave everything else in it as it was written: comments, order, quotes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Entry(NamedTuple):
    """A key of a mapping and its value; `path` has the keys and the numbers of items above, and its own key."""

    path: tuple[str | int, ...]
    key: yaml.ScalarNode
    value: yaml.Node
    owner: yaml.MappingNode


class Document:
    """A file's text, and its tree if it is YAML; None if it is not."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = [0]
        for line in text.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))
        self._edits: dict[tuple[int, int], str] = {}
        self._removed: set[int] = set()
        try:
            self.tree: yaml.Node | None = yaml.compose(text, Loader=_LOADER)
        except yaml.YAMLError:
            self.tree = None
        self._above: dict[int, Entry] = {id(entry.value): entry for entry in self.entries()}

    def entries(self) -> Iterator[Entry]:
        """All, those above before those below."""
        if self.tree is not None:
            yield from _entries(self.tree, ())

    def offset(self, mark: yaml.Mark) -> int:
        return self._lines[min(int(mark.line), len(self._lines) - 1)] + int(mark.column)

    def line(self, offset: int) -> int:
        """Its number, from 0."""
        return bisect_right(self._lines, offset) - 1

    # --- edits ---

    def replace(self, node: yaml.Node, text: str) -> None:
        """The value of a scalar."""
        self._edits[self.offset(node.start_mark), self.offset(node.end_mark)] = text

    def remove(self, entry: Entry) -> None:
        """With what holds nothing else."""
        self._removed.add(id(entry.key))
        if all(id(key) in self._removed for key, _ in entry.owner.value):
            above = self._above.get(id(entry.owner))
            if above is not None:
                self.remove(above)

    def insert_line(self, before: int, text: str) -> None:
        """A line before another, which counts from 0."""
        at = self._lines[min(before, len(self._lines) - 1)]
        self._edits[at, at] = self._edits.get((at, at), "") + text + "\n"

    def edited(self) -> str:
        spans = dict(self._edits)
        for entry in self.entries():
            if id(entry.key) in self._removed:
                spans[self._span(entry)] = ""
        gone = [span for span, text in spans.items() if not text]
        outer = [span for span in spans if not any(_within(span, other) for other in gone)]
        parts, at = [], 0
        for start, end in sorted(outer):
            if start < at:
                continue
            parts += [self.text[at:start], spans[start, end]]
            at = end
        return "".join((*parts, self.text[at:]))

    def _span(self, entry: Entry) -> tuple[int, int]:
        """Whole lines of a mapping that is in lines, else up to the neighbour."""
        keys = [key for key, _ in entry.owner.value]
        values = [value for _, value in entry.owner.value]
        at = next(number for number, key in enumerate(keys) if key is entry.key)
        start = self.offset(entry.key.start_mark)
        if entry.owner.flow_style:
            if at + 1 < len(keys):
                return start, self.offset(keys[at + 1].start_mark)
            before = self.offset(values[at - 1].end_mark) if at else start
            return before, self.offset(entry.value.end_mark)
        first, last = self.line(start), self._last_line(entry.value)
        end = self._lines[min(last + 1, len(self._lines) - 1)]
        if self.text[self._lines[first] : start].strip():  # the dash of an item stands before it
            if at + 1 < len(keys):
                return start, self.offset(keys[at + 1].start_mark)
            return start, end - (1 if self.text[end - 1 : end] == "\n" else 0)
        return self._lines[first], end

    def _last_line(self, node: yaml.Node) -> int:
        if isinstance(node, yaml.ScalarNode) or node.flow_style or not node.value:
            end = self.offset(node.end_mark)
            block = isinstance(node, yaml.ScalarNode) and node.style in ("|", ">")
            return self.line(max(end - 1, 0)) if block else self.line(end)
        last = node.value[-1]
        return self._last_line(last[1] if isinstance(last, tuple) else last)


def _within(span: tuple[int, int], other: tuple[int, int]) -> bool:
    """What is put in at an end of the other is not."""
    (start, end), (first, last) = span, other
    if start == end:
        return first < start < last
    return span != other and first <= start and end <= last


def _entries(node: yaml.Node, path: tuple[str | int, ...]) -> Iterator[Entry]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                here = (*path, str(key.value))
                yield Entry(here, key, value, node)
                yield from _entries(value, here)
    elif isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value):
            yield from _entries(item, (*path, number))


def plain(node: yaml.Node) -> object:
    """What the node says."""
    if isinstance(node, yaml.MappingNode):
        return {str(key.value): plain(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [plain(item) for item in node.value]
    return node.value
