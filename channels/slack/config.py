"""The `channels.slack` section of the configuration."""

from __future__ import annotations

from pydantic import Field

from channels.kit.config import ChannelConfig


class Config(ChannelConfig):
    """The app's two tokens, and where the Web API is. Sizes are bytes, times seconds.

    `bot_token` (xoxb-) reads and writes; `app_token` (xapp-, scope `connections:write`) opens Socket Mode
    connections.
    """

    bot_token: str = Field(default="", repr=False)
    app_token: str = Field(default="", repr=False)
    api_url: str = "https://slack.com/api/"
    max_file_in: int = Field(default=1_000_000_000, gt=0)
    max_file_out: int = Field(default=1_000_000_000, gt=0)
    request_timeout: float = Field(default=30.0, gt=0)

    def missing(self) -> str:
        """The first token that is not there."""
        return next((name for name in ("bot_token", "app_token") if not getattr(self, name)), "")
