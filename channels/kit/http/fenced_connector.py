"""Connections whose requests end with the lease that they are made under."""

from __future__ import annotations

import logging
import socket
import struct
from contextlib import suppress
from functools import partial

import aiohttp
from aiohttp.client import ClientTimeout
from aiohttp.connector import Connection
from aiohttp.tracing import Trace

from parley.core.ports.lease import call_at_lease_end, require_lease

log = logging.getLogger(__name__)

_LINGER_NOT = struct.pack("ii", 1, 0)


class FencedConnector(aiohttp.TCPConnector):
    """Resets a connection that is in use when the lease of its user ends.

    The kernel throws away what it has not sent, so that it does not arrive after another node's words.
    """

    async def connect(
        self, req: aiohttp.ClientRequest, traces: list[Trace], timeout: ClientTimeout
    ) -> Connection:
        connection = await super().connect(req, traces, timeout)
        try:
            require_lease()  # to connect takes time
        except BaseException:
            connection.close()
            raise
        connection.add_callback(call_at_lease_end(partial(_reset, connection, req.url.host)))
        return connection


def _reset(connection: Connection, host: str | None) -> None:
    transport = connection.transport
    if transport is None:
        return
    log.info("a request to %s was under way when this node's lease ended: it is broken off", host)
    link = transport.get_extra_info("socket")
    with suppress(OSError):
        if link is not None:
            link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)
    transport.abort()
