"""The keys with which secrets are encrypted: of a file, or of an environment variable.

```
secrets.key, mode 0600:      <base64 of 32 bytes>      what is sealed from now on
                             <base64 of 32 bytes>      older ones, which open what was sealed before
```

The first key seals, all of them open.  A key is known by a part of its hash, which stands in front of what it has sealed.  The
file is made when the first secret is; one that others may read is refused.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from ...directory import KEYS_VARIABLE
from ...errors import PtvcError, StorageError
from ...given_files import read_given

KEY_BYTES = 32
_NONCE_BYTES = 12
_FORMAT = "1"
_DOMAIN = b"ptvc secret 1\0"


class UnusableKeys(PtvcError):
    """Keys that are not there, are none, or may be read by others."""

    sqlstate = "F0000"


class KeyRing:
    """Of one environment.  `path` is where its file is, or is to be; without, the keys are those given, and there is no file."""

    def __init__(self, path: Path | None, keys: Iterable[bytes] = ()) -> None:
        self._path = path
        self._keys: dict[str, AESGCM] = {}
        self._take(keys)

    @classmethod
    def open(cls, path: Path, variable: str | None = None, *, made: bool = True) -> KeyRing:
        """The keys of the variable, else of the file, if there is one; `made`: one that is not there is made when it is needed.
        Raises UnusableKeys."""
        if variable is not None:
            return cls(
                None, _parsed(variable.replace(",", "\n"), f"the environment variable {KEYS_VARIABLE}")
            )
        ring = cls(path)
        if not ring._load() and not made:
            raise UnusableKeys(
                f'there is no key file "{path}"',
                hint="Name the file that has the keys of this environment; without --secrets-key-file one is made.",
            )
        return ring

    @property
    def empty(self) -> bool:
        return not self._keys

    def knows(self, sealed: str) -> bool:
        """Whether there is the key that has sealed it."""
        return _key_id(sealed) in self._keys

    def is_current(self, sealed: str) -> bool:
        """Whether it was sealed with the key that seals now."""
        return not self.empty and _key_id(sealed) == next(iter(self._keys))

    def ensure(self) -> None:
        """There is a key to seal with, and it is durable.  Blocks."""
        if not self.empty:
            return
        assert self._path is not None, "keys that were given are some"
        if not self._load():
            _write(self._path, secrets.token_bytes(KEY_BYTES))
            self._load()

    def seal(self, value: bytes, id: str) -> str:
        """The value, encrypted for the secret of that id; only for that one it is opened again."""
        key_id, key = next(iter(self._keys.items()))
        nonce = secrets.token_bytes(_NONCE_BYTES)
        text = nonce + key.encrypt(nonce, value, _bound_to(key_id, id))
        return f"{_FORMAT}.{key_id}.{base64.b64encode(text).decode()}"

    def unseal(self, sealed: str, id: str, name: str) -> bytes:
        """The value of the secret of that id; `name` is for messages."""
        key_id = _key_id(sealed)
        if (key := self._keys.get(key_id)) is None:
            raise UnusableKeys(
                f'secret "{name}" cannot be read: its key ({key_id}) is not there',
                hint="Restore the key file from a backup, or give the secret its value anew with ALTER SECRET.",
            )
        try:
            text = base64.b64decode(sealed.split(".")[2], validate=True)
            return key.decrypt(text[:_NONCE_BYTES], text[_NONCE_BYTES:], _bound_to(key_id, id))
        except (InvalidTag, binascii.Error, ValueError):
            raise StorageError(
                f'secret "{name}" is damaged: what is stored was not encrypted for it',
                sqlstate="XX001",
                hint="Give it its value anew with ALTER SECRET.",
            ) from None

    def _take(self, keys: Iterable[bytes]) -> None:
        self._keys = {hashlib.sha256(b"ptvc key\0" + key).hexdigest()[:8]: AESGCM(key) for key in keys}

    def _load(self) -> bool:
        """Takes the keys of the file; False: there is none."""
        assert self._path is not None
        try:
            data, found = read_given(self._path)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise UnusableKeys(f'the key file "{self._path}" cannot be read: {error.strerror}') from None
        if found.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise UnusableKeys(
                f'the key file "{self._path}" may be read by others (mode {stat.S_IMODE(found.st_mode):04o})',
                hint="chmod 600 makes it yours alone; if somebody may have read it, put a new key on its first line.",
            )
        if found.st_uid not in (os.geteuid(), 0):
            raise UnusableKeys(f'the key file "{self._path}" belongs to another user')
        self._take(_parsed(data.decode("ascii", "replace"), f'the key file "{self._path}"'))
        return True


def _bound_to(key_id: str, id: str) -> bytes:
    """What is authenticated with the value: it belongs to this secret and no other."""
    return _DOMAIN + f"{key_id}\0{id}".encode()


def _key_id(sealed: str) -> str:
    version, _, rest = sealed.partition(".")
    if version != _FORMAT:
        raise UnusableKeys(
            f'a secret is stored in the form "{version[:8]}", which this version does not know',
            hint="It was written by a newer version: use that one.",
        )
    return rest.partition(".")[0]


def _parsed(text: str, where: str) -> list[bytes]:
    """Keys, one a line; empty lines and comments (#) do not count.  No message has anything of a line."""
    keys = []
    for number, line in enumerate(text.splitlines(), 1):
        if not (line := line.strip()) or line.startswith("#"):
            continue
        try:
            key = base64.b64decode(line, validate=True)
        except (binascii.Error, ValueError):
            key = b""
        if len(key) != KEY_BYTES:
            raise UnusableKeys(
                f"line {number} of {where} is no key",
                hint=f"A key is {KEY_BYTES} random bytes in base64: openssl rand -base64 {KEY_BYTES}.",
            )
        keys.append(key)
    if not keys:
        raise UnusableKeys(
            f"{where} has no key",
            hint=f"A key is {KEY_BYTES} random bytes in base64: openssl rand -base64 {KEY_BYTES}.",
        )
    return keys


def _write(path: Path, key: bytes) -> None:
    """Whole and durable, or not at all; a file that is there already stays."""
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(descriptor, "wb") as file:
            os.fchmod(descriptor, 0o600)
            file.write(base64.b64encode(key) + b"\n")
            file.flush()
            os.fsync(descriptor)
        try:
            os.link(temporary, path)
        except FileExistsError:
            pass  # another one was quicker: its key is the one
        finally:
            temporary.unlink()
        directory = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
    except OSError as error:
        raise UnusableKeys(f'the key file "{path}" cannot be written: {error.strerror}') from None
