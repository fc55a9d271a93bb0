"""The sample project at work: flights arrive, dbt builds, the views change while you watch.

    python demo.py [--seconds N] [--speed EVENTS_PER_SECOND] [--preload EVENTS] [--path DIR] [--data DIR] [--fresh]

The runtime goes on when the demo has ended, and another demo goes on from there.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg
    from arrivals import Arriving
    from rich.console import Console
    from watch import Seen

HERE = Path(__file__).resolve().parent
START_OVER_AT = 500_000  # of about 670,000 events: the year would end while you watch
STOP_TIMEOUT_S = 20.0
BUILT_MARK = "demo-built"
SOURCE = "flights"

HYDRATIONS = """
    SELECT o.name, o.type, h.hydrated, h.hydration_seconds, h.rows, h.spark_job_id
    FROM mz_internal.mz_hydration_statuses h JOIN mz_catalog.mz_objects o ON o.id = h.object_id
    ORDER BY o.name
"""
SOURCE_STATE = f"""
    SELECT t.status, t.error, s.records, s.lag_bytes
    FROM mz_internal.mz_source_statuses t LEFT JOIN mz_internal.mz_source_statistics s ON s.id = t.id
    WHERE t.name = '{SOURCE}'
"""


class DemoFailed(Exception):
    """A step did not work: what it was, and what to do."""


class Demo:
    """One run.  Whatever it has started is in `_children` and `_arriving`, so that `stop` ends it all."""

    def __init__(self, arguments: argparse.Namespace, console: Console) -> None:
        self.path: Path = arguments.path.absolute()
        self.data: Path = arguments.data.absolute()
        self._arguments = arguments
        self._console = console
        self._start = time.monotonic()
        self._children: list[subprocess.Popen[bytes]] = []
        self._arriving: Arriving | None = None
        self._environment = {
            **os.environ,
            "PTVC_PATH": str(self.path),
            "PTVC_SAMPLE_DATA": str(self.data),
            "PTVC_TARGET": "embedded",
            "PYTHONUNBUFFERED": "1",
        }

    def run(self) -> None:
        """Raises DemoFailed when a step does not work."""
        import flights_data
        import psycopg

        try:
            self._run()
        except flights_data.MissingData as error:
            raise DemoFailed(str(error)) from error
        except psycopg.Error as error:
            raise DemoFailed(
                f"the runtime says: {error}; its log is {_short(self.path)}/log/ptvc.log"
            ) from error

    def _run(self) -> None:
        import prepare
        from watch import watch

        self._start_over_if_needed()
        self._say(f"starting the runtime under {_short(self.path)}")
        runtime = self._spawn(sys.executable, "-m", "ptvc", "up", "--path", str(self.path), quiet=True)
        if any(not (HERE / "seeds" / f"{name}.csv").exists() for name in prepare.SEEDS):
            prepare.prepare(self.data, HERE / "seeds")
        (self.data / "flights").mkdir(parents=True, exist_ok=True)
        if not self._is_built():
            preload = self._arrive(speed=0.0, limit=self._arguments.preload)
            self._say("dbt creates the source that follows the file of flights")
            self._dbt("run", "--select", SOURCE)
            self._finish(runtime, "the runtime did not start")
            self._wait_for_source(preload)
            preload.join()
            self._raise_from(preload)
        live = self._arrive(speed=self._arguments.speed)
        self._say(f"flights go on arriving, {self._arguments.speed:,.0f} events a second; dbt builds")
        self._dbt("build")
        self._finish(runtime, "the runtime did not start")
        (self.path / BUILT_MARK).touch()
        built = time.monotonic() - self._start
        with self._connect() as connection:
            hydrations = connection.execute(HYDRATIONS).fetchall()
            self._report_hydrations(hydrations)
            self._say("the views follow while flights arrive")
            seen = watch(connection, live, self._arguments.seconds, self._console)
            live.stop()
            self._raise_from(live)
            self._report(connection, seen, hydrations, live.written, built)

    def stop(self) -> None:
        """Ends the replay and every process of this run, and waits for them.  The runtime is left alone."""
        if self._arriving is not None:
            self._arriving.stop()
        for child in self._children:
            if child.poll() is None:
                child.terminate()  # not SIGINT: it would answer with a traceback while it still imports
        for child in self._children:
            try:
                child.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()

    def how_to_stop(self) -> str | None:
        """The command that stops the runtime; None when none runs."""
        return f"{_command('ptvc')} down --path {_short(self.path)}" if self._runtime() is not None else None

    # -- steps --

    def _start_over_if_needed(self) -> None:
        """An environment and the file that it has read belong together; and the year comes to its end."""
        file = self.data / "flights" / "flights.jsonl"
        exists = self.path.exists(), file.exists()
        if exists == (False, False):
            return
        ended = file.exists() and _count_lines(file) > START_OVER_AT
        if exists == (True, True) and not ended and not self._arguments.fresh:
            return
        self._say("the year is over: it begins anew" if ended else "starting anew")
        if self.path.exists():
            down = self._spawn(sys.executable, "-m", "ptvc", "down", "--path", str(self.path), quiet=True)
            self._finish(down, "the old runtime does not stop")
            shutil.rmtree(self.path)
        shutil.rmtree(self.data, ignore_errors=True)

    def _is_built(self) -> bool:
        """Whether an earlier run has come so far that all of dbt's work was done once."""
        return (self.path / BUILT_MARK).exists()

    def _arrive(self, speed: float, limit: int | None = None) -> Arriving:
        from arrivals import Arriving

        self._arriving = Arriving(self.data, speed, limit)
        self._arriving.start()
        return self._arriving

    def _wait_for_source(self, preload: Arriving) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        total = self._arguments.preload
        with (
            self._connect() as connection,
            Progress(
                TextColumn("  events read"),
                BarColumn(),
                MofNCompleteColumn(),
                console=self._console,
                disable=not self._console.is_terminal,
            ) as progress,
        ):
            task = progress.add_task("events", total=total)
            said = time.monotonic()
            records = 0
            while preload.is_alive() or records < preload.written:
                self._raise_from(preload)
                for status, error, known, _ in connection.execute(SOURCE_STATE):
                    if status in ("stalled", "failed"):
                        raise DemoFailed(f"the source {SOURCE} is {status}: {error}")
                    records = known or 0
                progress.update(task, completed=records)
                if not self._console.is_terminal and time.monotonic() - said > 2:
                    said = time.monotonic()
                    self._console.print(
                        f"  {records:,} of {total:,} events read", highlight=False, soft_wrap=True
                    )
                time.sleep(0.1)
        self._console.print(f"  {records:,} events have been read", highlight=False, soft_wrap=True)

    def _report_hydrations(self, rows: list[tuple[Any, ...]]) -> None:
        for name, _, _, seconds, count, job in rows:
            if job is not None:
                self._console.print(
                    f"  {name} was hydrated by Spark job {job}: {count:,} rows in {seconds:.1f} s",
                    highlight=False,
                    soft_wrap=True,
                )

    def _report(
        self,
        connection: psycopg.Connection[Any],
        seen: Seen,
        hydrations: list[tuple[Any, ...]],
        written: int,
        built: float,
    ) -> None:
        views = [row for row in hydrations if row[1] == "materialized-view"]
        jobs = [row for row in views if row[5] is not None]
        total = connection.execute("SELECT count(*) FROM flights").fetchone()
        rate = seen.events / seen.seconds if seen.seconds else 0.0
        runtime = self._runtime()
        assert runtime is not None, "it has just answered"
        ptvc, path = _command("ptvc"), _short(self.path)
        figures = [
            ("events", f"{written:,} in all, {seen.events:,} while you watched ({rate:,.0f} a second)"),
            ("flights now", f"{total[0] if total else 0:,}"),
            ("views", f"{len(views)} maintained, {len(jobs)} of them hydrated by Spark jobs"),
            ("changes to views", f"{seen.changes:,} rows while you watched"),
            ("file to view", f"{seen.latency()} ({len(seen.latencies):,} appends, {seen.reads:,} reads)"),
            ("command to built", f"{built:.1f} s"),
        ]
        commands = [
            ("connect", f"psql -h {runtime['host']} -p {runtime['port']} -U ptvc ptvc"),
            ("", f'{ptvc} sql --path {path} "select * from worst_by_origin"'),
            ("more flights", f"{_command('python')} {_short(HERE / 'replay.py')} --speed 500"),
            ("stop", f"{ptvc} down --path {path}"),
        ]
        self._say("what was seen")
        for name, text in figures:
            self._console.print(f"  {name:<17} {text}", soft_wrap=True, highlight=False)
        self._say("the runtime goes on")
        for name, text in commands:
            self._console.print(f"  {name:<17} {text}", soft_wrap=True, highlight=False, markup=False)

    # -- processes --

    def _spawn(self, *command: str, quiet: bool = False) -> subprocess.Popen[bytes]:
        """A child with a session of its own: a Ctrl-C at the terminal is ours to pass on."""
        child = subprocess.Popen(
            command,
            cwd=HERE,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if quiet else None,
            stderr=subprocess.STDOUT if quiet else None,
            start_new_session=True,
        )
        self._children.append(child)
        return child

    def _finish(self, child: subprocess.Popen[bytes], problem: str) -> None:
        """Waits for a quiet child; raises with what it said if it failed."""
        output = child.communicate()[0] if child.returncode is None else b""
        if child.returncode != 0:
            raise DemoFailed(f"{problem}: {output.decode(errors='replace').strip()}")

    def _dbt(self, command: str, *options: str) -> None:
        colors = [] if self._console.is_terminal else ["--no-use-colors"]
        dbt = self._spawn(
            str(Path(sys.executable).parent / "dbt"), *colors, command, "--profiles-dir", str(HERE), *options
        )
        if dbt.wait() != 0:
            raise DemoFailed(
                f"`dbt {command}` failed; what it said is above, and in {_short(HERE / 'logs')}/dbt.log"
            )

    def _connect(self) -> psycopg.Connection[Any]:
        import psycopg

        runtime = self._runtime()
        if runtime is None:
            raise DemoFailed(f"the runtime has ended; its log is {_short(self.path)}/log/ptvc.log")
        return psycopg.connect(
            host=runtime["host"], port=runtime["port"], user="ptvc", dbname="ptvc", autocommit=True
        )

    def _runtime(self) -> dict[str, Any] | None:
        """What the runtime says of itself; None when none runs."""
        try:
            found: dict[str, Any] = json.loads((self.path / "runtime.json").read_text())
            os.kill(found["pid"], 0)
        except (OSError, ValueError, KeyError):
            return None
        return found

    def _raise_from(self, arriving: Arriving) -> None:
        if arriving.error is not None:
            raise DemoFailed(f"flights cannot be written to {self.data}: {arriving.error}")

    def _say(self, text: str) -> None:
        self._console.print(
            f"[bold]{time.monotonic() - self._start:5.1f} s  {text}[/]", soft_wrap=True, highlight=False
        )


def _count_lines(file: Path) -> int:
    with file.open("rb") as stream:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: stream.read(1 << 20), b""))


def _short(path: Path) -> str:
    """Relative to where the user is, when that is shorter."""
    return min(os.path.relpath(path), str(path), key=len)


def _command(name: str) -> str:
    """How the user calls a program that is installed beside this interpreter."""
    return (
        name
        if shutil.which(name) == str(Path(sys.executable).parent / name)
        else _short(Path(sys.executable).parent / name)
    )


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=25.0, help="how long to watch")
    parser.add_argument("--speed", type=float, default=500.0, help="events a second that arrive")
    parser.add_argument(
        "--preload", type=int, default=200_000, help="events that are there before dbt builds"
    )
    parser.add_argument("--path", type=Path, default=HERE / ".ptvc", help="where the runtime lives")
    parser.add_argument("--data", type=Path, default=HERE / "data", help="where flights arrive")
    parser.add_argument("--fresh", action="store_true", help="delete what an earlier demo has left")
    arguments = parser.parse_args()
    if arguments.speed <= 0 or arguments.seconds < 0 or arguments.preload < 0:
        parser.error("--speed must be above 0, --seconds and --preload 0 or more")
    return arguments


def main() -> int:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    demo: Demo | None = None
    code = 0
    try:
        arguments = _arguments()
        from rich.console import Console

        demo = Demo(arguments, Console())
        demo.run()
    except KeyboardInterrupt:
        code = 130
    except DemoFailed as error:
        print(f"demo: {error}", file=sys.stderr)
        code = 1
    except OSError as error:
        print(f"demo: {error}", file=sys.stderr)
        code = 1
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # from here on everything ends by itself
    if demo is not None:
        demo.stop()
        if code and (remedy := demo.how_to_stop()) is not None:
            said = "stopped; the runtime goes on" if code == 130 else "the runtime goes on"
            print(f"\n{said}: stop it with  {remedy}")
    return code


if __name__ == "__main__":
    sys.exit(main())
