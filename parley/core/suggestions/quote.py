"""Messages that were pressed: the chat does not show them, so the answer does."""

from __future__ import annotations

import re
from collections.abc import Sequence

from parley.core.inbound.batching import QueuedMessage
from parley.core.model.types import InboundMessage

_MARKS = re.compile(r"^(?=[-+#=])|(?<=^\d)(?=[.)])|(?=[\\`*_~\[\]<>])")
"""Where Markdown would begin: what was pressed is plain text."""


def quote_pressed(burst: Sequence[QueuedMessage]) -> str:
    """Return what was pressed as quotes, among several people with the name of who did; "" where all was
    written.
    """
    return "\n".join(_quote(each.message) for each in burst if each.message.follows)


def _quote(message: InboundMessage) -> str:
    name = "" if message.private else f"{message.sender.name}: "
    words = " ".join(f"{name}{message.text}".split())
    return "> " + _MARKS.sub(r"\\", words)
