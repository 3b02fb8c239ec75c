"""Dead letters, as the command line asks for them: from the running Parley, or its store when none runs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx
from pydantic import BaseModel, ValidationError

from parley.app.cli.chat import address
from parley.app.settings.load import Loaded
from parley.app.store import open_store
from parley.app.tokens import way_in
from parley.core.errors import ParleyError
from parley.core.letters import Letter, Letters

_PATH = "/api/letters"


class LetterView(BaseModel):
    """A dead letter; what was said, and the answer, only where one letter was asked for."""

    item: int
    kind: str
    conversation: str
    person: str
    name: str
    at: float
    reason: str
    items: tuple[int, ...]
    said: str = ""
    answer: str = ""


class _Lists(BaseModel):
    letters: tuple[LetterView, ...]


class NoLetter(ParleyError):
    """There is no such letter, or what answers is no Parley."""


@dataclass(frozen=True, slots=True)
class Mailbox:
    """Every method raises ParleyError."""

    loaded: Loaded

    async def every(self) -> Sequence[LetterView]:
        """Return all letters, newest first."""
        answer = await self._asked("GET", "")
        if answer is not None:
            try:
                return _Lists.model_validate_json(answer.content).letters
            except ValidationError as error:
                raise _no_parley(answer) from error
        async with self._store() as letters:
            return [_view(each) for each in await letters.every()]

    async def show(self, item: int) -> LetterView:
        """Return one letter with its texts."""
        answer = await self._asked("GET", f"/{item}")
        if answer is not None:
            try:
                return LetterView.model_validate_json(answer.content)
            except ValidationError as error:
                raise _no_parley(answer) from error
        async with self._store() as letters:
            found = await letters.find(item)
            if found is None:
                raise _unknown(item)
            return _view(found)

    async def retry(self, item: int) -> bool:
        """Let it be tried again; True where a Parley runs, that does so now. Raises NoLetter."""
        if await self._asked("POST", f"/{item}/retry") is not None:
            return True
        async with self._store() as letters:
            if not await letters.retry(item):
                raise _unknown(item)
        return False

    async def drop(self, item: int) -> None:
        """Remove it for good. Raises NoLetter."""
        if await self._asked("DELETE", f"/{item}") is not None:
            return
        async with self._store() as letters:
            if not await letters.drop(item):
                raise _unknown(item)

    async def _asked(self, method: str, path: str) -> httpx.Response | None:
        """What the running Parley answers; None when none runs."""
        console = self.loaded.settings.console
        url = address(console.host, console.port)
        try:
            async with httpx.AsyncClient(base_url=url, headers=way_in(self.loaded), trust_env=False) as http:
                answer = await http.request(method, f"{_PATH}{path}")
        except httpx.TransportError:
            return None
        if answer.is_success:
            return answer
        try:
            raise NoLetter(str(answer.json()["error"]["text"]))
        except (ValueError, KeyError, TypeError) as error:
            raise _no_parley(answer) from error

    @asynccontextmanager
    async def _store(self) -> AsyncIterator[Letters]:
        self.loaded.data_dir.mkdir(parents=True, exist_ok=True)
        async with open_store(self.loaded) as journal:
            yield Letters(journal)


def _view(letter: Letter) -> LetterView:
    return LetterView.model_validate(letter, from_attributes=True)


def _unknown(item: int) -> NoLetter:
    return NoLetter(f"There is no dead letter {item}; `parley letters list` shows them.")


def _no_parley(answer: httpx.Response) -> NoLetter:
    text = f"What answers at {answer.url} is no Parley of this version (HTTP {answer.status_code})."
    return NoLetter(text)
