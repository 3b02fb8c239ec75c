"""The embedded server on its own, over TCP."""

from __future__ import annotations

import asyncio
import errno
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import uvicorn

from parley.core.model.errors import ConfigError
from parley.server.app import embedded_server
from parley.server.blocked_nodes import watched_from_aside
from parley.server.options import EmbeddedOptions
from parley.server.runs.manager import RunManager

_GRACE = 1
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def _unheard(_: str) -> None:
    return None


async def serve(
    options: EmbeddedOptions,
    host: str,
    port: int,
    listening: Callable[[str], None] = _unheard,
    http: type[asyncio.Protocol] | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM; `listening` is told the server's URL once it answers.

    `http` is what takes the requests of a connection, uvicorn's own where none is given.

    Raises ConfigError when the port is taken, the host is not ours, or there is neither key nor handler:
    whatever runs on this machine, and whoever else can reach the host, could ask for every thread.
    """
    if not options.api_key and not options.auth:
        raise ConfigError(f"agent.host: {host} can be reached by others: set agent.api_key, or use 127.0.0.1")
    with _listen(host, port) as listener:
        number = listener.getsockname()[1]
        shown = f"[{host}]" if ":" in host else host
        async with embedded_server(options) as app:
            config = uvicorn.Config(
                app,
                http=http or "auto",
                lifespan="off",
                log_level="warning",
                timeout_graceful_shutdown=_GRACE,
            )
            listening(f"http://{shown}:{number}")
            with watched_from_aside(asyncio.get_running_loop()):
                await _Server(config, app.state.services.runs).serve(sockets=[listener])


class _Server(uvicorn.Server):
    """Stops on a signal by itself; uvicorn would raise the signal again before we have cleaned up."""

    def __init__(self, config: uvicorn.Config, runs: RunManager) -> None:
        super().__init__(config)
        self._runs = runs
        self._stopping: asyncio.Task[None] | None = None

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals while serving, where that is possible."""
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError, ValueError, RuntimeError):
            for number in _SIGNALS:
                loop.add_signal_handler(number, self._stop)
        try:
            yield
        finally:
            with suppress(NotImplementedError, ValueError, RuntimeError):
                for number in _SIGNALS:
                    loop.remove_signal_handler(number)

    def _stop(self) -> None:
        # Streams end when their runs stop; without that, open streams would hold up the server.
        self._stopping = asyncio.create_task(self._runs.lanes.close())
        self.should_exit = True


def _listen(host: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        # Listening at once: a client that is told the URL may connect before uvicorn looks.
        listener.listen(2048)
    except OSError as error:
        listener.close()
        why = (
            "is in use; stop what uses it, or name another"
            if error.errno == errno.EADDRINUSE
            else f"cannot be opened: {error}"
        )
        raise ConfigError(f"agent.port: {port} on {host} {why}") from error
    return listener
