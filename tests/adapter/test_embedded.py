from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ptvc import embedded

REAL_PYTHON = sys.executable


@pytest.fixture
def fake_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An interpreter that records what it is called with and does what `script` says."""
    program = tmp_path / "python"
    monkeypatch.setattr(embedded.sys, "executable", str(program))
    monkeypatch.setattr(embedded, "_ready", {})
    return program


def write_program(program: Path, body: str) -> None:
    program.write_text(f"#!{REAL_PYTHON}\nimport sys, json, pathlib\n{body}\n")
    program.chmod(0o755)


STARTS = """
folder = pathlib.Path(sys.argv[sys.argv.index('--path') + 1])
folder.mkdir(parents=True, exist_ok=True)
with (folder / 'calls').open('a') as file:
    file.write(' '.join(sys.argv[1:]) + '\\n')
(folder / 'runtime.json').write_text(
    json.dumps({'host': '127.0.0.1', 'port': 7001, 'pid': 42, 'version': '0.1.0'}))
print('ready')
"""


def test_starts_once_per_process(fake_python: Path, tmp_path: Path) -> None:
    write_program(fake_python, STARTS)
    folder = tmp_path / "state"
    runtime = embedded.ensure_running(folder, 30)
    assert runtime == embedded.EmbeddedRuntime("127.0.0.1", 7001, 42, "0.1.0")
    assert embedded.ensure_running(folder, 30) is runtime
    assert (folder / "calls").read_text() == f"-P -m ptvc up --path {folder}\n"


def test_starts_again_when_asked_to_look_again(fake_python: Path, tmp_path: Path) -> None:
    write_program(fake_python, STARTS)
    folder = tmp_path / "state"
    embedded.ensure_running(folder, 30)
    embedded.ensure_running(folder, 30, fresh=True)
    assert len((folder / "calls").read_text().splitlines()) == 2


def test_who_needs_it_waits_for_the_start_that_has_begun(fake_python: Path, tmp_path: Path) -> None:
    write_program(fake_python, f"import time; time.sleep(0.3)\n{STARTS}")
    folder = tmp_path / "state"
    embedded.start_early(folder, 30)
    embedded.ensure_running(folder, 30)
    assert len((folder / "calls").read_text().splitlines()) == 1


def test_an_early_start_that_fails_is_tried_again_by_who_needs_it(fake_python: Path, tmp_path: Path) -> None:
    write_program(fake_python, "print('port 6875 is in use', file=sys.stderr); sys.exit(3)")
    embedded._begin(tmp_path / "state", 30)
    write_program(fake_python, STARTS)
    assert embedded.ensure_running(tmp_path / "state", 30).port == 7001


def test_a_failed_start_shows_the_reason_and_the_command(fake_python: Path, tmp_path: Path) -> None:
    write_program(fake_python, "print('port 6875 is in use', file=sys.stderr); sys.exit(3)")
    with pytest.raises(DbtRuntimeError, match=r"exit code 3") as caught:
        embedded.ensure_running(tmp_path / "state", 30)
    assert "port 6875 is in use" in str(caught.value)
    assert "-m ptvc up --path" in str(caught.value)


def test_a_slow_start_names_the_setting(fake_python: Path, tmp_path: Path) -> None:
    write_program(fake_python, "import time; time.sleep(60)")
    with pytest.raises(DbtRuntimeError, match=r"Raise `start_timeout`"):
        embedded.ensure_running(tmp_path / "state", 0.2)


def test_a_path_that_is_a_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(DbtRuntimeError, match="is a file"):
        embedded.ensure_running(file, 1)


@pytest.mark.parametrize("content", ["", "[]", json.dumps({"host": "h"})])
def test_a_broken_runtime_file_names_the_remedy(tmp_path: Path, content: str) -> None:
    (tmp_path / "runtime.json").write_text(content)
    with pytest.raises(DbtRuntimeError, match="ptvc down --path"):
        embedded.read_runtime_file(tmp_path)
