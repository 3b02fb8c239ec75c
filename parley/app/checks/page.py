"""Whether the page's address can be had."""

from __future__ import annotations

import socket
from contextlib import closing

from parley.app.checks.findings import Findings, problem_at
from parley.app.settings.load import LoadedSettings


def check_page(loaded: LoadedSettings) -> Findings:
    """Return why the page could not be served: an address of no machine, or a port that another has."""
    console = loaded.settings.console
    try:
        found = socket.getaddrinfo(console.host, console.port, type=socket.SOCK_STREAM)
    except OSError:
        text = f"{console.host} is not an address of this machine; write 127.0.0.1 or 0.0.0.0"
        return Findings((problem_at(loaded, ("console", "host"), text),))
    family, _, _, _, where = found[0]
    with closing(socket.socket(family)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(where)
        except OSError as error:
            text = f"{console.port} cannot be had ({error.strerror}); write another port"
            return Findings((problem_at(loaded, ("console", "port"), text),))
    return Findings()
