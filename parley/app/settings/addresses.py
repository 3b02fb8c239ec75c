"""Where this Parley is found: from its own machine, and by browsers of people who sign in to something."""

from __future__ import annotations

import ipaddress
from contextlib import suppress

from parley.app.settings.load import LoadedSettings


def own_address(loaded: LoadedSettings) -> str:
    """Return where the console is found from this machine."""
    console = loaded.settings.console
    host = console.host
    with suppress(ValueError):
        if ipaddress.ip_address(host).is_unspecified:
            host = "127.0.0.1"
    place = f"[{host}]" if ":" in host else host
    return f"http://{place}:{console.port}"


def sign_in_address(loaded: LoadedSettings) -> str:
    """Return where browsers reach this Parley."""
    return loaded.settings.built_in.mcp.public_url or own_address(loaded)
