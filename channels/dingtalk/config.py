"""The `channels.dingtalk` section of the configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import Field, field_validator

from parley.channels.kit.config import ChannelConfig, ReceiptSwitch, SettingProblem, UserIdFormat

_TEMPLATE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{7,}\.schema")
_CARDS = ("card_template_id", "question_template_id")
NO_CARDS = "off"


class Config(ChannelConfig):
    """An app's credentials, and how its robot talks. Sizes are bytes, times seconds.

    Answers grow in AI cards of DingTalk's public template; with `card_template_id` in cards of an own one,
    whose variable `card_content_key` holds the text; with "off" in its place they are plain messages. All
    cards together make at most `card_rate` calls a second. `receipt` reacts to a message while no card shows
    that it is being answered; with `mention_asker` answers in groups mention who asked. With
    `question_template_id` questions have buttons. `groups` says whether a group is one conversation or one
    for each person in it. `robot_code` is `client_id` unless it is given. Unlike on public platforms all of
    the organisation may talk until `allowed_users` is given; others may not unless they are named.
    """

    # Who is a guest, and may talk all the same.
    read_at_start: ClassVar[frozenset[str]] = frozenset({"allowed_users"})
    user_ids: ClassVar[UserIdFormat | None] = UserIdFormat(
        re.compile(r"[^\s@]\S{0,127}"), 'a staff id such as "manager01", as the admin console shows it'
    )

    client_id: str = ""
    client_secret: str = Field(default="", repr=False)
    allowed_users: tuple[str, ...] = ("*",)
    robot_code: str = ""
    bot_name: str = ""
    groups: Literal["shared", "per_user"] = "shared"
    card_template_id: str = ""
    card_content_key: str = Field(default="content", min_length=1)
    question_template_id: str = ""
    receipt: ReceiptSwitch = "on"
    mention_asker: bool = True
    card_rate: float = Field(default=30.0, gt=0, le=40)
    api_url: str = "https://api.dingtalk.com"
    oapi_url: str = "https://oapi.dingtalk.com"
    max_file_in: int = Field(default=20_000_000, gt=0)
    max_file_out: int = Field(default=20_000_000, gt=0)
    ping_interval: float = Field(default=30.0, gt=0)
    request_timeout: float = Field(default=30.0, gt=0)

    @field_validator("card_template_id", mode="before")
    @classmethod
    def _off(cls, value: object) -> object:
        # An unquoted `off` is false in YAML.
        return NO_CARDS if value is False else value

    @classmethod
    def at_server(cls, server: str) -> Mapping[str, str]:
        """Return the keys that make another server take the platform's place."""
        return {"api_url": server, "oapi_url": server}

    def credentials(self) -> tuple[str, ...]:
        """Return the app's id and its secret."""
        return ("client_id", "client_secret")

    def addresses(self) -> tuple[str, ...]:
        """Return where both of its APIs are."""
        return tuple(dict.fromkeys((self.api_url, self.oapi_url)))

    def problems(self) -> Sequence[SettingProblem]:
        """Return template ids that are none, and what is for cards where there are none."""
        form = "is no template's id, which ends in .schema; copy it from the card platform, or leave it empty"
        found = [
            SettingProblem(key, form, wrong=True)
            for key in _CARDS
            if (value := getattr(self, key))
            and not _TEMPLATE.fullmatch(value)
            and (key, value) != ("card_template_id", NO_CARDS)
        ]
        if self.card_template_id in ("", NO_CARDS) and self.card_content_key != "content":
            text = "does nothing without card_template_id; write that, or remove this"
            found.append(SettingProblem("card_content_key", text))
        return found
