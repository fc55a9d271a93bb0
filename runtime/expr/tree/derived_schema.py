"""The schema of a relation that follows from its inputs: derived once, and kept with the node.

Planning asks every node for its schema again and again, once per column at times: derived each time, a plan over a
table of 1,600 columns cost its square, and a deep one the square of its depth.
"""

from __future__ import annotations

from abc import abstractmethod

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

    def __init_subclass__(cls) -> None:
        """Looks at the class once: under ABC, every `isinstance` of a node would cost several times as much."""
        if cls.derive_schema is DerivedSchema.derive_schema:
            raise TypeError(f"{cls.__name__} does not derive its schema")

    @abstractmethod
    def derive_schema(self) -> Schema:
        """From those of the inputs."""
