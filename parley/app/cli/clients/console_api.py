"""Questions to the HTTP API of a running Parley."""

from __future__ import annotations

from typing import TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from parley.app.settings.load import LoadedSettings
from parley.app.storage.endpoint import server_url
from parley.app.storage.secret_files import auth_headers
from parley.core.model.errors import ParleyError

_View = TypeVar("_View", bound=BaseModel)
_PATIENCE = httpx.Timeout(5.0)


def open_console(loaded: LoadedSettings, timeout: httpx.Timeout = _PATIENCE) -> httpx.AsyncClient:
    """Return a client of the Parley with these settings, whether it runs or not."""
    url = server_url(loaded.settings.console.host, loaded.settings.console.port)
    return httpx.AsyncClient(base_url=url, headers=auth_headers(loaded), trust_env=False, timeout=timeout)


async def ask_console(
    loaded: LoadedSettings,
    method: str,
    path: str,
    *,
    json: dict[str, str] | None = None,
    params: dict[str, str] | None = None,
) -> httpx.Response | None:
    """Return what the running Parley answers; None when none runs."""
    async with open_console(loaded) as http:
        try:
            return await http.request(method, path, json=json, params=params)
        except httpx.TransportError:
            return None


def parse_answer(view: type[_View], answer: httpx.Response, refused: type[ParleyError]) -> _View:
    """Return the body as `view`. Raises `refused` where another program answered."""
    try:
        return view.model_validate_json(answer.content)
    except ValidationError as error:
        raise refused(f"What answers at {answer.url} is no Parley; set another console.port.") from error


def refusal_text(answer: httpx.Response, otherwise: str) -> str:
    """Return why Parley refused, or `otherwise` where it was not Parley that answered."""
    try:
        return str(answer.json()["error"]["text"])
    except (ValueError, KeyError, TypeError):
        return otherwise
