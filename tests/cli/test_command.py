"""What is refused of any command's arguments before it does anything."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from ptvc.cli import app
from ptvc.cli.command import Command
from typer.testing import CliRunner

COMMANDS = typer.main.get_command(app)


def said(*arguments: object) -> tuple[int, str]:
    """The exit code, and what went wrong."""
    result = CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "200"})
    failed = result.exception is not None and not isinstance(result.exception, SystemExit)
    return result.exit_code, f"{result.output}{result.exception if failed else ''}"


def test_every_command_is_one_of_these() -> None:
    commands = dict(COMMANDS.commands)  # type: ignore[attr-defined]
    persist = commands.pop("persist")
    found = [*commands.values(), *persist.commands.values()]
    assert len(found) > 10
    assert all(isinstance(command, Command) for command in found)


@pytest.mark.parametrize(
    "arguments",
    [
        ("up", "--path", ""),
        ("up", "--path="),
        ("serve", "--host", ""),
        ("down", "--path", ""),
        ("status", "--path", ""),
        ("check", "--manifest", ""),
        ("check", "--state", ""),
        ("check", "-t", ""),
        ("watch", "--schema", "a", "--schema", ""),
        ("pack", ""),
        ("backups", ""),
        ("persist", "verify", "--path", ""),
    ],
)
def test_nothing_is_empty(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, output = said(*arguments)
    assert code == 2
    assert "it is empty." in output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("up", "--port", 1, "--port", 2),
        ("up", "--path", "a", "--path", "b"),
        ("serve", "--port", 1, "--port", 1),
        ("check", "-t", "a", "--target", "b"),
        ("check", "--json", "--json"),
        ("persist", "inspect", "--path", "a", "--path", "b"),
    ],
)
def test_nothing_is_given_twice(
    arguments: tuple[object, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, output = said(*arguments)
    assert code == 2
    assert "it is given more than once." in output
    assert list(tmp_path.iterdir()) == []


def test_what_may_be_repeated(tmp_path: Path) -> None:
    code, output = said("watch", "--schema", "a", "--schema", "b", "--once", "--path", tmp_path)
    assert code == 1
    assert "no runtime serves" in output


def test_keys_are_not_left_out_unseen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    backup = ("backup", tmp_path / "place", "--path", tmp_path / "none")
    code, output = said(*backup, "--secrets-key-file", tmp_path / "keys")
    assert code != 0
    assert "--secrets-key-file names what --with-keys puts into a backup" in output
    monkeypatch.setenv("PTVC_SECRETS_KEY_FILE", str(tmp_path / "keys"))  # as a runtime beside it has it
    assert "holds no environment" in said(*backup)[1]


def test_a_restore_into_its_own_place(tmp_path: Path) -> None:
    code, output = said("restore", tmp_path, "--path", tmp_path)
    assert code != 0
    assert output.startswith(f'cannot restore from "{tmp_path}", which is in the runtime')
