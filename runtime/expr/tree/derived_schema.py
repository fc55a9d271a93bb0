"""The schema of a relation that follows from its inputs: derived once, and kept with the node.

Planning asks every node for its schema again and again, once per column at times: derived each time, a plan over a
table of 1,600 columns cost its square, and a deep one the square of its depth.
"""

from __future__ import annotations

from ...repr.schema import Schema


class DerivedSchema:
    """Base of the nodes that derive theirs.  What is kept is no field: nodes are compared, copied and pickled without it."""

    __slots__ = ("_schema",)

    _schema: Schema

    @property
    def schema(self) -> Schema:
        try:
            return self._schema
        except AttributeError:
            schema = self.derive_schema()
            object.__setattr__(self, "_schema", schema)
            return schema

    def derive_schema(self) -> Schema:
        raise NotImplementedError
