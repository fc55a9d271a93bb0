"""TPC-H: its tables (`schema.sql`), its 22 queries (`queries/`), and seeded rows at a scale factor (`data`).

The queries read as the specification's, with literals of our own where its own leave few rows.  Two literals must follow the
size of the data, and stand in the text as parameters.
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

_FOLDER = Path(__file__).parent

SCHEMA = (_FOLDER / "schema.sql").read_text()


def queries(fraction: Decimal, quantity: int) -> dict[str, str]:
    """By name, in order.  `fraction`: of the value of all stock, above which the eleventh lists a part; `quantity`: above
    which the eighteenth lists an order."""
    paths = sorted((_FOLDER / "queries").glob("q*.sql"))
    return {path.stem: path.read_text().format(fraction=f"{fraction:f}", quantity=quantity) for path in paths}
