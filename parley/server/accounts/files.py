"""What lets the agent use people's own accounts on servers, in files that no other user may read."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Account:
    """An account of a person at a server: what is kept of it goes to this address, and to no other."""

    person: str
    server: str
    url: str


class AccountFiles:
    """A folder for each person, with a file for each server where they have signed in.

    Files of earlier versions have no address; nothing is read of them, for a server may have another one now.
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

    def write(self, account: Account, kept: Mapping[str, Any]) -> None:
        """Keep it in the place of what was there. Raises OSError."""
        file = self._file(account)
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = file.with_name(f".{file.name}-{secrets.token_hex(4)}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            json.dump({**kept, **_names(account)}, out)
        draft.replace(file)

    def forget(self, account: Account) -> None:
        """Remove what was kept, if it was. Raises OSError."""
        self._file(account).unlink(missing_ok=True)

    def erase(self, person: str) -> int:
        """Remove all that was kept of a person, for any address; return how much. Raises OSError."""
        files = [*self._of(person).glob("*.json")]
        for file in files:
            file.unlink(missing_ok=True)
        return len(files)

    def servers(self, person: str) -> tuple[str, ...]:
        """Return the servers where somebody has signed in."""
        files = self._of(person).glob("*.json")
        return tuple(sorted({str(_read(file).get("server", file.stem)) for file in files}))

    def _of(self, person: str) -> Path:
        return self._folder / sha256(person.encode()).hexdigest()[:32]

    def _file(self, account: Account) -> Path:
        address = sha256(account.url.encode()).hexdigest()[:16]
        return self._of(account.person) / f"{account.server}-{address}.json"


def _names(account: Account) -> Mapping[str, str]:
    return {"person": account.person, "server": account.server, "url": account.url}


def _read(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
