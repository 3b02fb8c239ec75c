"""The first set-up over HTTP, under `/api/setup`: for whoever sits at this machine and has the token."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Literal, Protocol

from pydantic import Field, StringConstraints
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from parley.console.api.bodies import RequestBody, RequestRefused, answer_refusals, read_json
from parley.console.api.setup_state import SetupAssistants, SetupState
from parley.console.http.options import host_name
from parley.core.model.errors import ParleyError
from parley.core.network import is_loopback

PATH = "/api/setup"
_PRIVATE = {"cache-control": "no-store"}
_FORWARDED = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip")
_Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=4_096)]


class SetupChannelBody(RequestBody):
    """A platform's credentials; without any the platform is asked again. `server` takes its place."""

    channel: _Text
    keys: Mapping[str, _Text] = Field(default_factory=dict, repr=False)
    server: _Text = ""


class SetupScanBody(RequestBody):
    """The platform whose app is to be made by scanning."""

    channel: _Text
    server: _Text = ""


class SetupWaitBody(RequestBody):
    """The platform whose bot somebody is about to write to."""

    channel: _Text


class SetupAdminBody(RequestBody):
    """Whether the message that came is that of whoever sits here."""

    mine: bool


class SetupAgentBody(RequestBody):
    """An agent; `name` is a graph, an assistant, or a model as `provider:name`."""

    kind: Literal["demonstration", "project", "model", "server"]
    name: _Text = ""
    url: _Text = ""
    key: str = Field(default="", max_length=4_096, repr=False)


class SetupWriteBody(RequestBody):
    """Nothing is said but that it is to be written."""


class FirstSetup(Protocol):
    """The steps of the first set-up. Each raises ParleyError where it does not work."""

    def state(self, language: str) -> SetupState:
        """Return what there is so far."""
        ...

    async def try_channel(self, channel: str, keys: Mapping[str, str], server: str) -> None:
        """Ask the platform whether it accepts these, and keep them if it does."""
        ...

    async def begin_scan(self, channel: str, server: str) -> None:
        """Have an app made by whoever scans its QR code."""
        ...

    async def begin_wait(self, channel: str) -> None:
        """Wait for the first message to the bot."""
        ...

    async def confirm_admin(self, mine: bool) -> None:
        """Make whoever wrote the administrator, or go on waiting."""
        ...

    async def end_waiting(self) -> None:
        """End a scan or a wait."""
        ...

    async def list_assistants(self, url: str, key: str) -> Sequence[str]:
        """Return the names of a server's assistants."""
        ...

    async def try_agent(self, chosen: SetupAgentBody) -> None:
        """Say hello to the agent, and keep it if it answers."""
        ...

    async def write(self) -> None:
        """Write the files, and have Parley started again with them."""
        ...

    async def forget(self) -> None:
        """Begin again: what was not written is gone."""
        ...


_Step = Callable[[FirstSetup, Request], Awaitable[None]]


def setup_routes(setup: FirstSetup | None) -> Sequence[Route]:
    """GET tells what there is; everything else is a step, and answers with what there is then.

    None where Parley is set up already.
    """

    async def shown(request: Request) -> Response:
        here = setup if _sits_here(request) else None
        return _answer(_state(here, request) if here else SetupState(open=False))

    async def assistants(request: Request) -> Response:
        here = _require_open(setup, request)
        said = await read_json(request, SetupAgentBody)
        return _answer(SetupAssistants(await here.list_assistants(said.url, said.key)))

    def route(path: str, method: str, step: _Step) -> Route:
        async def done(request: Request) -> Response:
            here = _require_open(setup, request)
            await step(here, request)
            return _answer(_state(here, request))

        return Route(PATH + path, answer_refusals(_tell(done)), methods=[method])

    steps = (route(path, method, step) for (path, method), step in _STEPS.items())
    listing = Route(f"{PATH}/assistants", answer_refusals(_tell(assistants)), methods=["POST"])
    return (Route(PATH, shown, methods=["GET"]), *steps, listing)


async def _channel(setup: FirstSetup, request: Request) -> None:
    said = await read_json(request, SetupChannelBody)
    await setup.try_channel(said.channel, said.keys, said.server)


async def _scan(setup: FirstSetup, request: Request) -> None:
    said = await read_json(request, SetupScanBody)
    await setup.begin_scan(said.channel, said.server)


async def _wait(setup: FirstSetup, request: Request) -> None:
    await setup.begin_wait((await read_json(request, SetupWaitBody)).channel)


async def _end_waiting(setup: FirstSetup, request: Request) -> None:
    await setup.end_waiting()


async def _admin(setup: FirstSetup, request: Request) -> None:
    await setup.confirm_admin((await read_json(request, SetupAdminBody)).mine)


async def _agent(setup: FirstSetup, request: Request) -> None:
    await setup.try_agent(await read_json(request, SetupAgentBody))


async def _write(setup: FirstSetup, request: Request) -> None:
    await read_json(request, SetupWriteBody)
    await setup.write()


async def _forget(setup: FirstSetup, request: Request) -> None:
    await setup.forget()


_STEPS: Mapping[tuple[str, str], _Step] = {
    ("", "DELETE"): _forget,
    ("/channel", "POST"): _channel,
    ("/scan", "POST"): _scan,
    ("/wait", "POST"): _wait,
    ("/wait", "DELETE"): _end_waiting,
    ("/admin", "POST"): _admin,
    ("/agent", "POST"): _agent,
    ("/write", "POST"): _write,
}


def _sits_here(request: Request) -> bool:
    """Tell whether somebody at this machine asks, by its own name, and no proxy for somebody else."""
    at_home = request.client is not None and is_loopback(request.client.host)
    named = is_loopback(host_name(request.headers.get("host", "")))
    return at_home and named and not any(name in request.headers for name in _FORWARDED)


def _require_open(setup: FirstSetup | None, request: Request) -> FirstSetup:
    if setup is None or not _sits_here(request):
        text = "The set-up is open on a new Parley only, at its own machine. Call: parley init"
        raise RequestRefused(403, "setup_closed", text)
    return setup


def _tell(handler: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """Return the handler with what does not work as an answer."""

    async def wrapped(request: Request) -> Response:
        try:
            return await handler(request)
        except ParleyError as error:
            raise RequestRefused(409, "setup_refused", error.user_text) from error

    return wrapped


def _state(setup: FirstSetup, request: Request) -> SetupState:
    return setup.state(request.query_params.get("language", ""))


def _answer(value: SetupState | SetupAssistants) -> Response:
    return JSONResponse(asdict(value), headers=_PRIVATE)
