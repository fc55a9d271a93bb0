"""Python models: their code runs in a process beside (`process`); their rows go into a temporary table.

What the process asks of SQL is answered here, on dbt's connection: it has none of its own.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import psycopg
from dbt.adapters.base.impl import PythonJobHelper
from dbt.adapters.events.logging import AdapterLogger
from dbt_common.exceptions import DbtRuntimeError
from packaging.requirements import InvalidRequirement, Requirement

from dbt.adapters.ptvc.connections import PtvcConnectionManager, project_directory
from dbt.adapters.ptvc.credentials import PtvcCredentials
from dbt.adapters.ptvc.python.process import Message, ProcessEndedError, PythonProcess, prepare, taken

logger = AdapterLogger("ptvc")

SUBMISSION_METHOD = "local"
_SENT_BYTES = 1 << 18


class _Failed(Exception):
    """The model has failed, and the process waits for the next one."""


@dataclass(frozen=True)
class PythonResult:
    """`rows` are in the temporary table."""

    rows: int


class PtvcPythonJob(PythonJobHelper):
    """One model of one run."""

    def __init__(
        self,
        parsed_model: dict[str, Any],
        credential: PtvcCredentials,
        connections: PtvcConnectionManager,
        say: Callable[[str], None],
    ) -> None:
        self._model = parsed_model
        self._config: Mapping[str, Any] = parsed_model["config"]
        self._credentials = credential
        self._connections = connections
        self._print = say
        self._name = parsed_model["alias"]
        self._shown = parsed_model["original_file_path"]
        self._file = model_file(connections.profile, parsed_model)
        self._timeout = _timeout(self._config.get("timeout"))
        self._deadline: float | None = None
        self._in_block = False

    def submit(self, compiled_code: str) -> PythonResult:
        """Run it.  DbtRuntimeError for what goes wrong in the model, with the line of its file."""
        check_packages(self._config.get("packages") or [])
        failure: Message = {}
        try:
            with taken(self._check_interrupted) as process:
                try:
                    return self._run(process, compiled_code)
                except _Failed as failed:
                    failure = failed.args[0]
        except ProcessEndedError as error:
            raise DbtRuntimeError(
                "the process that Python models run in has ended in the middle of the model. The system may have killed it for "
                "want of memory: see the log, and `spark.driver.memory` in `spark_config`."
            ) from error
        logger.debug(failure["trace"])
        raise DbtRuntimeError(self._explained(failure))

    def _run(self, process: PythonProcess, code: str) -> PythonResult:
        if self._timeout is not None:
            self._deadline = time.monotonic() + self._timeout
        text, file = _numbered(code, self._model["raw_code"], self._file)
        process.begin(
            code=text,
            file=file or self._shown,
            stores=self._credentials.store_options(),
            **_application(self._credentials, self._config),
        )
        try:
            result = self._followed(process, process.received(self._say, self._check))
        except _Failed:
            process.finish(self._say)
            raise
        finally:
            self._end_block()
        process.finish(self._say)
        return result

    def _followed(self, process: PythonProcess, messages: Iterator[Message | bytes]) -> PythonResult:
        for message in messages:
            assert isinstance(message, dict)
            match message["type"]:
                case "query":
                    self._answer(process, message["relation"], message["as_of"])
                case "queried":
                    self._end_block()
                case "result":
                    self._end_block()
                    return self._take(process, messages, message["into"], message["columns"])
                case "failed":
                    raise _Failed(message)
        raise AssertionError("messages have no end")

    # --- what the model reads --------------------------------------------------------------------------------------

    def _answer(self, process: PythonProcess, relation: str, as_of: int | None) -> None:
        """The rows of a relation, in a transaction that goes on: what else is asked for is of the same time."""
        handle = self._handle()
        at = "" if as_of is None else f" as of {as_of}"
        try:
            if not self._in_block:
                handle.execute("begin")
                self._in_block = True
            with handle.cursor() as cursor:
                cursor.execute(self._commented(f"select * from {relation} where false{at}"))
                process.send("columns", columns=_described(cursor))
            self._send_rows(process, f"copy (select * from {relation}{at}) to stdout")
        except psycopg.Error as error:
            self._end_block()
            process.send("refused", message=str(error).strip())

    def _send_rows(self, process: PythonProcess, sql: str) -> None:
        logger.debug(sql)
        pending, size = [], 0
        with self._handle().cursor() as cursor, cursor.copy(self._commented(sql)) as copy:
            for data in copy:
                pending.append(data)
                size += len(data)
                if size >= _SENT_BYTES:
                    process.send_rows(b"".join(pending))
                    pending, size = [], 0
        process.send_rows(b"".join(pending))
        process.send("end")

    def _end_block(self) -> None:
        if self._in_block:
            self._in_block = False
            with self._connections.exception_handler("rollback"):
                self._handle().execute("rollback")

    # --- what it returns -------------------------------------------------------------------------------------------

    def _take(
        self,
        process: PythonProcess,
        messages: Iterator[Message | bytes],
        into: str,
        columns: list[tuple[str, str]],
    ) -> PythonResult:
        definitions = ", ".join(f"{quoted(name)} {type_}" for name, type_ in columns)
        create = f"create temporary table {into} ({definitions})"
        handle = self._handle()
        logger.debug(create)
        with self._connections.exception_handler(create):
            handle.execute(self._commented(create))
        process.send("proceed")
        copy_in = f"copy {into} from stdin"
        with (
            self._connections.exception_handler(copy_in),
            handle.cursor() as cursor,
            cursor.copy(self._commented(copy_in)) as copy,
        ):
            for message in messages:
                if isinstance(message, bytes):
                    copy.write(message)
                elif message["type"] == "done":
                    return PythonResult(message["rows"])
                else:
                    raise _Failed(message)
        raise AssertionError("messages have no end")

    def _handle(self) -> psycopg.Connection[Any]:
        handle: psycopg.Connection[Any] = self._connections.get_thread_connection().handle
        return handle

    def _commented(self, sql: str) -> str:
        text: str = self._connections._add_query_comment(sql)
        return text

    # --- what is said, and the end -----------------------------------------------------------------------------------

    def _say(self, line: str) -> None:
        self._print(f"[{self._name}] {line}")

    def _check(self) -> None:
        self._check_interrupted()
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise DbtRuntimeError(
                f"the model was not done after {self._timeout:g} s, and was stopped. Raise `timeout` in its config."
            )

    def _check_interrupted(self) -> None:
        if self._connections.interrupted.is_set():
            raise DbtRuntimeError("stopped: the model's table is as it was.")

    def _explained(self, failure: Message) -> str:
        message: str = failure["message"]
        if failure["line"] is None:
            return message
        code = f": {failure['code']}" if failure["code"] else ""
        return f"{self._shown}, line {failure['line']}{code}\n{message}"


def _described(cursor: psycopg.Cursor[Any]) -> list[tuple[str, int, int]]:
    """Name, OID and modifier of each column."""
    result = cursor.pgresult
    assert result is not None
    names = [(result.fname(i) or b"").decode() for i in range(result.nfields)]
    return [(name, result.ftype(i), result.fmod(i)) for i, name in enumerate(names)]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _timeout(value: object) -> float | None:
    """Seconds."""
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool) or value <= 0:
        raise DbtRuntimeError(f"`timeout: {value}` is no number of seconds.")
    return float(value)


def start_spark(nodes: Sequence[Any], credentials: PtvcCredentials) -> None:
    """Spark starts beside what a run makes before its first Python model: it takes seconds.  On a cluster it waits for the model: executors
    that do nothing are others' loss."""
    models = [node for node in nodes if getattr(node, "language", None) == "python"]
    if models:
        application = _application(credentials, min(models, key=lambda node: node.unique_id).config)
        if application["master"] is None or application["master"].startswith("local"):
            prepare(**application)


def _application(credentials: PtvcCredentials, config: Any) -> dict[str, Any]:
    """What a model asks of Spark."""
    settings = spark_settings(credentials.spark_config, config.get("spark_config"))
    return {"master": settings.pop("spark.master", credentials.spark_master), "settings": settings}


def spark_settings(*given: Mapping[str, Any] | None) -> dict[str, str]:
    """Of profile and model, the model's in front; as Spark spells values."""
    found = {}
    for settings in given:
        for name, value in (settings or {}).items():
            found[str(name)] = str(value).lower() if isinstance(value, bool) else str(value)
    return found


def model_file(profile: Any, model: Mapping[str, Any]) -> Path | None:
    """The file that the model is written in; None if it is not where it should be."""
    root = project_directory(profile)
    if model["package_name"] != getattr(profile, "project_name", model["package_name"]):
        packages = getattr(profile, "packages_install_path", "dbt_packages")
        root = root / packages / model["package_name"]
    file = root / model["original_file_path"]
    return file if file.is_file() else None


def _numbered(code: str, raw: str, file: Path | None) -> tuple[str, str | None]:
    """The code with as many lines above as the file has, which dbt has stripped off; and the file's name, if it is the code's."""
    if file is None:
        return code, None
    text = file.read_text(encoding="utf-8")
    if text.strip() != raw.strip():
        return code, None
    above = text[: len(text) - len(text.lstrip())].count("\n")
    return "\n" * above + code, os.fspath(file)


def check_packages(packages: list[str]) -> None:
    """Refuse what the interpreter that runs dbt does not have."""
    missing = []
    for text in packages:
        try:
            wanted = Requirement(text)
        except InvalidRequirement as error:
            raise DbtRuntimeError(
                f"`packages` of the model names {text!r}, which is no requirement: {error}"
            ) from error
        try:
            found = metadata.version(wanted.name)
        except metadata.PackageNotFoundError:
            missing.append((text, "is not installed"))
            continue
        if not wanted.specifier.contains(found, prereleases=True):
            missing.append((text, f"is installed as {found}"))
    if missing:
        what = "; ".join(f"{text} {state}" for text, state in missing)
        names = " ".join(f"'{text}'" for text, _ in missing)
        raise DbtRuntimeError(
            f"the model needs packages that dbt's Python does not have: {what}. "
            f"Install them: {sys.executable} -m pip install {names}"
        )
