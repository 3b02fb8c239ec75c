"""Addresses of services in config.yaml."""

from __future__ import annotations

from urllib.parse import urlsplit


def check_address(value: str) -> str:
    """Return an address, or ""; a validator. Raises ValueError, which does not show a password in it."""
    if value and not value.startswith(("http://", "https://")):
        raise ValueError(f'must start with http:// or https://, not "{shown(value)}"')
    if value and not _has_host(value):
        raise ValueError("must be an address with a host, such as http://localhost:8080")
    return value


def shown(value: str) -> str:
    """Return a value for a message: without what may be a password, where it may be no address at all."""
    return value.rpartition("@")[2]


def _has_host(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
