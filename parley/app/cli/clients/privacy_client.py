"""Everything about a person, as the command line asks for it: from the running Parley, or without one."""

from __future__ import annotations

import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from pydantic import BaseModel

from parley.app.cli.clients.console_api import open_console, parse_answer, refusal_text
from parley.app.settings.load import LoadedSettings
from parley.core.model.errors import ParleyError
from parley.core.privacy.data_subject import DataSubject
from parley.core.privacy.service import PrivacyService

_PATH = "/api/person"
# An erasure waits for turns that are under way, and deletes threads one after the other.
_PATIENCE = httpx.Timeout(5.0, read=600.0)


class _SubjectView(BaseModel):
    person: str
    accounts: tuple[str, ...]


class _ErasedView(BaseModel):
    receipt: str
    unfinished: bool


class PersonRefused(ParleyError):
    """It cannot be done, or not just now."""


@dataclass(frozen=True, slots=True)
class ErasureView:
    """The receipt of an erasure; `unfinished` says that it has to be called again."""

    lines: tuple[str, ...]
    unfinished: bool


@dataclass(frozen=True, slots=True)
class PrivacyClient:
    """Every method raises ParleyError."""

    loaded: LoadedSettings

    async def find(self, name: str) -> DataSubject:
        """Return the person of this name, and all their accounts."""
        async with self._console() as http:
            if http is not None:
                answer = await _asked(http, "GET", "", params={"person": name})
                view = parse_answer(_SubjectView, answer, PersonRefused)
                return DataSubject(view.person, view.accounts)
        async with self._desk() as desk:
            return await desk.find(name)

    async def export(self, name: str, into: Path) -> tuple[str, ...]:
        """Write everything into the new file `into`; returns the receipt."""
        try:
            return await self._exported(name, into)
        except OSError as error:
            raise PersonRefused(f"{into} cannot be written: {error.strerror}.") from error

    async def erase(self, name: str, subject: DataSubject) -> ErasureView:
        """Erase everything about the person, whose accounts still have to be those of `subject`."""
        async with self._console() as http:
            if http is not None:
                body: dict[str, str | list[str]] = {"person": name, "accounts": list(subject.accounts)}
                answer = await _asked(http, "POST", "/erase", json=body)
                view = parse_answer(_ErasedView, answer, PersonRefused)
                return ErasureView(tuple(view.receipt.splitlines()), view.unfinished)
        async with self._desk() as desk:
            report = await desk.erase(name)
            return ErasureView(tuple(report.lines("erased")), report.unfinished)

    async def _exported(self, name: str, into: Path) -> tuple[str, ...]:
        async with self._console() as http:
            if http is not None:
                async with http.stream("GET", f"{_PATH}/export", params={"person": name}) as answer:
                    if not answer.is_success:
                        await answer.aread()
                        raise _refusal(answer)
                    with into.open("xb") as file:
                        async for part in answer.aiter_bytes():
                            file.write(part)
                return _receipt(into)
        async with self._desk() as desk:
            await desk.export(name, into)
        return _receipt(into)

    @asynccontextmanager
    async def _console(self) -> AsyncIterator[httpx.AsyncClient | None]:
        """Yield a client of the running Parley; None where none runs."""
        async with open_console(self.loaded, _PATIENCE) as http:
            try:
                await http.get("/livez")
            except httpx.TransportError:
                yield None
            else:
                yield http

    @asynccontextmanager
    async def _desk(self) -> AsyncIterator[PrivacyService]:
        """Yield the desk of a Parley that is put together here, and serves nobody."""
        from parley.app.composition.build import build_parley

        async with build_parley(self.loaded) as parley:
            try:
                yield parley.people
            except ValueError as error:
                raise PersonRefused("Write an account as channel:id, such as telegram:4711.") from error


async def _asked(
    http: httpx.AsyncClient,
    method: str,
    path: str,
    *,
    params: dict[str, str] | None = None,
    json: dict[str, str | list[str]] | None = None,
) -> httpx.Response:
    try:
        answer = await http.request(method, f"{_PATH}{path}", params=params, json=json)
    except httpx.TransportError as error:
        raise PersonRefused("Parley went away in the middle; call this again.") from error
    if not answer.is_success:
        raise _refusal(answer)
    return answer


def _refusal(answer: httpx.Response) -> PersonRefused:
    otherwise = f"What answers at {answer.url} is no Parley of this version (HTTP {answer.status_code})."
    return PersonRefused(refusal_text(answer, otherwise))


def _receipt(path: Path) -> tuple[str, ...]:
    with zipfile.ZipFile(path) as archive:
        return tuple(archive.read("receipt.txt").decode().splitlines())
