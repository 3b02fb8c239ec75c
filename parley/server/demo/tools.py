"""What the demonstration can do besides talking."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from langchain_core.tools import BaseTool, tool

from parley.server.default_agent.run_context import local_now

NOT_SENT = "Demonstration: nothing was sent."


def demo_tools(now: Callable[[], datetime] = local_now) -> list[BaseTool]:
    """Return the tools; `now` is the local time, in its zone."""

    @tool
    def get_time() -> str:
        """Tell the local date and time."""
        return f"{now():%A, %Y-%m-%d %H:%M %Z}"

    @tool
    def send_email(to: str, subject: str, body: str) -> str:
        """Send an e-mail."""
        return f'{NOT_SENT} The e-mail to {to} with the subject "{subject}" had {len(body)} characters.'

    return [get_time, send_email]
