"""Options of one connection with the values of its secrets: what clients' settings are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...errors import DataError
from .options import ConnectionOptions, SecretRef


@dataclass(frozen=True, slots=True)
class Values:
    """`secrets` are the values of those that the options refer to, by id; no `repr` has them.  `link_local`: the connection may
    lead to such addresses."""

    options: ConnectionOptions
    secrets: Mapping[str, bytes] = field(repr=False)
    link_local: bool = False

    def bytes(self, name: str) -> bytes | None:
        """The option's value; None: it is not given."""
        value = self.options.values.get(name)
        match value:
            case None:
                return None
            case SecretRef(id=id_):
                return self.secrets[id_]
            case str():
                return value.encode()
            case _:
                raise AssertionError(f"option {name} is a list")

    def text(self, name: str) -> str | None:
        """As `bytes`; DataError for a secret that is no text."""
        value = self.bytes(name)
        if value is None:
            return None
        try:
            text = value.decode()
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text:
            raise DataError(
                f"the secret of option {name} is no text",
                sqlstate="22021",
                hint="This option takes text: ALTER SECRET ... AS '...'.",
            )
        return text

    def required(self, name: str) -> str:
        text = self.text(name)
        assert text is not None, f"option {name} was checked to be there"
        return text

    def list(self, name: str) -> tuple[str, ...]:
        value = self.options.values[name]
        assert isinstance(value, tuple)
        return value
