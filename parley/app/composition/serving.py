"""What the HTTP server serves: the operator's API, and the routes of the channels that are on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from starlette.routing import BaseRoute

from parley.app.monitoring.health import HealthMonitor
from parley.app.reload.current_state import CurrentState, LiveState
from parley.app.settings.load import LoadedSettings
from parley.app.storage.secret_files import console_token
from parley.channels.kit.webhook import Webhook, routes_of
from parley.console.http.options import ConsoleOptions
from parley.console.server import HttpServer


def routes_of_state(
    state: LiveState, api: Sequence[BaseRoute]
) -> tuple[Sequence[BaseRoute], Sequence[BaseRoute]]:
    """Return what is served behind the console's checks, and in front of them."""
    routes = [*api, *_of_channels(state)]
    guarded = [route for route in routes if not isinstance(route, Webhook)]
    return guarded, [route for route in routes if isinstance(route, Webhook)]


def _of_channels(state: LiveState) -> Iterator[BaseRoute]:
    plans = state.loaded.plans
    for name, channel in state.channels.items():
        if name in plans and not plans[name].off:
            yield from routes_of(channel, name, plans[name].kind)


def make_server(
    loaded: LoadedSettings, current: CurrentState, pulse: HealthMonitor, api: Sequence[BaseRoute]
) -> HttpServer:
    """Return the server with all routes of this moment."""
    console = loaded.settings.console
    routes, webhooks = routes_of_state(current.get(), api)
    return HttpServer(
        ConsoleOptions(
            console.host,
            console.port,
            console_token(loaded),
            generated=not console.token,
            names=console.names,
        ),
        routes,
        pulse.reports,
        webhooks=webhooks,
        look=pulse.refresh,
        doubt=pulse.recheck,
    )
