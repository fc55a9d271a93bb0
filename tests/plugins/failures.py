"""Failures are shown when they happen: a long run need not be waited for, and one that is ended has said what it found."""

from __future__ import annotations

import pytest

MOST_LINES = 40
"""Of a failure, which is shown whole in the end."""


class Failures:
    def __init__(self, terminal: pytest.TerminalReporter) -> None:
        self._terminal = terminal

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._terminal.ensure_newline()
            self._terminal.write_line(f"{report.when} failed: {report.nodeid}", red=True)
            self._terminal.write_line("\n".join(report.longreprtext.splitlines()[-MOST_LINES:]))


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Failures(terminal))
