"""The models that an agent's gateway offers."""

from __future__ import annotations

import asyncio

from parley.agent.transport.decoding import read_json, string
from parley.agent.transport.error_mapping import map_errors
from parley.agent.transport.http_client import AgentEndpoint, fetch, http_client
from parley.core.model.types import Json

_PATHS = ("api/models", "models")
_PATIENCE = 10.0


async def fetch_models(gateway_url: str, endpoint: AgentEndpoint) -> tuple[str, ...]:
    """Ask the gateway, with the credentials that runs have. Raises AgentError."""
    gateway = AgentEndpoint(gateway_url.rstrip("/"), endpoint.api_key, endpoint.headers)
    async with http_client(gateway) as http:
        for path in _PATHS:
            with map_errors("list the models"):
                async with asyncio.timeout(_PATIENCE):
                    response = await fetch(http, "GET", path)
                if response.status_code in (404, 405):
                    continue
                response.raise_for_status()
                return parse_model_names(read_json(response.content))
    return ()


def parse_model_names(answer: Json) -> tuple[str, ...]:
    """The names in `{"models": [...]}`, `{"data": [...]}` or a bare list, of texts or of objects."""
    if isinstance(answer, dict):
        answer = answer.get("models") or answer.get("data")
    if isinstance(answer, dict):
        answer = list(answer)
    found = [_name(each) for each in answer] if isinstance(answer, list) else []
    return tuple(dict.fromkeys(filter(None, found)))


def _name(model: Json) -> str:
    if isinstance(model, dict):
        return string(model.get("name")) or string(model.get("id")) or string(model.get("model"))
    return string(model)
