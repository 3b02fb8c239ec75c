"""The `channels.telegram` section of the configuration."""

from __future__ import annotations

import hmac
import re
from collections.abc import Sequence
from typing import ClassVar, Literal
from urllib.parse import urlsplit

from pydantic import Field, ValidationInfo, field_validator

from parley.channels.kit.config import ChannelConfig, ReceiptSwitch, SettingProblem, UserIdFormat
from parley.channels.kit.webhook import hook_path

HOOK_PATH = hook_path("telegram")
PUBLIC_API = "https://api.telegram.org"

_SECRET = re.compile(r"[A-Za-z0-9_-]{16,256}")


class Config(ChannelConfig):
    """A bot's token, and where the Bot API is. Sizes are bytes, times seconds.

    The defaults are the public Bot API's limits; a Bot API server of one's own takes larger files.
    `file_url` is `api_url` with `/file` unless it is given. With a `webhook_url` Telegram posts updates
    there instead of being asked for them. `delivery` says how a finished message arrives: sent in one piece,
    or edited into a stub, which is never doubled by a crash.
    """

    # For passports only, and 8 MB.
    spares: ClassVar[tuple[str, ...]] = ("cryptography",)

    user_ids: ClassVar[UserIdFormat | None] = UserIdFormat(
        re.compile(r"[1-9][0-9]{0,19}"),
        'a user id, a number such as "11223344"; the bot tells strangers theirs',
    )

    bot_token: str = Field(default="", repr=False)
    api_url: str = PUBLIC_API
    file_url: str = ""
    webhook_url: str = ""
    webhook_secret: str = Field(default="", repr=False)
    delivery: Literal["send", "edit"] = "send"
    link_previews: bool = False
    receipt: ReceiptSwitch = "on"
    welcome: bool = True
    rich_messages: bool = False
    # Anybody can find a bot; those whom its people know can be let in.
    pairing: bool = True
    max_file_in: int = Field(default=20_000_000, gt=0)
    max_file_out: int = Field(default=50_000_000, gt=0)
    max_photo_out: int = Field(default=10_000_000, gt=0)
    poll_timeout: int = Field(default=25, ge=0, le=50)
    request_timeout: float = Field(default=30.0, gt=0)

    def credentials(self) -> tuple[str, ...]:
        """Return the bot's token."""
        return ("bot_token",)

    def problems(self) -> Sequence[SettingProblem]:
        """Return a secret without a webhook; people named beside everybody."""
        found = []
        if self.webhook_secret and not self.webhook_url:
            found.append(
                SettingProblem(
                    "webhook_secret", "does nothing without webhook_url; write that, or remove this"
                )
            )
        if "*" in self.allowed_users and len(self.allowed_users) > 1:
            found.append(
                SettingProblem("allowed_users", 'lets everybody talk by "*"; remove that, or all the ids')
            )
        return found

    def needs_all_messages(self) -> str:
        """Return the key, if any, for which the bot has to hear what is said in groups without a mention."""
        own = [
            chat for chat in self.chats.values() if chat.mention not in (None, "required") or chat.triggers
        ]
        if self.mention != "required":
            return "mention"
        if self.triggers or own:
            return "triggers" if self.triggers else "chats"
        # "thread" is there by itself; who writes "chat" wants what was said around a topic.
        return "context_messages" if "chat" in self.context_scopes else ""

    @property
    def secret(self) -> str:
        """What Telegram's posts must carry: the same on every node, and told to nobody but Telegram."""
        derived = hmac.new(self.bot_token.encode(), b"parley webhook secret", "sha256").hexdigest()
        return self.webhook_secret or derived

    @field_validator("webhook_url")
    @classmethod
    def _reachable(cls, url: str, info: ValidationInfo) -> str:
        schemes = ("https",) if info.data.get("api_url") == PUBLIC_API else ("https", "http")
        path = hook_path((info.context or {}).get("name", "telegram"))
        if url and not (_is_address(url, schemes) and url.endswith(path)):
            raise ValueError(f"must be a public address that ends so: https://your.host{path}")
        return url

    @field_validator("webhook_secret")
    @classmethod
    def _sendable(cls, secret: str) -> str:
        if secret and not _SECRET.fullmatch(secret):
            raise ValueError("must be 16 to 256 letters, digits, - or _; without it one is made of the token")
        return secret


def _is_address(url: str, schemes: tuple[str, ...]) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in schemes and bool(parts.hostname)
