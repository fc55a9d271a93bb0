"""Which statements are look-ups whatever their parameters: some columns of the rows that have a key of an index, or of a table.

Of such a one the index is chosen when it is executed for the second time, and not looked for again until the catalog changes: what an
execution has to do is to send the values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...expr.functions.comparison.comparison_keys import has_keys
from ...expr.tree.relation import Filter, Get, GlobalId, Project
from ...expr.tree.scalar import Call, ColumnRef, Literal, Parameter, Scalar
from ...repr.schema import Schema
from ...sql.plans.plans import PlannedStatement
from ...sql.plans.query_plans import Select
from ..catalog.catalog import Catalog
from ..catalog.items import Index, MaterializedView, Table
from ..catalog.views import own_writes_show
from .fixed_values import conjuncts, is_told_by_key
from .index_choice import chain_over
from .key_choice import TableKey, ViewColumns, table_keys
from .look_ups import Keys


@dataclass(frozen=True, slots=True)
class LookUpPlan:
    """`columns`, of `schema`, of the rows of `index`, of a table by one of its keys, or of a view by some of its columns, whose keys are the
    values of the parameters with these `numbers`, from 0.

    `bounds` are those of the keys that are integers: a parameter may be of a wider type.  `own` are the tables of which a transaction's own
    writes show in the rows: then it is more than a look-up.
    """

    index: Index | TableKey | ViewColumns
    numbers: tuple[int, ...]
    bounds: tuple[tuple[int, int] | None, ...]
    columns: tuple[int, ...]
    schema: Schema
    own: frozenset[GlobalId]

    def keys(self, values: Sequence[Literal]) -> Keys | None:
        """None for values that no key can be."""
        found = tuple([values[number].value] for number in self.numbers)
        for (value,), bounds in zip(found, self.bounds, strict=True):
            if value is None or (bounds is not None and not bounds[0] <= value <= bounds[1]):
                return None
        return found


def look_up_plan(planned: PlannedStatement, catalog: Catalog, cluster: str) -> LookUpPlan | None:
    """The look-up that a plan over parameters is, if it is one."""
    if not isinstance(planned, Select) or planned.as_of is not None:
        return None
    finishing = planned.finishing
    if finishing.order or finishing.limit is not None or finishing.offset:
        return None
    chain, node = chain_over(planned.relation)
    if not isinstance(node, Get) or not chain or not isinstance(chain[-1], Filter):
        return None
    columns = tuple(range(len(node.schema)))
    for outer in reversed(chain[:-1]):
        if not isinstance(outer, Project):
            return None
        columns = tuple(columns[i] for i in outer.indices)
    compared = _compared(conjuncts(chain[-1].predicates))
    if compared is None:
        return None
    for index, keys in (*_indexes(node, catalog, cluster), *_columns(node, compared, catalog, cluster)):
        if set(keys) != compared.keys() or len(keys) != len(compared):
            continue
        if not all(is_told_by_key(key.type) for key in keys):
            continue
        return LookUpPlan(
            index,
            tuple(compared[key] for key in keys),
            tuple(key.type.integer_bounds if key.type.is_integer else None for key in keys),
            tuple(columns[i] for i in finishing.indices),
            planned.schema,
            frozenset(own_writes_show(node, catalog)),
        )
    return None


def _indexes(
    node: Get, catalog: Catalog, cluster: str
) -> Iterator[tuple[Index | TableKey, tuple[Scalar, ...]]]:
    """By what rows can be looked up, and the expressions that are its keys: indexes come first."""
    for index in catalog.indexes_on(node.id):
        if index.cluster != cluster:
            continue
        if isinstance(index.relation, Get) and len(index.relation.schema) != len(node.schema):
            continue  # the table has gained a column since
        yield index, index.keys
    item = catalog.find_by_id(node.id)
    if isinstance(item, Table) and len(item.physical) == len(node.schema):
        for key in table_keys(item):
            columns = (node.schema[place] for place in key.columns)
            refs = zip(key.columns, columns, strict=True)
            yield key, tuple(ColumnRef(place, column.type, column.nullable) for place, column in refs)


def _columns(
    node: Get, compared: Iterable[Scalar], catalog: Catalog, cluster: str
) -> Iterator[tuple[ViewColumns, tuple[Scalar, ...]]]:
    """The columns themselves of a view that the cluster maintains."""
    item = catalog.find_by_id(node.id)
    if not isinstance(item, MaterializedView) or item.cluster != cluster:
        return
    columns = tuple(expression for expression in compared if isinstance(expression, ColumnRef))
    yield ViewColumns(node.id, tuple(column.index for column in columns)), columns


def _compared(predicates: Sequence[Scalar]) -> dict[Scalar, int] | None:
    """The expressions that are each equal to a parameter, whose number it is from 0; None if that is not all."""
    found: dict[Scalar, int] = {}
    for predicate in predicates:
        match predicate:
            case Call(function="eq", args=(Parameter() as parameter, left)):
                pass
            case Call(function="eq", args=(left, Parameter() as parameter)):
                pass
            case _:
                return None
        alike = left.type.arrow == parameter.type.arrow and not has_keys(parameter.type)
        if left in found or not (alike or (left.type.is_integer and parameter.type.is_integer)):
            return None
        found[left] = parameter.number - 1
    return found
