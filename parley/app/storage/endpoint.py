"""The address of a running Parley."""

from __future__ import annotations


def server_url(host: str, port: int) -> str:
    """Return the URL at which this machine reaches a server that listens on `host`."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - looked up only
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
