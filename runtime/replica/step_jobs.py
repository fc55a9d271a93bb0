"""Which steps of the dataflows are made by Spark jobs: the large ones, of dataflows that have begun and can have them."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from .installed import Installed
from .step_under_way import StepUnderWay

logger = logging.getLogger(__name__)


class StepJobs:
    """Steps of `min_rows` updates or more are jobs; None: no step is."""

    def __init__(self) -> None:
        self.min_rows: int | None = None
        self._begun: list[StepUnderWay] = []

    def begin(self, installed: Installed, upper: int) -> bool:
        """Begins the step to `upper` as a job if it is large.  The first one of a dataflow that has no state is not."""
        state, dataflow = installed.state, installed.dataflow
        if self.min_rows is None or state is None or dataflow.upper == dataflow.as_of:
            return False
        rows = installed.rows_waiting(upper)
        if rows < max(self.min_rows, 1):
            return False
        if installed.never_by_job is not None:
            logger.info("a step of %s over %d rows is no job: %s", installed.id, rows, installed.never_by_job)
            return False
        inputs = installed.take(upper)
        if not inputs:
            return False
        installed.under_way = StepUnderWay(installed.id, dataflow, state, inputs, upper)
        self._begun.append(installed.under_way)
        return True

    def begun(self) -> Iterator[StepUnderWay]:
        """The steps that are to be handed over to jobs, each once."""
        begun, self._begun = self._begun, []
        yield from begun
