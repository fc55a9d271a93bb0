"""Python models: what they read is of one time, what they return is a table, and what goes wrong says where."""

from __future__ import annotations

import os
import signal
import threading
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock
from decimal import Decimal
from pathlib import Path
from time import sleep
from typing import Any

import psycopg
import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture, write_file

from dbt.adapters.ptvc.python import process as python_process

from .test_changes import messages

pytestmark = pytest.mark.slow

TWIN = "{{ config(materialized='table') }} select 0 as k"
LIVE = (
    "{{ config(materialized='materialized_view') }} select k, count(*) as n from {{ ref('one') }} group by k"
)
PLAIN = "select k from {{ ref('other') }} union all select -1 where false"
TOGETHER = """
def model(dbt, session):
    frames = [dbt.ref(name) for name in ("one", "other", "live", "plain")]
    counts = [frame.count() for frame in frames]
    return session.createDataFrame([counts], "one bigint, other bigint, live bigint, plain bigint")
"""
# The refs are said once more where dbt's parser sees them: it takes constants only.
TOGETHER = TOGETHER.replace(
    '[dbt.ref(name) for name in ("one", "other", "live", "plain")]',
    '[dbt.ref("one"), dbt.ref("other"), dbt.ref("live"), dbt.ref("plain")]',
)

TYPES = """
import datetime as dt
import uuid
from decimal import Decimal
import pyarrow as pa

def model(dbt, session):
    fields = [
        ("Small", pa.int8(), -8), ("big", pa.uint64(), 2**64 - 1), ("flag", pa.bool_(), True),
        ("price", pa.decimal128(10, 2), Decimal("12.50")), ("day", pa.date32(), dt.date(2024, 2, 29)),
        ("at", pa.timestamp("us"), dt.datetime(2024, 2, 29, 12, 30)),
        ("instant", pa.timestamp("us", "Europe/Paris"), dt.datetime(2024, 1, 1, tzinfo=dt.timezone.utc)),
        ("clock", pa.time64("us"), dt.time(1, 2, 3)), ("span", pa.duration("us"), dt.timedelta(days=1, seconds=5)),
        ("words", pa.list_(pa.string()), ["a,b", None, ""]), ("raw", pa.binary(), b"\\x00\\xff"),
        ("text", pa.string(), "tab\\tand\\nline \\\\N"), ("nothing", pa.null(), None),
        ("code", pa.dictionary(pa.int8(), pa.string()), "x"),
    ]
    arrays = [pa.array([value, None], type) for _, type, value in fields]
    return pa.table(arrays, names=[name for name, _, _ in fields])
"""
SPARK_TYPES = """
from pyspark.sql import functions as F

def model(dbt, session):
    dbt.config(spark_config={"spark.sql.shuffle.partitions": 3})
    print("partitions", spark.conf.get("spark.sql.shuffle.partitions"))
    frame = dbt.ref("types").select("price", "day", "instant", "words", "Small", "raw")
    return frame.withColumn("more", F.col("price") * 2).repartition(3)
"""
MERGED = """
import pandas as pd

def model(dbt, session):
    dbt.config(materialized="incremental", incremental_strategy="merge", unique_key="id")
    if not dbt.is_incremental:
        return pd.DataFrame({"id": [1, 2], "v": ["a", "b"]})
    last = session.sql(f"select max(id) from {dbt.this}").collect()[0][0]
    return pd.DataFrame({"id": [last, last + 1], "v": ["B", "c"]})
"""
FAILS = """

# a line above, two blank ones above that


def model(dbt, session):
    print("so far so good")
    frame = dbt.ref("one")
    return 1 / 0
"""
LATE = """
from pyspark.sql.functions import udf

@udf("int")
def broken(k):
    return {}[k]

def model(dbt, session):
    return dbt.ref("one").select(broken("k").alias("k"))
"""
RETURNS = """
def model(dbt, session):
    return %s
"""
SLEEPS = """
import os
import pathlib
import time

def model(dbt, session):
    pathlib.Path(%r).write_text(str(os.getpid()))
    time.sleep(600)
    return None
"""


class OfStores:
    """dbt where the runtime's stores are in reach."""

    @pytest.fixture(scope="class")
    def dbt_profile_target(self, server: dict[str, Any]) -> dict[str, Any]:
        if "state" not in server:
            pytest.skip("the directory of the runtime is not known")
        state = server["state"]
        stores = {"consensus": f"sqlite://{state}/consensus.sqlite", "blob": f"file://{state}/blobs"}
        where = {name: server[name] for name in ("host", "port", "user")}
        return {"type": "ptvc", "threads": 4, **where, **stores}


class OneTime:
    """Both tables are written in one transaction all the time: at any time they have as many rows."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "one.sql": TWIN,
            "other.sql": TWIN,
            "live.sql": LIVE,
            "plain.sql": PLAIN,
            "together.py": TOGETHER,
            "over.sql": "select * from {{ ref('together') }}",
        }

    def test_one_time(self, project: Any, server: dict[str, Any]) -> None:
        run_dbt(["run", "--exclude", "together+"])
        stop = threading.Event()
        where = {name: server[name] for name in ("host", "port", "user", "dbname")}

        def write() -> None:
            with psycopg.connect(**where, autocommit=True) as db:
                k = 0
                while not stop.wait(0.05):
                    k += 1
                    with db.transaction():
                        db.execute(f"insert into {project.test_schema}.one values ({k})")
                        db.execute(f"insert into {project.test_schema}.other values ({k})")

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for selected in ("together+", "together"):  # the second time a view rests on the table
                before = project.run_sql("select count(*) from {schema}.one", fetch="one")[0]
                run_dbt(["run", "--select", selected])
                counts = set(project.run_sql("select * from {schema}.over", fetch="one"))
                assert len(counts) == 1
                assert counts.pop() >= before
        finally:
            stop.set()
            writer.join()


class TestOneTimeFromStores(OfStores, OneTime):
    pass


class TestOneTimeBySql(OneTime):
    pass


class TestPythonModels(OfStores):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "one.sql": TWIN,
            "types.py": TYPES,
            "spark_types.py": SPARK_TYPES,
            "merged.py": MERGED,
            "fails.py": FAILS,
            "late.py": LATE,
            "returns.py": RETURNS % "[1, 2]",
            "needs.py": "def model(dbt, session):\n    dbt.config(packages=['numpy', 'no-such-package>=2'])\n    return None",
            "imports.py": "import no_such_package\n\ndef model(dbt, session):\n    return None\n",
            "sleeps.py": SLEEPS % "/dev/null",
        }

    def row(self, project: Any, query: str) -> tuple[Any, ...]:
        return tuple(project.run_sql(query.replace("FROM", f"from {project.test_schema}."), fetch="one"))

    def refusal(self, project: Any, name: str, code: str | None = None) -> str:
        """What the run of one model says that fails."""
        if code is not None:
            write_file(code, project.project_root, "models", f"{name}.py")
        said: str = messages(run_dbt(["run", "--select", name], expect_pass=False))[name]
        return said

    def test_types(self, project: Any) -> None:
        _, log = run_dbt_and_capture(["run", "--select", "types", "spark_types"])
        assert "[spark_types] partitions 3" in log
        row = self.row(project, 'select * FROM types where "Small" is not null')
        assert row == (
            -8,
            2**64 - 1,
            True,
            Decimal("12.50"),
            date(2024, 2, 29),
            datetime(2024, 2, 29, 12, 30),
            datetime(2024, 1, 1, tzinfo=UTC),
            clock(1, 2, 3),
            timedelta(days=1, seconds=5),
            ["a,b", None, ""],
            b"\x00\xff",
            "tab\tand\nline \\N",
            None,
            "x",
        )
        query = 'select * FROM types where "Small" is null'
        assert set(self.row(project, query)) == {None}
        columns = project.run_sql(
            "select column_name, data_type from information_schema.columns where table_name = 'types' and "
            f"table_schema = '{project.test_schema}' order by ordinal_position",
            fetch="all",
        )
        assert dict(columns) == {
            "Small": "smallint",
            "big": "numeric",
            "flag": "boolean",
            "price": "numeric",
            "day": "date",
            "at": "timestamp without time zone",
            "instant": "timestamp with time zone",
            "clock": "time without time zone",
            "span": "interval",
            "words": "ARRAY",
            "raw": "bytea",
            "text": "text",
            "nothing": "text",
            "code": "text",
        }
        query = (
            'select price, day, instant, words, "Small", raw, more FROM spark_types where more is not null'
        )
        assert self.row(project, query) == (*row[3:5], row[6], row[9], -8, row[10], Decimal("25.00"))

    def test_merge(self, project: Any) -> None:
        for _ in range(2):
            run_dbt(["run", "--select", "merged"])
        found = project.run_sql("select * from {schema}.merged order by id", fetch="all")
        assert found == [(1, "a"), (2, "B"), (3, "c")]

    def test_errors_name_the_line(self, project: Any) -> None:
        run_dbt(["run", "--select", "one"])
        said = self.refusal(project, "fails")
        assert "models/fails.py, line 9: return 1 / 0" in said
        assert "ZeroDivisionError: division by zero" in said
        assert "Traceback" not in said
        late = self.refusal(project, "late")
        assert "models/late.py, line 6: return {}[k]" in late
        assert "KeyError: 0" in late
        missing = self.refusal(
            project, "fails", 'def model(dbt, session):\n    return dbt.ref("one").select("nope")\n'
        )
        assert "line 2" in missing
        assert "UNRESOLVED_COLUMN" in missing
        assert "JVM" not in missing

    def test_missing_packages(self, project: Any) -> None:
        assert "no-such-package>=2 is not installed" in self.refusal(project, "needs")
        said = self.refusal(project, "imports")
        assert "models/imports.py, line 1: import no_such_package" in said
        assert "pip install no_such_package" in said

    @pytest.mark.parametrize(
        ("returned", "message"),
        [
            ("[1, 2]", "has returned a list"),
            ("None", "has returned nothing"),
            ("session.range(2).selectExpr('id', 'named_struct(\\'a\\', id) as s')", 'column "s" is struct<'),
            ("session.range(2).selectExpr('id', 'id')", 'several columns "id"'),
            ("session.readStream.format('rate').load()", "has returned a stream"),
        ],
    )
    def test_what_is_no_table(self, project: Any, returned: str, message: str) -> None:
        assert message in self.refusal(project, "returns", RETURNS % returned)

    def test_interrupt(self, project: Any, tmp_path: Path) -> None:
        """Ctrl-C ends dbt's run, and the process that the model runs in."""
        asleep = tmp_path / "asleep"
        write_file(SLEEPS % str(asleep), project.project_root, "models", "sleeps.py")

        def interrupt() -> None:
            for _ in range(4800):  # on a machine with other work Spark takes its time
                if asleep.exists():
                    break
                sleep(0.05)
            os.kill(os.getpid(), signal.SIGINT)  # the main thread handles it

        interrupter = threading.Thread(target=interrupt)
        before = signal.signal(
            signal.SIGINT, signal.default_int_handler
        )  # who runs tests in the background has it ignored
        interrupter.start()
        try:
            with pytest.raises(KeyboardInterrupt):
                run_dbt(["run", "--select", "sleeps"])
        finally:
            signal.signal(signal.SIGINT, before)
        interrupter.join()
        assert python_process._process is None
        assert not Path(f"/proc/{asleep.read_text()}").exists()

    def test_timeout(self, project: Any) -> None:
        code = (SLEEPS % "/dev/null").replace(
            "def model(dbt, session):", "def model(dbt, session):\n    dbt.config(timeout=1)"
        )
        assert "was not done after 1 s" in self.refusal(project, "sleeps", code)
        assert python_process._process is None
