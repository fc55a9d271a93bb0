"""Plans that a session knows: by statement and types, as long as what they depend on is the same."""

from __future__ import annotations

from ptvc.coord.session.known_plans import KnownPlans
from ptvc.repr.types import INT2, INT4
from ptvc.sql.cache.plan_cache import Planned
from ptvc.sql.parser.parse import parse
from ptvc.sql.plans.session_plans import NoOp


def test_a_statement_is_known_with_each_type_of_its_parameter() -> None:
    """Of one client: psycopg sends 7 as a smallint and 70,000 as an integer."""
    known = KnownPlans(lambda: ())
    (statement,) = parse("SELECT * FROM t WHERE id = $1")
    made = [known.keep(statement, (type_,), Planned(NoOp("VACUUM"))) for type_ in (INT2, INT4)]
    assert [known.plan(statement, (type_,)) for type_ in (INT2, INT4)] == made
    assert None not in made


def test_nothing_is_known_once_what_plans_depend_on_is_another() -> None:
    state = [1]
    known = KnownPlans(lambda: tuple(state))
    (statement,) = parse("SELECT 1")
    assert known.keep(statement, (), Planned(NoOp("VACUUM"))) is not None
    assert known.plan(statement, ()) is not None
    state[0] = 2
    assert known.plan(statement, ()) is None
