"""The vocabulary: the classes of which messages are made, each with a number.

Nothing else is ever made of what arrives.  It is what can be reached from the messages by the annotations of fields
(tests/replica/test_vocabulary.py).  A module is imported when a class of it is first met.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from .values import ProtocolError

_ROOT = __package__.removesuffix(".replica.protocol")

VOCABULARY = {
    "replica.protocol.addresses": "TcpAddress UnixAddress",
    "replica.protocol.commits": "Append Appended ChangesOf Import Progress Updates",
    "replica.protocol.connectors": (
        "FormerInput Ingest IngestProgress Ingested InstallSink InstallSource SetOutputs SinkBehind SinkDescription SinkProgress "
        "SourceDescription SourceOutput UpsertState"
    ),
    "replica.protocol.dataflows": (
        "Adopt CheckpointPublished Checkpointed DataflowStatistics Halt Hydrated IndexOutput InstallDataflow LargeSteps "
        "LimitMemory Repoint StateLost StateOptions Status Uninstall ViewOutput"
    ),
    "replica.protocol.jobs": "CancelJob JobFinished JobProgress ReadShares RunJob RunTasks SharesRead StateRuns StepEnded StepJob",
    "replica.protocol.peek_messages": (
        "CancelPeek LargeQueries LookUp LookUpStored LookUpView LookedUp Peek PeekFailed PeekIndex PeekRows StoredChange"
    ),
    "replica.protocol.processes": "DriverHello DriverWelcome MachineSilent ReplicaProcesses ReplicaWaits StartReplica StopReplica",
    "replica.protocol.subscriptions": "SubscriptionOutput",
    "compute.checkpoint": "Checkpoint",
    "compute.dataflow": "OperatorStatistics",
    "compute.partitioned.totals": "PartStatistics WorkerStatistics",
    "compute.plan": (
        "AggregateOp ArrangeOp AssertSingleOp ConstantOp DataflowPlan DistinctOp EnterOp FeedbackOp FlatMapOp Import IterateOp "
        "JoinOp LookupOp Mfp NegateOp Node ReduceOp TemporalFilterOp ThresholdOp TimeBound TopKOp UnionOp WindowCallOp WindowOp"
    ),
    "compute.run": "StoredRun",
    "compute.shared_files": "SharedRoot",
    "compute.spark.job": "Changes Step",
    "expr.tree.external_function": "ExternalFunction",
    "expr.tree.relation": (
        "Aggregate AssertSingle Binding Changes Constant Distinct Filter FlatMap Get Join LetRec LocalGet Map Negate OrderBy "
        "Project Reduce ScalarOrder TableCall Threshold TopK Union Window WindowCall"
    ),
    "expr.tree.scalar": "And Call Case Cast Coalesce ColumnRef ExternalCall Literal MzNow NowCompare Or Parameter PerExecution",
    "expr.tree.windows": "Bound Frame",
    "persist.key_search": "KeySearch",
    "persist.part": "PartRef",
    "persist.part_stats": "ColumnStats PartStats",
    "repr.schema": "Column Origin Schema",
    "repr.types": "ScalarType",
    "storage.connections.options": "ConnectionOptions SecretRef",
    "storage.connections.values": "Values",
    "storage.connectors": "AskedOutput",
    "storage.export.tasks": "AnswerFile FileWriting WrittenFile WrittenFiles",
    "storage.projection": "Projection",
    "storage.row_filter": "RowFilter",
    "storage.row_retention": "RowRetention",
    "storage.share_reading": "ShareReader WrittenShare",
    "storage.shares": "Piece Share ShareRead",
    "storage.source.file_shares": "Extent",
    "storage.source.s3.bucket": "Found",
}
"""By module, under the package."""

_NAMES = [(f"{_ROOT}.{module}", name) for module, names in VOCABULARY.items() for name in names.split()]
_NUMBERS = {name: number for number, name in enumerate(_NAMES)}


@cache
def number_of(cls: Any) -> int:
    number = _NUMBERS.get((cls.__module__, cls.__qualname__))
    if number is None:
        raise TypeError(f"{cls.__qualname__} is not in the vocabulary of messages")
    return number


def class_of(number: int) -> Any:
    if not 0 <= number < len(_NAMES):
        raise ProtocolError(f"there is no class {number} in the vocabulary of messages")
    return _class_of(number)


@cache
def _class_of(number: int) -> Any:
    module, name = _NAMES[number]
    return getattr(import_module(module), name)


def classes() -> list[Any]:
    """All of them."""
    return list(map(_class_of, range(len(_NAMES))))
