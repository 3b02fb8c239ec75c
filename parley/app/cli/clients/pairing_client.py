"""Who was let in, as the command line asks for it: from the running Parley, or its store when none runs."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from parley.app.cli.clients.endpoint import server_url
from parley.app.settings.load import LoadedSettings
from parley.app.storage.secret_files import auth_headers
from parley.app.storage.store import open_store
from parley.core.model.errors import ParleyError
from parley.core.state.pairing import Pairing

_PATH = "/api/pairing"
_BY = "command line"
_View = TypeVar("_View", bound=BaseModel)


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
    """Both."""

    requests: list[RequestView]
    paired: list[PairedView]


class NotPaired(ParleyError):
    """The code is no good, or the account was not let in."""


@dataclass(frozen=True, slots=True)
class PairingClient:
    """Every method raises ParleyError."""

    loaded: LoadedSettings

    async def lists(self) -> PairingLists:
        """Who asks, and who was let in."""
        answer = await self._asked("GET")
        if answer is not None:
            return _read(PairingLists, answer)
        async with self._store() as pairing:
            return PairingLists(
                requests=[
                    RequestView.model_validate(each, from_attributes=True)
                    async for each in pairing.requests()
                ],
                paired=[
                    PairedView.model_validate(each, from_attributes=True) async for each in pairing.accounts()
                ],
            )

    async def approve(self, code: str) -> PairedView:
        """Let in who was given `code`. Raises NotPaired."""
        answer = await self._asked("POST", code=code)
        if answer is not None:
            return _read(PairedView, answer)
        async with self._store() as pairing:
            paired = await pairing.approve(code, _BY)
            if paired is None:
                raise NotPaired("This code is unknown, used or too old.")
            return PairedView.model_validate(paired, from_attributes=True)

    async def revoke(self, account: str) -> None:
        """Let an account in no more. Raises NotPaired."""
        if await self._asked("DELETE", account=account) is not None:
            return
        async with self._store() as pairing:
            if not await pairing.revoke(account):
                raise NotPaired("No such account was let in with a code.")

    async def _asked(self, method: str, *, code: str = "", account: str = "") -> httpx.Response | None:
        """What the running Parley answers; None when none runs."""
        console = self.loaded.settings.console
        url = server_url(console.host, console.port)
        try:
            async with httpx.AsyncClient(
                base_url=url, headers=auth_headers(self.loaded), trust_env=False
            ) as http:
                answer = await http.request(
                    method,
                    _PATH,
                    json={"code": code} if code else None,
                    params={"account": account} if account else None,
                )
        except httpx.TransportError:
            return None
        if answer.is_success:
            return answer
        raise NotPaired(_reason(answer, url))

    @asynccontextmanager
    async def _store(self) -> AsyncIterator[Pairing]:
        self.loaded.data_dir.mkdir(parents=True, exist_ok=True)
        async with open_store(self.loaded) as journal:
            yield Pairing(journal, time.time)


def _read(view: type[_View], answer: httpx.Response) -> _View:
    try:
        return view.model_validate_json(answer.content)
    except ValidationError as error:
        raise NotPaired(f"What answers at {answer.url} is no Parley; set another console.port.") from error


def _reason(answer: httpx.Response, url: str) -> str:
    try:
        return str(answer.json()["error"]["text"])
    except (ValueError, KeyError, TypeError):
        return f"What answers at {url} is no Parley (HTTP {answer.status_code}); set another console.port."
