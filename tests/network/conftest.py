"""An issuer of tokens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from servers.token_issuer import TokenIssuer, issuing


@pytest.fixture
def issuer(tmp_path: Path) -> Iterator[TokenIssuer]:
    with issuing(tmp_path) as issuer:
        yield issuer
