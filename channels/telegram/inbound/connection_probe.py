"""Whether updates would come to us, told by what Telegram says of the bot's webhook."""

from __future__ import annotations

import asyncio
import socket
from urllib.parse import urlsplit

from telegram import WebhookInfo

from parley.core.model.errors import ChannelUnavailable


async def probe_updates(hook: WebhookInfo, ours: str) -> str:
    """Return how updates would come, to the webhook `ours` or, without one, to who polls.

    Raises ChannelUnavailable where they go elsewhere, or do not get through.
    """
    waiting = f"{hook.pending_update_count} updates wait"
    if not ours:
        if hook.url:
            raise ChannelUnavailable(
                f"updates are posted to a webhook at {_host(hook.url)}, which `parley run` would remove; "
                "stop the program there, or use a bot of its own"
            )
        return f"updates can be polled for: no webhook is set, {waiting}"
    await _demand_address(_host(ours))
    if hook.url == ours and hook.last_error_message:
        raise ChannelUnavailable(
            f"Telegram could not post to {_host(ours)}: {hook.last_error_message[:200]}; check that "
            "`webhook_url` is reached from outside, with a certificate that is trusted"
        )
    if hook.url and hook.url != ours:
        raise ChannelUnavailable(
            f"updates are posted to another webhook, at {_host(hook.url)}, which `parley run` would replace; "
            "stop the program there, or use a bot of its own"
        )
    state = "is set" if hook.url else "will be set by `parley run`"
    return f"the webhook {state}, {waiting}"


def _host(url: str) -> str:
    """Return an address's host only: its path may be a secret."""
    return urlsplit(url).hostname or "an unknown host"


async def _demand_address(host: str) -> None:
    try:
        await asyncio.get_running_loop().getaddrinfo(host, 443, type=socket.SOCK_STREAM)
    except OSError as error:
        raise ChannelUnavailable(
            f"no address was found for {host}; correct `webhook_url`, or the name's DNS entry"
        ) from error
