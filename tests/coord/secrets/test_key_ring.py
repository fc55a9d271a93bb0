"""Keys: made once, refused where others may read them, rotated; what they seal opens for one secret only."""

from __future__ import annotations

import base64
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from ptvc.coord.secrets.key_ring import KEY_BYTES, KeyRing, UnusableKeys
from ptvc.errors import StorageError

VALUE = b"hunter2 \x00\xff"
FIRST, SECOND = bytes(range(KEY_BYTES)), bytes(KEY_BYTES)


def lines(*keys: bytes) -> str:
    return "\n".join(base64.b64encode(key).decode() for key in keys)


def test_the_file_is_made_when_it_is_needed(tmp_path: Path) -> None:
    path = tmp_path / "secrets.key"
    ring = KeyRing.open(path)
    assert ring.empty
    assert not path.exists()
    ring.ensure()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["secrets.key"]
    sealed = ring.seal(VALUE, "u1")
    again = KeyRing.open(path)
    assert again.is_current(sealed)
    assert again.unseal(sealed, "u1", "s") == VALUE
    before = path.read_bytes()
    again.ensure()
    assert path.read_bytes() == before


def test_two_that_make_it_have_one_key(tmp_path: Path) -> None:
    rings = [KeyRing(tmp_path / "k") for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(KeyRing.ensure, rings))
    sealed = rings[0].seal(VALUE, "u1")
    assert all(ring.unseal(sealed, "u1", "s") == VALUE for ring in rings)


def test_nothing_of_the_value_is_in_what_is_sealed() -> None:
    ring = KeyRing(None, [FIRST])
    one, two = ring.seal(b"hunter2" * 9, "u1"), ring.seal(b"hunter2" * 9, "u1")
    assert one != two, "each has a nonce of its own"
    for sealed in (one, two):
        assert b"hunter2" not in base64.b64decode(sealed.split(".")[2])
    assert ring.unseal(ring.seal(b"", "u1"), "u1", "s") == b""


def test_what_was_sealed_for_another_secret_is_refused() -> None:
    ring = KeyRing(None, [FIRST])
    with pytest.raises(StorageError, match='secret "s" is damaged') as refused:
        ring.unseal(ring.seal(VALUE, "u1"), "u2", "s")
    assert refused.value.sqlstate == "XX001"


@pytest.mark.parametrize("place", [-1, -10, 12])
def test_what_was_changed_is_refused(place: int) -> None:
    ring = KeyRing(None, [FIRST])
    sealed = ring.seal(VALUE, "u1")
    other = "A" if sealed[place] != "A" else "B"
    changed = sealed[:place] + other + (sealed[place + 1 :] if place != -1 else "")
    with pytest.raises((StorageError, UnusableKeys)):
        ring.unseal(changed, "u1", "s")


def test_rotation(tmp_path: Path) -> None:
    path = tmp_path / "k"
    path.touch(0o600)
    path.write_text(f"# the first\n\n{lines(FIRST)}\n")
    sealed = KeyRing.open(path).seal(VALUE, "u1")
    path.write_text(lines(SECOND, FIRST))
    both = KeyRing.open(path)
    assert both.knows(sealed)
    assert not both.is_current(sealed)
    assert both.unseal(sealed, "u1", "s") == VALUE
    path.write_text(lines(SECOND))
    last = KeyRing.open(path)
    assert not last.knows(sealed)
    with pytest.raises(
        UnusableKeys, match=r'secret "s" cannot be read: its key \([0-9a-f]{8}\) is not there'
    ):
        last.unseal(sealed, "u1", "s")
    assert last.unseal(both.seal(VALUE, "u1"), "u1", "s") == VALUE


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o610])
def test_a_file_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "k"
    path.write_text(lines(FIRST))
    path.chmod(mode)
    with pytest.raises(UnusableKeys, match=f"may be read by others \\(mode 0{mode:o}\\)") as refused:
        KeyRing.open(path)
    assert refused.value.hint is not None
    assert "chmod 600" in refused.value.hint


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_file_of_another_user_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "k"
    path.touch(0o600)
    path.write_text(lines(FIRST))
    os.chown(path, 12_345, 12_345)
    with pytest.raises(UnusableKeys, match="belongs to another user"):
        KeyRing.open(path)


@pytest.mark.parametrize("text", ["", "# nothing\n", "aGFs", "no base64 !", f"{lines(FIRST)}\nhunter2"])
def test_a_file_without_keys_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "k"
    path.touch(0o600)
    path.write_text(text)
    with pytest.raises(UnusableKeys) as refused:
        KeyRing.open(path)
    assert "hunter2" not in f"{refused.value.message} {refused.value.hint}"


def test_a_file_that_was_named_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(UnusableKeys, match=r'there is no key file ".*other"'):
        KeyRing.open(tmp_path / "other", made=False)


def test_keys_of_a_variable_go_before_the_file(tmp_path: Path) -> None:
    ring = KeyRing.open(tmp_path / "k", lines(SECOND, FIRST).replace("\n", ","))
    ring.ensure()
    assert not (tmp_path / "k").exists()
    assert ring.unseal(KeyRing(None, [FIRST]).seal(VALUE, "u1"), "u1", "s") == VALUE
    with pytest.raises(UnusableKeys, match="line 1 of the environment variable PTVC_SECRETS_KEY is no key"):
        KeyRing.open(tmp_path / "k", "hunter2")


def test_what_a_newer_version_has_sealed_is_refused() -> None:
    with pytest.raises(UnusableKeys, match='in the form "2"'):
        KeyRing(None, [FIRST]).unseal("2.abc.def", "u1", "s")


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UnusableKeys, match=r"cannot be written"):
        KeyRing(tmp_path / "nowhere" / "k").ensure()
