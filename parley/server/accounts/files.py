"""What lets the agent use people's own accounts on servers, in files that no other user may read."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

_GENERATION = "generation"
_LOCK = ".lock"


class AccountErased(Exception):
    """The person was erased after their account was read, or their sign-in begun: nothing is kept of it."""


@dataclass(frozen=True, slots=True)
class Account:
    """An account of a person at a server: what is kept of it goes to this address, and to no other."""

    person: str
    server: str
    url: str


class AccountFiles:
    """A folder for each person, with a file for each server where they have signed in.

    Each folder has a generation that nobody can guess, which ends when the person is erased: what was begun
    before it is not kept after it. Files of earlier versions have no address; nothing is read of them, for
    a server may have another one now.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, account: Account) -> dict[str, Any]:
        """Return what was kept; nothing where there is none, or what is there is damaged."""
        found = _read(self._file(account))
        return found if all(found.get(key) == value for key, value in _names(account).items()) else {}

    def has(self, account: Account) -> bool:
        """Return whether somebody has signed in to a server."""
        return self._file(account).is_file()

    def generation(self, person: str) -> str:
        """Return the generation of a person's accounts, which begins if there is none. Raises OSError."""
        folder = self._of(person)
        with self._locked():
            if not (found := _generation(folder)):
                found = secrets.token_hex(16)
                folder.mkdir(mode=0o700, exist_ok=True)
                _replace(folder / _GENERATION, found)
            return found

    def write(self, account: Account, kept: Mapping[str, Any], generation: str) -> None:
        """Keep it in the place of what was there. Raises AccountErased after an erasure, OSError."""
        with self._locked():
            if not generation or _generation(self._of(account.person)) != generation:
                raise AccountErased
            _replace(self._file(account), json.dumps({**kept, **_names(account)}))

    def forget(self, account: Account, kept: Mapping[str, Any]) -> None:
        """Remove an account, unless its tokens are others than those of `kept`. Raises OSError."""
        with self._locked():
            if self.read(account).get("tokens") == kept.get("tokens"):
                self._file(account).unlink(missing_ok=True)

    def erase(self, person: str) -> int:
        """Remove all that was kept of a person, for any address; return how much. Raises OSError."""
        folder = self._of(person)
        if not self._folder.is_dir():
            return 0
        with self._locked():
            count = len([*folder.glob("*.json")])
            if folder.is_dir():
                shutil.rmtree(folder)
        return count

    def servers(self, person: str) -> tuple[str, ...]:
        """Return the servers where somebody has signed in."""
        files = self._of(person).glob("*.json")
        return tuple(sorted({str(_read(file).get("server", file.stem)) for file in files}))

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Let no other process read or write meanwhile; it is a matter of milliseconds."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self._folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _of(self, person: str) -> Path:
        return self._folder / sha256(person.encode()).hexdigest()[:32]

    def _file(self, account: Account) -> Path:
        address = sha256(account.url.encode()).hexdigest()[:16]
        return self._of(account.person) / f"{account.server}-{address}.json"


def _names(account: Account) -> Mapping[str, str]:
    return {"person": account.person, "server": account.server, "url": account.url}


def _generation(folder: Path) -> str:
    try:
        return (folder / _GENERATION).read_text(encoding="ascii")
    except (OSError, ValueError):
        return ""


def _replace(file: Path, text: str) -> None:
    draft = file.with_name(f".{file.name}-{secrets.token_hex(4)}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
        out.write(text)
    draft.replace(file)


def _read(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
