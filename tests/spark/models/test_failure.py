"""Where a model went wrong, as the user reads it."""

from __future__ import annotations

from pathlib import Path

import pytest
from ptvc.errors import Unsupported
from ptvc.spark.models.failure import Failure, failure_of

CODE = "def model():\n    helper()\n\n\ndef helper():\n    {action}\n"


def failure(tmp_path: Path, action: str) -> Failure:
    file = tmp_path / "model.py"
    code = CODE.format(action=action)
    file.write_text(code)
    names: dict[str, object] = {"Unsupported": Unsupported, "where": str(file)}
    exec(compile(code, str(file), "exec"), names)
    with pytest.raises(BaseException) as caught:  # noqa: PT011
        names["model"]()  # type: ignore[operator]
    return failure_of(caught.value, str(file))


def test_the_innermost_line_of_the_file(tmp_path: Path) -> None:
    found = failure(tmp_path, "int('x')")
    assert (found.line, found.code) == (6, "int('x')")
    assert found.message == "ValueError: invalid literal for int() with base 10: 'x'"
    assert "Traceback" in found.trace


def test_an_error_of_ours_says_what_to_do(tmp_path: Path) -> None:
    found = failure(tmp_path, "raise Unsupported('no', hint='do that')")
    assert found.message == "no\nHINT: do that"


def test_a_package_that_is_missing(tmp_path: Path) -> None:
    assert "-m pip install no_such_package" in failure(tmp_path, "import no_such_package.part").message


def test_a_traceback_of_a_worker(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text("one\ntwo\n")
    trace = (
        "[UDF_ERROR] An exception was thrown\nTraceback (most recent call last):\n"
        f'  File "/else.py", line 7, in run\n  File "{file}", line 2, in f\nKeyError: 0\n\n\tat org.apache.spark'
    )
    found = failure_of(RuntimeError(trace), str(file))
    assert (found.line, found.code, found.message) == (2, "two", "KeyError: 0")


def test_a_plan_is_left_out(tmp_path: Path) -> None:
    text = "[UNRESOLVED_COLUMN] no such column;\n'Project ['nope]\n+- Range\n\n\nJVM stacktrace:\n\tat org"
    found = failure_of(RuntimeError(text), str(tmp_path / "m.py"))
    assert (found.line, found.message) == (None, "RuntimeError: [UNRESOLVED_COLUMN] no such column")
