"""The `channels.feishu` section of the configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field, field_validator

from parley.channels.kit.config import ChannelConfig, ReceiptSwitch, UserIdFormat

DOMAINS = {"feishu": "https://open.feishu.cn", "lark": "https://open.larksuite.com"}


class Config(ChannelConfig):
    """An app's credentials, and which platform it lives on. Sizes are bytes, times seconds.

    `domain` is `feishu`, `lark`, or an address. `allowed_users` holds open ids; unlike on public platforms
    everybody of the app's own tenant may talk until it is given. People of other tenants may not unless
    they are named. With `receipt: on` a message carries a reaction while it is being answered. With `welcome`
    the bot says how to talk to it where it is new.
    """

    # Who is a guest, and may talk all the same.
    read_at_start: ClassVar[frozenset[str]] = frozenset({"allowed_users"})
    user_ids: ClassVar[UserIdFormat | None] = UserIdFormat(
        re.compile(r"ou_[A-Za-z0-9]+"), 'an open id such as "ou_7d8a6e6df7621556ce0d21922b676706"'
    )

    app_id: str = ""
    app_secret: str = Field(default="", repr=False)
    domain: str = DOMAINS["feishu"]
    allowed_users: tuple[str, ...] = ("*",)
    max_file_in: int = Field(default=100_000_000, gt=0)
    max_file_out: int = Field(default=30_000_000, gt=0)
    max_image_out: int = Field(default=10_000_000, gt=0)
    request_timeout: float = Field(default=30.0, gt=0)
    receipt: ReceiptSwitch = "on"
    welcome: bool = True

    @field_validator("domain", mode="after")
    @classmethod
    def _as_address(cls, value: str) -> str:
        address = DOMAINS.get(value.lower(), value).rstrip("/")
        if not address.startswith(("https://", "http://")):
            raise ValueError("must be feishu, lark, or an address such as https://open.feishu.cn")
        return address

    @classmethod
    def at_server(cls, server: str) -> Mapping[str, str]:
        """Return the keys that make another server take the platform's place."""
        return {"domain": server}

    def addresses(self) -> tuple[str, ...]:
        """Return where the open platform is."""
        return (self.domain,)

    def credentials(self) -> tuple[str, ...]:
        """Return the app's id and its secret."""
        return ("app_id", "app_secret")
