"""The prepared statements of a session, by name: of messages and of PREPARE alike.

No transaction has anything to do with them: they last until they are deallocated or the session ends.
"""

from __future__ import annotations

from dataclasses import replace

from ...errors import PtvcError, Unsupported
from ...repr.types import ScalarType, type_from_oid
from ...sql.catalog.catalog_view import Prepared
from ...sql.plans.session_plans import Prepare
from ..results.results import Command

UNKNOWN_OID = 705


class PreparedStatements(dict[str, Prepared]):
    def define(self, planned: Prepare, now_us: int) -> Command:
        """PREPARE; 42P05 for a name that is taken."""
        if planned.name in self:
            raise PtvcError(f'prepared statement "{planned.name}" already exists', sqlstate="42P05")
        self[planned.name] = replace(planned.prepared, prepared_us=now_us)
        return Command("PREPARE")

    def deallocate(self, name: str | None) -> Command:
        """DEALLOCATE, of all without a name; 26000 without such a statement."""
        if name is None:
            self.clear()
            return Command("DEALLOCATE ALL")
        if self.pop(name, None) is None:
            raise PtvcError(f'prepared statement "{name}" does not exist', sqlstate="26000")
        return Command("DEALLOCATE")


def parameter_type(oid: int) -> ScalarType | None:
    """What the client says of a parameter; 0, and `unknown`, leave it to inference."""
    if oid in (0, UNKNOWN_OID):
        return None
    type_ = type_from_oid(oid)
    if type_ is None:
        raise Unsupported(
            f"a parameter has a type that is not supported (OID {oid})", hint="Cast it to text."
        )
    return type_
