"""One model, from its code to its rows."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, fields
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from .channel import Channel, Message
from .inputs import Inputs
from .result import result_of
from .session import Application

RELATIONS = "_ptvc_relations"
STAGING = "_ptvc_staging"
"""Names that dbt's macros set in the model's code: what it refers to, and the table for its result."""


@dataclass(frozen=True)
class Job:
    """`code` is the user's, with what dbt has put behind it; `file` the name under which it is compiled, so that line n is line n of
    it.  `stores` are options of the data source, None if they are out of reach; `settings` are of Spark."""

    code: str
    file: str
    stores: Mapping[str, str] | None
    master: str | None
    settings: Mapping[str, str]

    @classmethod
    def of(cls, message: Message) -> Job:
        return cls(**{field.name: message[field.name] for field in fields(cls)})


def run(job: Job, channel: Channel, application: Application) -> None:
    """Raises whatever the model does."""
    program = compile(job.code, job.file, "exec", dont_inherit=True)
    linecache.checkcache(job.file)
    session = application.session(job.master, job.settings)
    # The name is of no module, so that Spark's tasks get the model's functions by value.
    names: dict[str, Any] = {"__name__": "dbt_model", "__file__": job.file, "spark": session}
    exec(program, names)
    relations = names.get(RELATIONS, [])
    inputs: Inputs
    dbt = names["dbtObj"](lambda relation: inputs.frame(relation))
    if dbt.is_incremental:
        if job.stores is not None:  # otherwise it is read only if it is asked for
            relations = [*relations, repr(dbt.this)]
        dbt.this = _existing(type(dbt.this), lambda relation: inputs.frame(relation), session)
    with closing(Inputs(session, channel, relations, job.stores)) as inputs:
        returned = names["model"](dbt, session)
        with result_of(returned, session) as result:
            channel.send("result", columns=result.columns, into=names[STAGING])
            channel.expect("proceed")
            for lines in result.lines:
                channel.send_rows(lines)
            channel.send("done", rows=result.rows)


def _existing(base: type, load: Callable[[str], DataFrame], session: SparkSession) -> Any:
    """`dbt.this`, which in a string is the name of a view of the session: `session.sql(f"select max(id) from {dbt.this}")`."""

    class This(base):  # type: ignore[misc]
        def __str__(self) -> str:
            name = f"{self.schema}.{self.identifier}"
            load(repr(self)).createOrReplaceTempView(f"`{name}`")
            return f"`{name}`"

    return This()
