"""mz_internal: replicas, the processes that they are, and what these have done for each dataflow, and hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .state import State

Rows = Iterator[dict[str, Any]]


def mz_cluster_replica_statuses(state: State) -> Rows:
    for replica in state.controller.clusters:
        yield {
            "replica_id": replica.id,
            "process_id": replica.pid,
            "status": "online" if replica.connected.is_set() else "offline",
            "reason": replica.failure.message if replica.failure is not None else None,
        }


def mz_cluster_replica_workers(state: State) -> Rows:
    """What every process of every replica has used and sent to the others since it began."""
    for replica in state.controller.clusters:
        for number, worker in enumerate(replica.processes):
            yield {
                "replica_id": replica.id,
                "worker_id": number,
                "process_id": worker.process_id,
                "cpu_seconds": worker.cpu_s,
                "memory_bytes": worker.memory_bytes,
                "messages_sent": worker.messages_sent,
                "bytes_sent": worker.bytes_sent,
                "machine": worker.machine,
            }


def mz_dataflow_operators(state: State) -> Rows:
    """What every operator of every dataflow has done, and holds."""
    for replica in state.controller.clusters:
        for id_, statistics in replica.statistics.items():
            for operator in statistics.operators:
                yield {
                    "object_id": id_,
                    "replica_id": replica.id,
                    "node": operator.node,
                    "steps": operator.steps,
                    "rows_in": operator.rows_in,
                    "rows_out": operator.rows_out,
                    "seconds": operator.seconds,
                    "state_rows": operator.state_rows,
                    "state_bytes": operator.state_bytes,
                    "mapped_bytes": operator.mapped_bytes,
                }


def mz_dataflow_state(state: State) -> Rows:
    """What every dataflow holds in memory and in mapped files, and from where it would go on."""
    for replica in state.controller.clusters:
        for id_, statistics in replica.statistics.items():
            checkpoint = state.controller.checkpoints.get(id_, replica.name)
            yield {
                "object_id": id_,
                "replica_id": replica.id,
                "memory_bytes": statistics.memory_bytes,
                "mapped_bytes": statistics.mapped_bytes,
                "checkpoint_frontier": checkpoint.cut if checkpoint is not None else None,
            }


def mz_dataflow_workers(state: State) -> Rows:
    """What every worker that has a part of a dataflow has done for it, and holds."""
    for replica in state.controller.clusters:
        for id_, statistics in replica.statistics.items():
            for number, worker in enumerate(statistics.workers):
                process = replica.processes[number].process_id if number < len(replica.processes) else None
                yield {
                    "object_id": id_,
                    "replica_id": replica.id,
                    "worker_id": number,
                    "process_id": process,
                    "steps": worker.steps,
                    "rows_received": worker.rows_received,
                    "messages_sent": worker.messages_sent,
                    "bytes_sent": worker.bytes_sent,
                    "busy_seconds": worker.busy_s,
                    "waiting_seconds": worker.waiting_s,
                    "state_rows": worker.state_rows,
                    "memory_bytes": worker.memory_bytes,
                    "mapped_bytes": worker.mapped_bytes,
                }


def mz_dataflow_skew(state: State) -> Rows:
    """Of dataflows in several parts, how many times as much as a worker on average the one has that has the most."""
    for replica in state.controller.clusters:
        for id_, statistics in replica.statistics.items():
            workers = statistics.workers
            if len(workers) > 1:
                yield {
                    "object_id": id_,
                    "replica_id": replica.id,
                    "workers": len(workers),
                    "rows_received": _skew([worker.rows_received for worker in workers]),
                    "bytes_sent": _skew([worker.bytes_sent for worker in workers]),
                    "busy": _skew([worker.busy_s for worker in workers]),
                    "state_rows": _skew([worker.state_rows for worker in workers]),
                    "state_bytes": _skew([worker.memory_bytes + worker.mapped_bytes for worker in workers]),
                }


def _skew(values: Sequence[float]) -> float | None:
    """None: there is nothing of it."""
    total = sum(values)
    return max(values) * len(values) / total if total else None
