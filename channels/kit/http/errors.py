"""What broke a connection, in words that hold no secret."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp

from parley.channels.kit.errors import ResponseLost
from parley.core.model.errors import ChannelUnavailable

_NEVER_SENT = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.InvalidURL)


@contextmanager
def map_network_errors(platform: str) -> Iterator[None]:
    """Raise ChannelUnavailable for a request that never left, ResponseLost for one that may have arrived.

    aiohttp's errors are not chained: their texts may have addresses in them, and those have secrets.
    """
    try:
        yield
    except _NEVER_SENT as error:
        raise ChannelUnavailable(f"{platform} cannot be reached: {describe_network_error(error)}") from None
    except (aiohttp.ClientError, TimeoutError, ConnectionError) as error:
        raise ResponseLost(f"{platform} gave no answer: {describe_network_error(error)}") from None


def describe_network_error(error: BaseException) -> str:
    """Return what went wrong on the way, for whoever runs Parley.

    Hosts are named, paths never: there may be a token or a ticket in them, as in the error's own text.
    """
    match error:
        case aiohttp.ClientConnectorError():
            return _no_connection(error)
        case aiohttp.ClientResponseError():
            return f"it was answered with status {error.status}"
        case aiohttp.ConnectionTimeoutError():
            return "no connection came about in time"
        case TimeoutError():
            return "nothing came in time"
        case (
            aiohttp.ServerDisconnectedError()
            | aiohttp.ClientPayloadError()
            | aiohttp.ClientOSError()
            | ConnectionError()
        ):
            return "the connection was cut"
        case _:
            return type(error).__name__


def _no_connection(error: aiohttp.ClientConnectorError) -> str:
    match error:
        case aiohttp.ClientConnectorDNSError():
            return f"no address was found for {error.host} (is this machine online?)"
        case aiohttp.ClientConnectorCertificateError():
            return f"no secure connection to {error.host}: its certificate is not trusted here"
        case aiohttp.ClientConnectorSSLError():
            return f"no secure connection to {error.host} could be agreed on"
    if isinstance(error.os_error, ConnectionRefusedError):
        return f"{error.host} takes no connections at port {error.port}"
    return f"no way to {error.host}: {error.os_error.strerror or type(error).__name__}"
