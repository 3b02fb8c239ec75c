"""Rich messages: markdown that the platform itself lays out. Checked for the platform's limits."""

from __future__ import annotations

import re

from parley.simulator.telegram.api.params import TelegramParams
from parley.simulator.telegram.errors import bad_request

MOST_RICH = 32_768
MOST_COLUMNS = 20
_RULER = re.compile(r"^[ \t]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?[ \t]*)?$", re.MULTILINE)


def markdown_of(params: TelegramParams) -> str:
    """Return the markdown of the call's rich message, "" when it has none. Raises TelegramErrorResponse."""
    message = params.object_or_none("rich_message")
    if message is None:
        return ""
    given = [form for form in ("markdown", "html", "blocks") if message.get(form) is not None]
    if given != ["markdown"]:
        raise bad_request("exactly one form of a rich message is needed, and only markdown is simulated")
    markdown = message["markdown"]
    if not isinstance(markdown, str) or not markdown.strip():
        raise bad_request("rich message is empty")
    if len(markdown) > MOST_RICH:
        raise bad_request("rich message is too long")
    columns = max((ruler.strip().strip("|").count("|") + 1 for ruler in _RULER.findall(markdown)), default=0)
    if columns > MOST_COLUMNS:
        raise bad_request("RICH_MESSAGE_TABLE_INVALID")
    return markdown
