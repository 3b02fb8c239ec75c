"""The `channels.dingtalk` section of the configuration."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from channels.kit.config import ChannelConfig


class Config(ChannelConfig):
    """An app's credentials, and how its robot talks. Sizes are bytes, times seconds.

    With `card_template_id` answers grow in AI cards, whose variable `card_content_key` holds the text; all
    cards together make at most `card_rate` calls a second. With `question_template_id` questions have
    buttons. `groups` says whether a group is one conversation or one for each person in it. `robot_code` is
    `client_id` unless it is given. Unlike on public platforms everybody of the organisation may talk until
    `allowed_users` is given; others may not unless they are named.
    """

    client_id: str = ""
    client_secret: str = Field(default="", repr=False)
    allowed_users: tuple[str, ...] = ("*",)
    robot_code: str = ""
    bot_name: str = ""
    groups: Literal["shared", "per_user"] = "shared"
    card_template_id: str = ""
    card_content_key: str = Field(default="content", min_length=1)
    question_template_id: str = ""
    card_rate: float = Field(default=30.0, gt=0, le=40)
    api_url: str = "https://api.dingtalk.com"
    oapi_url: str = "https://oapi.dingtalk.com"
    max_file_in: int = Field(default=20_000_000, gt=0)
    max_file_out: int = Field(default=20_000_000, gt=0)
    ping_interval: float = Field(default=30.0, gt=0)
    request_timeout: float = Field(default=30.0, gt=0)

    def missing(self) -> str:
        """The first of `client_id` and `client_secret` that is not there, or ""."""
        return next((name for name in ("client_id", "client_secret") if not getattr(self, name)), "")
