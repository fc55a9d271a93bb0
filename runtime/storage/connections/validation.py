"""A connection is tried: it really connects, and says who it is.

```
resolve ── allowed? ── connect ── TLS ── authenticate ── ask one thing
```

Each step that fails says so (`ConnectionFailed`); no message has anything of a secret.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from . import aws, iceberg, kafka, mysql, postgres, schema_registry
from .addresses import Addresses
from .options import ConnectionKind, ConnectionOptions
from .values import Values

_VALIDATE: Mapping[ConnectionKind, Callable[[Values, Addresses, float], None]] = {
    ConnectionKind.KAFKA: kafka.validate,
    ConnectionKind.CONFLUENT_SCHEMA_REGISTRY: schema_registry.validate,
    ConnectionKind.POSTGRES: postgres.validate,
    ConnectionKind.MYSQL: mysql.validate,
    ConnectionKind.AWS: aws.validate,
    ConnectionKind.ICEBERG_CATALOG: iceberg.validate,
}


def validate(
    options: ConnectionOptions, secrets: Mapping[str, bytes], addresses: Addresses, deadline: float
) -> None:
    """Blocks until `deadline` (of `time.monotonic`) at most, but for the look-up of a name.  `secrets` are by id."""
    _VALIDATE[options.kind](Values(options, secrets), addresses, deadline)
