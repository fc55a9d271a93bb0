"""In CI a part that is missing is a failure, not a skip.

With `PTVC_CI` set, a test that is skipped fails, unless the reason is one of `ALLOWED`: so CI cannot be green because
a client program or a package was not installed.
"""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest

VARIABLE = "PTVC_CI"

ALLOWED = (
    "no file system can be mounted here",  # a right of the process
    "no network namespaces can be made here",  # likewise: root has it, a container need not
    "threads have no priority of their own",  # on Linux they have
    "needs executors in processes of their own",  # test_local_cluster.py runs it in such
    "no helm here",  # what it makes of the chart is kept, with a digest of the chart (tests/deploy/render.py)
    "no copies of dbt packages",  # which a developer places in a folder of their own
    "a view is up to date without a refresh",  # a test of dbt's that another one replaces
)
"""Beginnings of the reasons that hold wherever CI may run: the platform, not a part that can be installed."""


def reason_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Why it was skipped, as the test gives it."""
    assert isinstance(report.longrepr, tuple)
    return report.longrepr[2].removeprefix("Skipped: ")


def _fails(report: pytest.TestReport | pytest.CollectReport) -> None:
    if not os.environ.get(VARIABLE) or report.outcome != "skipped" or hasattr(report, "wasxfail"):
        return
    reason = reason_of(report)
    if not reason.startswith(ALLOWED):
        report.outcome = "failed"
        report.longrepr = f"skipped, and {VARIABLE} is set: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _fails(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _fails(report)
    return report
