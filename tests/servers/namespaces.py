"""Machines of the tests' own: each a network of its own, at the end of a cable, and folders of its own, on this one.

```
this machine ── bridge 10.a.b.1 ─┬─ veth ─ node 10.a.b.11   /tmp, /var/tmp, /run, /dev/shm are empty; all else is read only
                                 └─ veth ─ node 10.a.b.12   its processes die with it
```

Nothing is shared but the network, and the programs that are installed.  It takes a right of the process (CAP_SYS_ADMIN, CAP_NET_ADMIN: root
has them, a container need not).
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import SystemRandom
from time import monotonic, sleep

ROOT = Path(__file__).parent.parent.parent
OWN_FOLDERS = ("/run", "/tmp", "/var/tmp", "/dev/shm")
REASON = "no network namespaces can be made here"
_UNSHARE = [
    "unshare",
    "--net",
    "--mount",
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
    "--propagation",
    "private",
]
_SLOW_CABLE = Path(__file__).parent / "slow_cable.py"
_WITHIN_S = 60.0


class NotPermitted(Exception):
    """Such machines cannot be made by this process; the text says why."""


class Node:
    """A machine.  What its processes write is gone with it."""

    def __init__(self, network: Network, number: int, kept: Sequence[Path]) -> None:
        self.address = f"{network.prefix}.{10 + number}"
        self._bridge = network.bridge
        self._cable = f"{network.bridge}n{number}"
        self._slow: subprocess.Popen[str] | None = None
        script = f"{_mounts(kept)}; echo ready; exec cat"  # it ends when this process does
        self._holder = subprocess.Popen(
            [*_UNSHARE, "sh", "-c", script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._holder.stdout is not None
        assert self._holder.stderr is not None
        if self._holder.stdout.readline() != "ready\n":
            raise NotPermitted(self._holder.stderr.read().strip())
        children = Path(f"/proc/{self._holder.pid}/task/{self._holder.pid}/children").read_text().split()
        self.pid = int(children[0])
        self._namespace = os.readlink(f"/proc/{self.pid}/ns/net")
        _run("ip", "link", "add", self._cable, "type", "veth", "peer", "name", "eth0", "netns", str(self.pid))
        _run("ip", "link", "set", self._cable, "master", network.bridge, "up")
        self._inside("ip", "addr", "add", f"{self.address}/24", "dev", "eth0")
        self._inside("ip", "link", "set", "eth0", "up")
        self._inside("ip", "link", "set", "lo", "up")

    def start(
        self, command: Sequence[str], environment: Mapping[str, str], log: Path
    ) -> subprocess.Popen[bytes]:
        """A process of the machine; `log`, of this one, receives what it prints."""
        with log.open("ab") as output:
            return subprocess.Popen(
                ["nsenter", f"--target={self.pid}", "--all", "--wd=/tmp", *command],
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )

    def path(self, name: str) -> Path:
        """A file of the machine, as it is seen from here."""
        return Path(f"/proc/{self.pid}/root") / name.lstrip("/")

    def processes(self) -> dict[int, str]:
        """Command lines by process id, as that is here."""
        found = {}
        for path in Path("/proc").iterdir():
            if path.name.isdigit():
                with suppress(OSError):  # it has ended meanwhile
                    if os.readlink(path / "ns" / "net") == self._namespace:
                        command = (
                            (path / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                        )
                        found[int(path.name)] = command
        return found

    def cut(self) -> None:
        """Nobody reaches it, and nobody is told."""
        _run("ip", "link", "set", self._cable, "down")

    def mend(self) -> None:
        _run("ip", "link", "set", self._cable, "up")

    def delay(self, milliseconds: int) -> None:
        """What comes from it, and what goes to it, takes so much longer.  Raises NotPermitted where there are no devices for that."""
        near, far, bridge = (f"{self._cable}{letter}" for letter in "abc")
        self._slow = subprocess.Popen(
            [sys.executable, str(_SLOW_CABLE), near, far, str(milliseconds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._slow.stdout is not None
        if self._slow.stdout.readline() != "ready\n":
            raise NotPermitted(self._slow.communicate()[1].strip().rpartition("\n")[2])
        _run("ip", "link", "add", bridge, "type", "bridge")
        _run("ip", "link", "set", bridge, "up")
        _run("ip", "link", "set", far, "master", bridge, "up")
        _run("ip", "link", "set", near, "master", self._bridge, "up")
        _run("ip", "link", "set", self._cable, "master", bridge)

    def undelay(self) -> None:
        assert self._slow is not None
        _run("ip", "link", "set", self._cable, "master", self._bridge)
        self._slow.communicate()  # its devices go with it
        self._slow = None
        _run("ip", "link", "del", f"{self._cable}c")

    def kill(self) -> None:
        """As when its power goes: all that ran on it, and all that it had in its folders."""
        if self._slow is not None:
            self.undelay()
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)  # the first process of its machine: the others go with it
        self._holder.kill()
        self._holder.communicate()
        with suppress(NotPermitted):  # the kernel removes it too, later
            _run("ip", "link", "del", self._cable)
        deadline = monotonic() + _WITHIN_S
        while self.processes():
            assert monotonic() < deadline, self.processes()
            sleep(0.02)

    def _inside(self, *command: str) -> None:
        _run("nsenter", f"--target={self.pid}", "--net", *command)


class Network:
    """`prefix` are the first three numbers of its addresses; this machine's is `address`."""

    def __init__(self, kept: Sequence[Path]) -> None:
        number = SystemRandom().randrange(1 << 16)
        self.prefix = f"10.{number >> 8}.{number & 255}"
        self.address = f"{self.prefix}.1"
        self.bridge = f"ptvc{number:04x}"
        self.nodes: list[Node] = []
        self._kept = kept
        self._made = 0
        _run("ip", "link", "add", self.bridge, "type", "bridge")
        _run("ip", "addr", "add", f"{self.address}/24", "dev", self.bridge)
        _run("ip", "link", "set", self.bridge, "up")

    def node(self) -> Node:
        """A new machine, at an address that none had before."""
        self._made += 1
        node = Node(self, self._made, self._kept)
        self.nodes.append(node)
        return node

    def lose(self, node: Node) -> None:
        self.nodes.remove(node)
        node.kill()

    def close(self) -> None:
        for node in self.nodes:
            node.kill()
        with suppress(NotPermitted):
            _run("ip", "link", "del", self.bridge)


@contextmanager
def network(*kept: Path) -> Iterator[Network]:
    """`kept` are files of this machine which the others have, too, though they are in folders that are their own.

    Raises NotPermitted.
    """
    for program in ("ip", "unshare", "nsenter"):
        if shutil.which(program) is None:
            raise NotPermitted(f"there is no {program}")
    found = Network([ROOT, Path(sys.prefix), Path(sys.base_prefix), *kept])
    try:
        yield found
    finally:
        found.close()


def _mounts(kept: Sequence[Path]) -> str:
    """The folders of its own, as commands; what is kept of this machine's is held open by another mount meanwhile."""
    own = list(dict.fromkeys((*OWN_FOLDERS, tempfile.gettempdir())))
    lines = ["set -e"]
    hidden = [path.resolve() for path in kept if any(path.resolve().is_relative_to(folder) for folder in own)]
    if hidden:
        lines.append("mount -t tmpfs tmpfs /mnt")
    for number, path in enumerate(hidden):
        lines += [f"mkdir /mnt/{number}", f"mount --bind {shlex.quote(str(path))} /mnt/{number}"]
    lines.append("mount -o remount,bind,ro /")
    lines += [f"mount -t tmpfs -o mode=1777 tmpfs {folder}" for folder in own if Path(folder).is_dir()]
    for number, path in enumerate(hidden):
        quoted = shlex.quote(str(path))
        lines += [f"mkdir -p {quoted}", f"mount --bind -o ro /mnt/{number} {quoted}"]
    return "; ".join(lines)


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = " ".join(done.stderr.split())
        raise NotPermitted(f"{' '.join(command[:4])}: {said}")
