"""`ptvc serve` with keys in its environment or in a file that is named: no process that it starts has them, no log a secret."""

from __future__ import annotations

import base64
from pathlib import Path

import psycopg
import pytest
from ptvc.cli import app
from typer.testing import CliRunner

from .conftest import running

KEY = base64.b64encode(bytes(range(32))).decode()
VALUE = "Xq7Lw0kZb3Vn9Rt5"


def environment(pid: int) -> bytes:
    return Path(f"/proc/{pid}/environ").read_bytes()


@pytest.mark.slow
def test_keys_of_the_environment_stay_in_the_coordinator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTVC_SECRETS_KEY", KEY)
    with running(options=("--verbose",)) as runtime:
        runtime.eventually(lambda: len(runtime.children()["driver"]) > 0)
        with runtime.connect() as db:
            db.execute(f"CREATE SECRET s AS '{VALUE}'".encode())
            for wrong in (f"CREATE SECRET t '{VALUE}'", f"CREATE SECRET t AS '{VALUE}'::int"):
                with pytest.raises(psycopg.Error):
                    db.execute(wrong.encode())
        assert not (runtime.directory / "secrets.key").exists()
        children = runtime.everything() - {runtime.process.pid}
        assert children
        for pid in children:
            assert KEY.encode() not in environment(pid)
        runtime.kill()
        runtime.start()
        assert runtime.run("SHOW SECRETS") == [("s",)]
        runtime.stop()
        for path in runtime.directory.rglob("*"):
            if path.is_file():
                data = path.read_bytes()
                assert VALUE.encode() not in data, path
                assert KEY.encode() not in data, path


def test_a_file_that_is_named(tmp_path: Path) -> None:
    file = tmp_path / "keys"
    arguments = ["serve", "--path", str(tmp_path / "environment"), "--secrets-key-file", str(file)]
    refused = CliRunner().invoke(app, arguments)
    assert "there is no key file" in str(refused.exception)
    file.write_text(KEY)
    file.chmod(0o640)
    refused = CliRunner().invoke(app, arguments)
    assert "may be read by others" in str(refused.exception)
    file.chmod(0o600)
    with running(options=("--secrets-key-file", str(file))) as runtime:
        runtime.run(f"CREATE SECRET s AS '{VALUE}'")
        assert not (runtime.directory / "secrets.key").exists()
