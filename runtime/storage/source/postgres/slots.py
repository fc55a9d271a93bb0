"""Slots whose source is gone."""

from __future__ import annotations

from time import monotonic

import psycopg

from ...connections.addresses import Addresses
from ...connections.failures import ConnectionFailed, Step, scrubbed
from ...connections.postgres import connected
from ...connections.values import Values

TIMEOUT_S = 10.0


def slot_dropped(values: Values, slot: str) -> None:
    """There is no such slot any more; who reads from it is ended.  Raises ConnectionFailed."""
    addresses = Addresses(link_local=values.link_local)
    with connected(values, addresses, monotonic() + TIMEOUT_S) as db:
        try:
            db.execute(
                "SELECT pg_terminate_backend(active_pid, 5000) FROM pg_replication_slots WHERE slot_name = %s AND active_pid IS NOT NULL",
                (slot,),
            )
            db.execute(
                "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = %s",
                (slot,),
            )
        except psycopg.Error as error:
            text = scrubbed(str(error), values.secrets.values())
            raise ConnectionFailed(Step.ANSWER, f'cannot drop replication slot "{slot}": {text}') from None
