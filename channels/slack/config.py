"""The `channels.slack` section of the configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import Field

from parley.channels.kit.config import ChannelConfig, ReceiptSwitch, Section, SettingProblem, UserIdFormat

HOOK_PATH = "/hooks/slack"
"""Where Slack posts to with `events: http`."""


class SuggestedPrompt(Section):
    """What people are offered to begin with: its label, and what they say by choosing it."""

    title: str = Field(min_length=1, max_length=75)
    message: str = Field(min_length=1, max_length=2_000)


class Config(ChannelConfig):
    """An app's credentials, how events come, and where the Web API is. Sizes are bytes, times seconds.

    `bot_token` (xoxb-) reads and writes. With `events: socket` the `app_token` (xapp-, scope
    `connections:write`) opens Socket Mode connections; with `events: http` Slack posts to HOOK_PATH, and
    `signing_secret` tells that it is Slack. Unlike on public platforms every full member of the workspace
    may talk until `allowed_users` is given; guests and people of other workspaces may not unless they are
    named. `direct` tells what a conversation is in DMs: each thread (`threads`), all that is said outside
    threads (`one`), or what Slack makes of them for the app (`auto`). Without `suggested_prompts` people are
    offered some of ours. With `receipt: on` a
    message carries a reaction while it is being answered, and `steps` is how Slack shows task cards: among
    the text, or together above it.
    """

    # Who is a guest, and may talk all the same.
    read_at_start: ClassVar[frozenset[str]] = frozenset({"allowed_users", "chats"})
    user_ids: ClassVar[UserIdFormat | None] = UserIdFormat(
        re.compile(r"[UW][A-Z0-9]+"),
        'a member id such as "U012AB3CD"; in Slack it is in the profile, under "Copy member ID"',
    )

    bot_token: str = Field(default="", repr=False)
    app_token: str = Field(default="", repr=False)
    signing_secret: str = Field(default="", repr=False)
    events: Literal["socket", "http"] = "socket"
    allowed_users: tuple[str, ...] = ("*",)
    direct: Literal["auto", "threads", "one"] = "auto"
    suggested_prompts: tuple[SuggestedPrompt, ...] = Field(default=(), max_length=4)
    api_url: str = "https://slack.com/api/"
    receipt: ReceiptSwitch = "on"
    steps: Literal["timeline", "plan"] = "timeline"
    max_file_in: int = Field(default=1_000_000_000, gt=0)
    max_file_out: int = Field(default=1_000_000_000, gt=0)
    request_timeout: float = Field(default=30.0, gt=0)

    @classmethod
    def at_server(cls, server: str) -> Mapping[str, str]:
        """Return the keys that make another server take the platform's place."""
        return {"api_url": f"{server}/api/"}

    def credentials(self) -> tuple[str, ...]:
        """Return what is needed for how events come."""
        return ("bot_token", "app_token" if self.events == "socket" else "signing_secret")

    def own_keys(self) -> tuple[str, ...]:
        """Return all: by the token of another app, that one's events would come here."""
        return self.credentials()

    def addresses(self) -> tuple[str, ...]:
        """Return where the Web API is."""
        return (self.api_url,)

    def problems(self) -> Sequence[SettingProblem]:
        """Return a credential that is for the other way."""
        unused = "signing_secret" if self.events == "socket" else "app_token"
        text = f"does nothing with events: {self.events}; remove it, or choose the other way"
        return (SettingProblem(unused, text),) if getattr(self, unused) else ()
