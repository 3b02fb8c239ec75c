"""The web channel's section of the configuration."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from parley.channels.kit.config import ChannelConfig, ReceiptSwitch


class Config(ChannelConfig):
    """On by default, and open to whoever reached the page.

    Who reaches it is the console's matter (`console.host`, `console.token`). `max_upload` is in bytes.
    `name` is what the agent is told the person is called.
    """

    several: ClassVar[bool] = False
    # Pages that are open hang on the channel that they began with.
    reconnects: ClassVar[bool] = False
    enabled: bool | None = True
    allowed_users: tuple[str, ...] = ("*",)
    # Files travel together with their text, so there is no burst to wait for.
    burst_window: float = Field(default=0.0, ge=0, le=10)
    # Small, and below the answer: on a page of our own they stand in nobody's way.
    feedback: ReceiptSwitch = "on"
    name: str = "You"
    max_upload: int = Field(default=20_000_000, ge=1, le=2_000_000_000)
