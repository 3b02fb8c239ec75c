"""A small disk that can be full: a tmpfs over a folder, in a mount namespace of its own."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

WARNING = "disks are left alone: mounting is not allowed here"
_BALLAST = "ballast"
_PIECES = (1 << 20, 1 << 12, 1)


@dataclass(frozen=True, slots=True)
class Disk:
    """A disk of 256 MB at `folder`; it goes away with the last process of the namespace."""

    folder: Path

    @classmethod
    def mount(cls, folder: Path) -> Disk:
        """A new one. Raises CalledProcessError outside of a namespace."""
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256m", "parley", str(folder)], check=True)
        return cls(folder)

    def fill(self) -> None:
        """Leave not a byte; whoever writes hears ENOSPC."""
        with (self.folder / _BALLAST).open("wb", buffering=0) as ballast:
            for size in _PIECES:
                try:
                    while ballast.write(bytes(size)) == size:
                        pass
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise

    def free(self) -> None:
        """There is room again."""
        (self.folder / _BALLAST).unlink(missing_ok=True)


def namespace() -> Sequence[str]:
    """What to put in front of a command whose process may mount; nothing where nobody may."""
    own = ("unshare", "--mount") if os.getuid() == 0 else ("unshare", "--mount", "--map-root-user")
    probe = (*own, "sh", "-c", "mount -t tmpfs parley /mnt")
    return own if subprocess.run(probe, capture_output=True, check=False).returncode == 0 else ()
