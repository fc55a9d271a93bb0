"""One time at which several relations can be read together (see `completeness`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..clock import SystemClock
from ..errors import InvalidParameter
from ..persist.client import PersistClient
from ..persist.stores import open_existing
from .completeness import hold_latest
from .failure import explained
from .options import DEFAULT_LEASE_S, parse_options
from .relation import stored_item


@explained()
def latest_time(relations: Sequence[str], options: Mapping[str, str | int]) -> int:
    """See `ptvc.spark.latest`."""
    if not relations:
        raise InvalidParameter(
            "no relation is named", hint='Name those that are read: latest("a", "b", path=...).'
        )
    given = {key: str(value) for key, value in options.items()}
    parsed = [parse_options({**given, "relation": name}) for name in relations]
    stores = open_existing(parsed[0].directory, parsed[0].location)
    try:
        persist = PersistClient(stores.consensus, stores.blob, SystemClock())
        items = [stored_item(persist, each) for each in parsed]
        return hold_latest(persist, items, parsed[0].lease_ms or DEFAULT_LEASE_S * 1000)
    finally:
        stores.consensus.close()
