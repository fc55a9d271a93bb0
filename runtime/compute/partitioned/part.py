"""A part of a dataflow: all its operators, over the rows of a range of hashes.

```
part 0:  level 0 ──┐       ┌── level 1 ──┐       ┌── ...   rows leave a level by part, and arrive in a later one;
part 1:  level 0 ──┴───────┴── level 1 ──┴───────┴── ...   each part waits until it has those of all others
```

The plan is cut where rows move (`plan.levels`), as for a Spark job.  Errors stay where they are until they come out, since how
often one is there has no meaning.  Two levels more there may be: one before all others, in which each part reads a share of what is
stored, and one behind them, in which equal rows of the output come together.  Within a level a loop has as many of its own as its iterations
take (`loop_part`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...expr.tree.relation import GlobalId
from ...interrupt import check_interrupt
from ...memory import check_step_memory
from ...repr.batch import NO_ERRORS, Batch, Delta, concat_batches, concat_deltas, empty_batch, repeated
from ...repr.consolidate import consolidate
from ...repr.schema import Schema
from ..dataflow import Dataflow
from ..operators.loops.iterate import Iterate
from ..operators.reductions.reduce import Reduce
from ..plan import EVERYWHERE, DividedIterateOp, Exchange, Import, Node
from ..run import Run
from ..run_store import INDEX_RUNS, StateId
from ..spark.exchange import split
from ..spark.topology import Topology
from ..spine import Spine
from .loop_part import LoopPart
from .passing import Going, Passing, Piece
from .placement import Division
from .row_format import Crossing, from_buffer, to_buffer
from .split_keys import COUNTS, SplitKeys
from .state_placement import everywhere
from .totals import Totals
from .ways import Ways


@dataclass(frozen=True, slots=True)
class Read:
    """What a part has read of an import's stored updates; `summed`: equal rows are to be added up."""

    position: int
    delta: Delta
    summed: bool


class Part(Dataflow):
    """The part number `part` of `parts`.  Imports go by their position, as what is imported may be called otherwise later."""

    def __init__(
        self, division: Division, as_of: int, part: int, parts: int, *, arranged: bool = False
    ) -> None:
        plan = division.plan
        super().__init__(plan, as_of, arranged=arranged, part=part, output_number=division.operators)
        self._part = part
        self._parts = parts
        self.totals = Totals()
        self.dealt: tuple[Exchange, ...] = tuple(
            EVERYWHERE if id_ in division.broadcast.imports else division.dealt.get(id_)
            for id_ in plan.imports
        )
        self.import_schemas = tuple(map(plan.import_schema, plan.imports))
        self._output_lies = division.output_lies
        self._output_lies_unsplit = division.output_lies_unsplit
        self._loops: dict[int, LoopPart] = {}
        for node, operator in zip(plan.nodes, self._operators, strict=True):
            if isinstance(node.op, DividedIterateOp):
                assert isinstance(operator, Iterate)
                self._loops[node.id] = LoopPart(node.op, operator, part, parts, self.received)
        topology = Topology(plan, first=False)
        self._levels = topology.levels
        self._ways = Ways(division, topology)
        self._in_place = {
            id_: operator for id_ in division.in_place if isinstance(operator := self._operators[id_], Reduce)
        }
        self._split_keys = SplitKeys(division, topology, parts)
        self._state |= self._split_keys.spines
        self.everywhere = everywhere(division, self._state)
        """State of which each part has all rows."""
        self.index: Spine | None = None
        """The part's rows of an index.  Those of the first part its owner holds, with all that there is to say of the index."""
        if division.index_key is not None and part:
            self.index = self._state[self.output_number, INDEX_RUNS] = Spine(
                self.output_schema, division.index_key
            )
        self._leaving = [
            [number for number, way in enumerate(self._ways.all) if way.sums is None and way.leaves == level]
            for level in range(len(self._levels))
        ]
        self._read_last = dict(topology.level_of)
        for edge in topology.edges:
            if edge.exchange is None:
                at = topology.level_of[edge.consumer]
                self._read_last[edge.producer] = max(self._read_last[edge.producer], at)
        self._import_levels = [topology.import_level[id_] for id_ in plan.imports]
        self.has_more = True
        """Whether the part has anything to do in later levels of a step, but for what comes of others."""

    @property
    def moves(self) -> bool:
        """Whether rows may move between what they are dealt out to and what they come out of."""
        return len(self._levels) > 1 or bool(self._loops)

    def is_last(self, level: int) -> bool:
        """Whether it is known that nothing moves at the end of a level.  In a loop nobody knows how many there are."""
        return level == len(self._levels) - 1 and not self._loops

    def level_by_level(
        self,
        inputs: Mapping[int, Delta],
        lower: int,
        upper: int,
        *,
        read: Callable[[], Iterable[Read]] | None = None,
        gather: bool = False,
    ) -> Going:
        """A step over this part's share of the inputs; with `read`, of stored ones, too, which are dealt out before all else, by key.  The output
        is not consolidated, errors are there as often as they occur; with `gather`, equal rows of it are in one part."""
        if read is not None:
            inputs = yield from self._met(inputs, read())
        named = {self.plan.imports[at]: delta for at, delta in inputs.items()}
        output = yield from self._through_levels(named, lower, upper)
        if gather and not self.output_lies:
            output = yield from self._gathered(output)
        return output

    def _through_levels(self, inputs: Mapping[GlobalId, Delta], lower: int, upper: int) -> Going:
        first = lower == self.as_of
        self._upper = upper
        self._next_due = None
        results = list(self._nothing)
        arrived: dict[int, list[Delta]] = {}
        for level, ids in enumerate(self._levels):
            for id_ in ids:
                if id_ in self._loops:
                    results[id_] = yield from self._through_loop(id_, results, arrived, lower, upper)
                else:
                    results[id_] = self._at(id_, inputs, results, arrived, lower, upper, first)
            if level < len(self._levels) - 1:
                if first and self._split_keys.counts(level):
                    yield from self._chosen(level, results)
                sent = self._sent(level, results, arrived)
                self.has_more = first or self._has_more(level, inputs, results, arrived, upper)
                for pieces in (yield sent):
                    for number, buffer in pieces:
                        batch = self.received(self._ways.all[number].schema, buffer)
                        arrived.setdefault(number, []).append(Delta(batch, NO_ERRORS))
                self._free(level, results, arrived)
        for arranged in self._arranged:
            arranged.end_step()
        return results[self.plan.output]

    def _met(
        self, inputs: Mapping[int, Delta], found: Iterable[Read]
    ) -> Generator[Passing, Passing, Mapping[int, Delta]]:
        """The inputs with those rows of what all parts have read that belong here, and with the errors that this one has read.  What is
        not dealt out stays where it was read."""
        sent: list[list[Piece]] = [[] for _ in range(self._parts)]
        here: dict[int, list[Delta]] = {at: [delta] for at, delta in inputs.items()}
        summed, meets = set(), False
        for read in found:
            schema = self.import_schemas[read.position]
            by = self.dealt[read.position]
            meets |= by is not None
            if read.summed:
                summed.add(read.position)
            mine = here.setdefault(read.position, [])
            mine.append(Delta(empty_batch(schema), read.delta.errs))
            oks = read.delta.oks
            oks = Batch(oks.columns, oks.times, repeated(oks.diffs))  # as contents have them
            for part, rows in split(oks, by, self._parts, self._part):
                if part == self._part:
                    mine.append(Delta(rows, NO_ERRORS))
                else:
                    sent[part].append((read.position, to_buffer(schema, rows)))
        if meets:  # all parts read of the same imports
            for pieces in (yield sent):
                for at, buffer in pieces:
                    here.setdefault(at, []).append(
                        Delta(self.received(self.import_schemas[at], buffer), NO_ERRORS)
                    )
        whole = {at: concat_deltas(self.import_schemas[at], deltas) for at, deltas in here.items()}
        for at in summed:
            whole[at] = Delta(consolidate(whole[at].oks), consolidate(whole[at].errs))
        return whole

    def _gathered(self, output: Delta) -> Going:
        """The output with its rows by the hash of all columns."""
        schema = self.output_schema
        sent: list[list[Piece]] = [[] for _ in range(self._parts)]
        here = []
        for part, rows in split(output.oks, tuple(range(len(schema))), self._parts, self._part):
            if part == self._part:
                here.append(rows)
            else:
                sent[part].append((0, to_buffer(schema, rows)))
        for pieces in (yield sent):
            here += [self.received(schema, buffer) for _, buffer in pieces]
        return Delta(concat_batches(schema, here), output.errs)

    def _chosen(self, level: int, results: Sequence[Delta]) -> Generator[Passing, Passing, None]:
        """Chooses the keys that are split from now on."""
        mine = self._split_keys.counted(level, results)
        told = [(0, to_buffer(COUNTS, mine))] if len(mine) else []
        came = yield [told if part != self._part else [] for part in range(self._parts)]
        theirs = [from_buffer(COUNTS, buffer) for pieces in came for _, buffer in pieces]
        self._split_keys.choose([mine, *theirs])

    def load(self, runs: Mapping[StateId, Sequence[Run]], upper: int) -> None:
        super().load(runs, upper)
        self._split_keys.begin()

    @property
    def output_lies(self) -> bool:
        """Whether equal rows of the output come out in one part."""
        return self._output_lies or (self._output_lies_unsplit and not self._split_keys)

    @property
    def may_gather(self) -> bool:
        """Whether they may not, by the end of a step."""
        return not self._output_lies

    def _at(
        self,
        id: int,
        inputs: Mapping[GlobalId, Delta],
        results: Sequence[Delta],
        arrived: Mapping[int, Sequence[Delta]],
        lower: int,
        upper: int,
        first: bool,
    ) -> Delta:
        node, operator = self.plan.nodes[id], self._operators[id]
        if operator is None:
            assert isinstance(node.op, Import)
            return inputs.get(node.op.id, self._nothing[id])
        given = self._given_to(node, results, arrived)
        if isinstance(operator, Reduce) and node.exchange[0] is not None:
            numbers = self._ways.sums(id)
            sums = {name: [d.oks for d in arrived[at]] for name, at in numbers.items() if at in arrived}
            if sums:
                given = (Delta(operator.with_sums(given[0].oks, sums), given[0].errs),)
        return self._result(node, operator, given, lower, upper, first)

    def _given_to(
        self, node: Node, results: Sequence[Delta], arrived: Mapping[int, Sequence[Delta]]
    ) -> tuple[Delta, ...]:
        return tuple(
            results[i]
            if by is None
            else concat_deltas(self.plan.nodes[i].schema, arrived.get(self._ways.number(node.id, side), ()))
            for side, (i, by) in enumerate(zip(self._given[node.id], node.exchange, strict=False))
        )

    def _through_loop(
        self,
        id: int,
        results: Sequence[Delta],
        arrived: Mapping[int, Sequence[Delta]],
        lower: int,
        upper: int,
    ) -> Going:
        """A loop that is divided: all parts go through it, whether they have anything for it or not.  Its time is that in which it
        computes."""
        check_interrupt()
        given = self._given_to(self.plan.nodes[id], results, arrived)
        counter = self._counters[id]
        going, came = self._loops[id].step(given, lower, upper), None
        while True:
            begun = time.perf_counter()
            try:
                leaving = next(going) if came is None else going.send(came)
            except StopIteration as end:
                output: Delta = end.value
                break
            finally:
                counter.seconds += time.perf_counter() - begun
            self.has_more = True
            came = yield leaving
        if any(given) or output:
            counter.steps += 1
        counter.rows_in += sum(len(delta.oks) for delta in given)
        counter.rows_out += len(output.oks)
        check_step_memory(len(output.oks))
        return output

    def _sent(self, level: int, results: Sequence[Delta], arrived: dict[int, list[Delta]]) -> Passing:
        """What leaves the level for other parts; what stays has arrived."""
        sent: list[list[Piece]] = [[] for _ in range(self._parts)]
        for number in self._leaving[level]:
            way = self._ways.all[number]
            made = results[way.producer]
            if len(made.errs):
                arrived.setdefault(number, []).append(Delta(empty_batch(way.schema), made.errs))
            for at, part, batch in self._ways.moved(
                number, made.oks, self._parts, self._part, self._split_keys, self._in_place
            ):
                if part == self._part:
                    arrived.setdefault(at, []).append(Delta(batch, NO_ERRORS))
                else:
                    sent[part].append((at, to_buffer(self._ways.all[at].schema, batch)))
        return sent

    def _has_more(
        self,
        level: int,
        inputs: Mapping[GlobalId, Delta],
        results: Sequence[Delta],
        arrived: Mapping[int, Sequence[Delta]],
        upper: int,
    ) -> bool:
        imports = zip(self.plan.imports, self._import_levels, strict=True)
        return (
            any(at > level and inputs.get(id_) for id_, at in imports)
            or any(self._ways.all[number].last > level for number in arrived)
            or any(result and self._read_last[id_] > level for id_, result in enumerate(results))
            or any(operator.next_due() < upper for operator in self._waiting)
        )

    def _free(self, level: int, results: list[Delta], arrived: dict[int, list[Delta]]) -> None:
        """Lets go of what no later level reads."""
        for id_, last in self._read_last.items():
            if last <= level and id_ != self.plan.output:
                results[id_] = self._nothing[id_]
        for number in [n for n in arrived if self._ways.all[n].last <= level]:
            del arrived[number]

    def inputs_of(self, rows: Mapping[int, Crossing]) -> dict[int, Delta]:
        """The rows of imports, as they have crossed."""
        return {
            at: Delta(self.received(self.import_schemas[at], buffer), NO_ERRORS)
            for at, buffer in rows.items()
        }

    def received(self, schema: Schema, buffer: Crossing) -> Batch:
        """Rows as they have crossed, which count as received."""
        rows = from_buffer(schema, buffer)
        self.totals.rows_received += len(rows)
        return rows

    def summed(self, rows: Batch) -> Batch:
        """Rows of the output with equal ones added up."""
        return rows if self._consolidated else consolidate(rows)

    @property
    def output_schema(self) -> Schema:
        return self.plan.nodes[self.plan.output].schema

    @property
    def held_nbytes(self) -> int:
        """Bytes of state in memory."""
        return sum(spine.nbytes for spine in self._state.values())
