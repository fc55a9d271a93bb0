"""TPC-H is shared with the benchmarks, which are run from the checkout and not installed: its folder is put on the path here."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
