"""A bare incremental engine: what a step costs when nothing but the algebra is done.

Spines of hash-sorted runs over plain Arrow tables, merged inside the step; no errors, no NULLs, no types but int64
keys, one time per step.  The runtime's steps are reported as ratios to these, measured in turns in the same run, so
that the ratio says what generality costs and not how busy the machine was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from ptvc.expr.tree.relation import GlobalId
from ptvc.repr.batch import Batch

from .workloads import CUSTOMERS, ORDERS, Workload

Hashes = npt.NDArray[np.uint64]
Merge = Callable[[pa.Table], pa.Table]

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(32)


def hashed(column: pa.ChunkedArray) -> Hashes:
    words: Hashes = column.to_numpy().astype(np.uint64) * _FACTOR
    words ^= words >> _SHIFT
    words *= _FACTOR
    return words


class Spine:
    """Tables sorted by the hash of their column `key`, each at least twice as long as the next."""

    def __init__(self, key: str, merge: Merge | None = None) -> None:
        self._key = key
        self._merge = merge
        self._runs: list[tuple[Hashes, pa.Table]] = []

    def insert(self, table: pa.Table) -> None:
        self._runs.append(self._sorted(table))
        while len(self._runs) > 1 and len(self._runs[-2][0]) < 2 * len(self._runs[-1][0]):
            (_, older), (_, newer) = self._runs[-2:]
            both = pa.concat_tables([older, newer])
            self._runs[-2:] = [self._sorted(self._merge(both) if self._merge else both)]

    def _sorted(self, table: pa.Table) -> tuple[Hashes, pa.Table]:
        hashes = hashed(table[self._key])
        order = np.argsort(hashes, kind="stable")
        return hashes[order], table.take(pa.array(order)).combine_chunks()

    def probe(self, keys: pa.ChunkedArray) -> Iterator[tuple[pa.Array, pa.Table]]:
        """(positions in `keys`, rows) of equal hashes, run by run."""
        hashes = hashed(keys)
        for run, table in self._runs:
            low, high = run.searchsorted(hashes, "left"), run.searchsorted(hashes, "right")
            counts = high - low
            total = int(counts.sum())
            if total:
                ends = np.cumsum(counts)
                rows = np.arange(total) + np.repeat(low - (ends - counts), counts)
                yield pa.array(np.repeat(np.arange(len(hashes)), counts)), table.take(pa.array(rows))


class Join:
    """Orders with their customers; both sides arranged by customer."""

    def __init__(self) -> None:
        self._orders, self._customers = Spine("customer"), Spine("customer")

    def hydrate(self, orders: pa.Table, customers: pa.Table) -> pa.Table:
        self._customers.insert(customers)
        return self.step(orders)

    def step(self, orders: pa.Table) -> pa.Table:
        found = []
        for positions, rows in self._customers.probe(orders["customer"]):
            left = orders.take(positions)
            pairs = left.append_column("segment", rows["segment"])
            pairs = pairs.set_column(
                pairs.column_names.index("diff"), "diff", pc.multiply(left["diff"], rows["diff"])
            )
            found.append(pairs.filter(pc.equal(left["customer"], rows["customer"])))
        self._orders.insert(orders)
        return pa.concat_tables(found)


class SumBy:
    """count and sum of `amount` by `keys`, the first of which is hashed."""

    def __init__(self, keys: list[str]) -> None:
        self._keys = keys
        self._state = Spine(keys[0], lambda table: self._add_up(table, "orders", "total"))

    def _add_up(self, table: pa.Table, count: str, total: str) -> pa.Table:
        sums = table.group_by(self._keys, use_threads=False).aggregate([(count, "sum"), (total, "sum")])
        return sums.rename_columns([*self._keys, "orders", "total"])

    def step(self, changes: pa.Table) -> pa.Table:
        weighted = changes.append_column("weighted", pc.multiply(changes["amount"], changes["diff"]))
        delta = self._add_up(weighted, "diff", "weighted")
        before = [rows for _, rows in self._state.probe(delta["customer"])]
        old = self._add_up(pa.concat_tables([delta.slice(0, 0), *before]), "orders", "total")
        self._state.insert(delta)
        new = self._add_up(pa.concat_tables([old, delta]), "orders", "total")
        old, new = (table.filter(pc.greater(table["orders"], 0)) for table in (old, new))
        return _signed(old, new)


class Extremes:
    """min and max of `amount` by customer, from all amounts of the touched customers."""

    def __init__(self) -> None:
        self._values = Spine("customer", self._counted)

    @staticmethod
    def _counted(table: pa.Table) -> pa.Table:
        counts = table.group_by(["customer", "amount"], use_threads=False).aggregate([("diff", "sum")])
        counts = counts.rename_columns(["customer", "amount", "diff"])
        return counts.filter(pc.not_equal(counts["diff"], 0))

    def _extremes(self, values: pa.Table) -> pa.Table:
        grouped = self._counted(values).group_by("customer", use_threads=False)
        return grouped.aggregate([("amount", "min"), ("amount", "max")])

    def step(self, changes: pa.Table) -> pa.Table:
        changes = changes.select(["customer", "amount", "diff"])
        touched = pc.unique(changes["customer"])
        held = [rows for _, rows in self._values.probe(pa.chunked_array([touched]))]
        before = pa.concat_tables([changes.slice(0, 0), *held])
        self._values.insert(changes)
        return _signed(self._extremes(before), self._extremes(pa.concat_tables([before, changes])))


def _signed(old: pa.Table, new: pa.Table) -> pa.Table:
    """Retractions of `old`, insertions of `new`."""
    diffs = np.repeat(np.array((-1, 1)), (len(old), len(new)))
    return pa.concat_tables([old, new]).append_column("diff", pa.array(diffs))


class Reference:
    """One workload with integer keys, as the runtime's `Dataflow` would run it."""

    def __init__(self, workload: Workload) -> None:
        if workload.reference != workload.name:
            raise ValueError(f"the reference does not know {workload.name}")
        self._workload = workload
        self._join = Join() if workload.joins else None
        keys = ["customer", "segment"] if workload.joins else ["customer"]
        self._reduce: SumBy | Extremes = Extremes() if "min(" in workload.query else SumBy(keys)

    def hydrate(self, inputs: Mapping[GlobalId, Batch]) -> Batch:
        orders = _table(inputs[ORDERS], self._workload.orders.names)
        if self._join is not None:
            orders = self._join.hydrate(orders, _table(inputs[CUSTOMERS], self._workload.customers.names))
        return _batch(self._reduce.step(orders))

    def step(self, change: Batch) -> Batch:
        orders = _table(change, self._workload.orders.names)
        if self._join is not None:
            orders = self._join.step(orders)
        return _batch(self._reduce.step(orders))


def _table(batch: Batch, names: tuple[str, ...]) -> pa.Table:
    return pa.table([*batch.columns, pa.array(batch.diffs)], names=[*names, "diff"])


def _batch(table: pa.Table) -> Batch:
    table = table.combine_chunks()
    columns = [c.chunk(0) if c.num_chunks else pa.array([], c.type) for c in table.columns]
    return Batch(tuple(columns[:-1]), np.zeros(len(table), np.uint64), columns[-1].to_numpy())
