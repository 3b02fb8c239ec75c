"""Opening the API of a Parley: of one that is started in this process, or of one that runs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import httpx

from parley.client.connection import OpenedApi
from parley.client.errors import ClientError
from parley.core.model.errors import StoreInUse

if TYPE_CHECKING:
    from parley.app.settings.load import LoadedSettings

_HERE = "http://127.0.0.1"
_LAST_PORT = 65_535


@asynccontextmanager
async def open_embedded(load: Callable[[], LoadedSettings], timeout: float) -> AsyncIterator[OpenedApi]:
    """Start a Parley in this process and open its API. Raises ParleyError."""
    from parley.app.in_process.task import embed_parley
    from parley.server.asgi_transport import StreamingASGITransport

    loaded = load()
    try:
        async with (
            embed_parley(loaded) as parley,
            StreamingASGITransport(parley.app) as transport,
            httpx.AsyncClient(
                transport=transport, base_url=_HERE, headers=_bearer(parley.token), timeout=timeout
            ) as http,
        ):
            yield OpenedApi(http, parley.check, remote=False)
    except StoreInUse as error:
        raise _running_beside(error, loaded) from error


@asynccontextmanager
async def open_remote(url: str, token: str, timeout: float) -> AsyncIterator[OpenedApi]:
    """Open the API of a Parley that runs; nothing is asked of it yet. Raises ClientError."""
    _check_address(url, token)
    async with httpx.AsyncClient(
        base_url=url, headers=_bearer(token), timeout=timeout, trust_env=False
    ) as http:
        yield OpenedApi(http, lambda: None, remote=True)


def _check_address(url: str, token: str) -> None:
    """Raise ClientError where nothing can be asked under this address, or with this token."""
    try:
        address = httpx.URL(url)
        usable = address.scheme in ("http", "https") and bool(address.host)
    except httpx.InvalidURL:
        usable = False
    if not usable or (address.port or 0) > _LAST_PORT:
        raise ClientError("url: must be such as http://127.0.0.1:8765", code="bad_url")
    if not (token.isascii() and token.isprintable()):
        raise ClientError("token: has signs that no token has", code="bad_token")


def _bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"} if token else {}


def _running_beside(error: StoreInUse, loaded: LoadedSettings) -> ClientError:
    """Return a line that names the way to the Parley which has the data."""
    from parley.app.storage.endpoint import server_url

    url = server_url(loaded.settings.console.host, loaded.settings.console.port)
    token = "console.token" if loaded.settings.console.token else f"the token in {loaded.data_dir / 'token'}"
    return ClientError(
        f'{error.user_text} Or ask that one: parley.Client(url="{url}", token=...), with {token}.',
        code="in_use",
    )
