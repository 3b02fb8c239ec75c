"""What lets the agent use people's own accounts on servers, in files that no other user may read."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

_PERSON = "person"


class AccountFiles:
    """A folder for each person, with a file for each server where they have signed in."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, person: str, server: str) -> dict[str, Any]:
        """Return what was kept; nothing where there is none, or what is there is damaged."""
        try:
            found = json.loads(self._file(person, server).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) and found.get(_PERSON) == person else {}

    def has(self, person: str, server: str) -> bool:
        """Return whether somebody has signed in to a server."""
        return self._file(person, server).is_file()

    def write(self, person: str, server: str, kept: Mapping[str, Any]) -> None:
        """Keep it in the place of what was there. Raises OSError."""
        file = self._file(person, server)
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = file.with_name(f".{file.name}-{secrets.token_hex(4)}")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            json.dump({**kept, _PERSON: person}, out)
        draft.replace(file)

    def forget(self, person: str, server: str) -> None:
        """Remove what was kept, if it was. Raises OSError."""
        self._file(person, server).unlink(missing_ok=True)

    def servers(self, person: str) -> tuple[str, ...]:
        """Return the servers where somebody has signed in."""
        return tuple(sorted(file.stem for file in self._of(person).glob("*.json")))

    def _of(self, person: str) -> Path:
        return self._folder / sha256(person.encode()).hexdigest()[:32]

    def _file(self, person: str, server: str) -> Path:
        return self._of(person) / f"{server}.json"
