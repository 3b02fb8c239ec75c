"""A call's parameters, from a query, a form or JSON, read the way the platform reads them."""

from __future__ import annotations

from aiohttp import web

from parley.simulator.kit.json_values import JsonObject, decode_object
from parley.simulator.kit.params import Params, read_values
from parley.simulator.slack.errors import SlackErrorResponse


class SlackParams(Params):
    """Parameters by name."""

    def error(self, name: str, wanted: str = "") -> SlackErrorResponse:
        """Return what Slack says to any parameter that is not as it should be."""
        return SlackErrorResponse("invalid_arguments")

    def needed(self, name: str) -> str:
        """Return a text that must be there. Raises SlackErrorResponse."""
        value = self.text(name)
        if not value:
            raise SlackErrorResponse("invalid_arguments")
        return value

    def integer(self, name: str, default: int) -> int:
        """Return a whole number. Raises SlackErrorResponse."""
        try:
            return int(self.text(name) or default)
        except ValueError:
            raise SlackErrorResponse("invalid_arguments") from None

    def object(self, name: str) -> JsonObject:
        """Return an object, perhaps written as JSON; empty when not given. Raises SlackErrorResponse."""
        return self.object_or_none(name) or {}


async def read_params(request: web.Request) -> SlackParams:
    """Return all of a request's parameters. Raises SlackErrorResponse."""
    return SlackParams(await read_values(request, _object))


def _object(body: bytes) -> JsonObject:
    return decode_object(body, SlackErrorResponse("invalid_json"), SlackErrorResponse("json_not_object"))
