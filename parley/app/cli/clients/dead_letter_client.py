"""Dead letters, as the command line asks for them: from the running Parley, or its store when none runs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlencode

import httpx
from pydantic import BaseModel, ValidationError

from parley.app.cli.clients.console_api import ask_console, refusal_text
from parley.app.settings.load import LoadedSettings
from parley.app.storage.store import open_store
from parley.core.dead_letters import MOST_ON_PAGE, DeadLetter, DeadLetters
from parley.core.model.errors import ParleyError

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


class _Page(BaseModel):
    letters: tuple[LetterView, ...]
    after: str


class LetterNotFound(ParleyError):
    """There is no such letter, or what answers is no Parley."""


@dataclass(frozen=True, slots=True)
class DeadLetterClient:
    """Every method raises ParleyError."""

    loaded: LoadedSettings

    async def pages(self) -> AsyncIterator[Sequence[LetterView]]:
        """Yield all letters, newest first, a page at a time."""
        after = ""
        while True:
            page = await self._page(after)
            yield page.letters
            after = page.after
            if not after:
                return

    async def show(self, item: int) -> LetterView:
        """Return one letter with its texts."""
        answer = await self._asked("GET", f"/{item}")
        if answer is not None:
            try:
                return LetterView.model_validate_json(answer.content)
            except ValidationError as error:
                raise LetterNotFound(_no_parley(answer)) from error
        async with self._store() as letters:
            found = await letters.find(item)
            if found is None:
                raise _unknown(item)
            return _view(found)

    async def retry(self, item: int) -> bool:
        """Let it be tried again; True where a Parley runs, that does so now. Raises LetterNotFound."""
        if await self._asked("POST", f"/{item}/retry") is not None:
            return True
        async with self._store() as letters:
            if not await letters.retry(item):
                raise _unknown(item)
        return False

    async def drop(self, item: int) -> None:
        """Remove it for good. Raises LetterNotFound."""
        if await self._asked("DELETE", f"/{item}") is not None:
            return
        async with self._store() as letters:
            if not await letters.drop(item):
                raise _unknown(item)

    async def _page(self, after: str) -> _Page:
        query = urlencode({"limit": MOST_ON_PAGE, "after": after})
        answer = await self._asked("GET", f"?{query}")
        if answer is not None:
            try:
                return _Page.model_validate_json(answer.content)
            except ValidationError as error:
                raise LetterNotFound(_no_parley(answer)) from error
        async with self._store() as letters:
            found = await letters.page(MOST_ON_PAGE, after)
            return _Page(letters=tuple(map(_view, found.letters)), after=found.after)

    async def _asked(self, method: str, path: str) -> httpx.Response | None:
        """Return what the running Parley answers; None when none runs."""
        answer = await ask_console(self.loaded, method, f"{_PATH}{path}")
        if answer is None or answer.is_success:
            return answer
        raise LetterNotFound(refusal_text(answer, _no_parley(answer)))

    @asynccontextmanager
    async def _store(self) -> AsyncIterator[DeadLetters]:
        self.loaded.data_dir.mkdir(parents=True, exist_ok=True)
        async with open_store(self.loaded) as journal:
            yield DeadLetters(journal)


def _view(letter: DeadLetter) -> LetterView:
    return LetterView.model_validate(letter, from_attributes=True)


def _unknown(item: int) -> LetterNotFound:
    return LetterNotFound(f"There is no dead letter {item}; `parley letters list` shows them.")


def _no_parley(answer: httpx.Response) -> str:
    return f"What answers at {answer.url} is no Parley of this version (HTTP {answer.status_code})."
