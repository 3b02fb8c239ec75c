"""Who was let in, as the command line asks for it: from the running Parley, or its store when none runs."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx
from pydantic import BaseModel

from parley.app.cli.clients.console_api import ask_console, parse_answer, refusal_text
from parley.app.settings.load import LoadedSettings
from parley.app.storage.store import open_store
from parley.console.api.pairing import MOST_ON_PAGE
from parley.core.model.errors import ParleyError
from parley.core.state.pairing import Pairing

_PATH = "/api/pairing"
_BY = "command line"


class RequestView(BaseModel):
    """Somebody who asks to be let in."""

    account: str
    name: str
    until: float


class PairedView(BaseModel):
    """Somebody who was let in."""

    account: str
    name: str
    by: str
    at: float


class PairingLists(BaseModel):
    """Both; `after` leads to the next page, and is empty on the last."""

    requests: list[RequestView]
    paired: list[PairedView]
    after: str


class NotPaired(ParleyError):
    """The code is no good, or the account was not let in."""


@dataclass(frozen=True, slots=True)
class PairingClient:
    """Every method raises ParleyError."""

    loaded: LoadedSettings

    async def pages(self) -> AsyncIterator[PairingLists]:
        """Yield who asks, and who was let in, a page at a time."""
        after = ""
        while True:
            page = await self._page(after)
            yield page
            after = page.after
            if not after:
                return

    async def _page(self, after: str) -> PairingLists:
        answer = await self._asked("GET", params={"limit": str(MOST_ON_PAGE), "after": after})
        if answer is not None:
            return parse_answer(PairingLists, answer, NotPaired)
        async with self._store() as pairing:
            asking = [] if after else [each async for each in pairing.requests()]
            paired, more = await pairing.accounts_page(MOST_ON_PAGE, after)
            return PairingLists(
                requests=[RequestView.model_validate(each, from_attributes=True) for each in asking],
                paired=[PairedView.model_validate(each, from_attributes=True) for each in paired],
                after=more,
            )

    async def approve(self, code: str) -> PairedView:
        """Let in who was given `code`. Raises NotPaired."""
        answer = await self._asked("POST", code=code)
        if answer is not None:
            return parse_answer(PairedView, answer, NotPaired)
        async with self._store() as pairing:
            paired = await pairing.approve(code, _BY)
            if paired is None:
                raise NotPaired("This code is unknown, used or expired.")
            return PairedView.model_validate(paired, from_attributes=True)

    async def revoke(self, account: str) -> None:
        """Let an account in no more. Raises NotPaired."""
        if await self._asked("DELETE", params={"account": account}) is not None:
            return
        async with self._store() as pairing:
            if not await pairing.revoke(account):
                raise NotPaired("No such account was let in with a code.")

    async def _asked(
        self, method: str, *, code: str = "", params: dict[str, str] | None = None
    ) -> httpx.Response | None:
        """Return what the running Parley answers; None when none runs."""
        body = {"code": code} if code else None
        answer = await ask_console(self.loaded, method, _PATH, json=body, params=params)
        if answer is None or answer.is_success:
            return answer
        place = f"{answer.url.scheme}://{answer.url.netloc.decode()}"
        text = f"What answers at {place} is no Parley (HTTP {answer.status_code}); set another console.port."
        raise NotPaired(refusal_text(answer, text))

    @asynccontextmanager
    async def _store(self) -> AsyncIterator[Pairing]:
        self.loaded.data_dir.mkdir(parents=True, exist_ok=True)
        async with open_store(self.loaded) as journal:
            yield Pairing(journal, time.time)
