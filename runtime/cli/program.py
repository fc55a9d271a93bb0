"""The program: its commands, and how it ends."""

from __future__ import annotations

import os
import sys

import psycopg
import typer

from ..check.commands import check, lineage
from ..directory import installed_version
from ..errors import PtvcError
from ..plan_depth import allow_deep_plans
from ..porting.commands import port
from .backup import backup, backups, restore
from .client import sql, status, watch
from .command import Command
from .lifecycle import down, up
from .output import console, fail
from .pack import pack
from .serve import serve
from .stores import inspect_store, verify_store


def doctor() -> None:
    """Check what the runtime needs of this machine."""
    from ..compute.spark.java import ensure_java

    environment = ensure_java()
    console.print(f"Java: {environment.get('JAVA_HOME', 'on PATH')}")
    console.print(f"Python: {sys.executable}")
    console.print(f"ptvc {installed_version()}: ready")


app = typer.Typer(
    name="ptvc",
    help="Incrementally maintained SQL views on Spark.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
persist = typer.Typer(
    help="Look into the store of an environment, whether or not a runtime serves it.", no_args_is_help=True
)
app.add_typer(persist, name="persist")
for command in (
    serve,
    up,
    down,
    status,
    sql,
    watch,
    check,
    lineage,
    port,
    pack,
    doctor,
    backup,
    restore,
    backups,
):
    app.command(cls=Command)(command)
persist.command("inspect", cls=Command)(inspect_store)
persist.command("verify", cls=Command)(verify_store)


def main() -> None:
    """Errors with a meaning to the user are printed in two lines, never as a traceback."""
    allow_deep_plans()
    try:
        app()
    except PtvcError as error:
        fail(error.message, error.hint)
    except psycopg.Error as error:
        fail(str(error), None)
    except BrokenPipeError:
        # The reader of our output has closed it; Python would complain when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
