"""What the Web API is given and answers, as values. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from slack_sdk.web.async_slack_response import AsyncSlackResponse

from parley.channels.kit.fields import object_or_empty
from parley.channels.slack.users import SlackUser
from parley.core.model.errors import ChannelUnavailable
from parley.core.model.types import Json, JsonObject

SIGNATURE = "parley_part"
_LESS_THAN_MEMBERS = ("is_restricted", "is_ultra_restricted", "is_stranger", "is_bot")


@dataclass(frozen=True, slots=True)
class OwnMessage:
    """A message of ours in a chat: its ts and what it is signed with ("" and -1 when it is not)."""

    ts: str
    turn: str
    part: int
    has_files: bool


def parse_user(found: JsonObject) -> SlackUser:
    """Return who somebody is, of an answer about them."""
    profile, home = (object_or_empty(found, key) for key in ("profile", "enterprise_user"))
    names = (profile.get("display_name"), profile.get("real_name"), found.get("name"))
    return SlackUser(
        name=next((str(name) for name in names if name), ""),
        language=str(found.get("locale") or ""),
        zone=str(found.get("tz") or ""),
        team=str(found.get("team_id") or ""),
        enterprise=str(home.get("enterprise_id") or ""),
        guest=any(found.get(key) for key in _LESS_THAN_MEMBERS),
    )


def signature_of(turn: str, part: int) -> dict[str, Json]:
    """Return what a message is found again by."""
    return {"event_type": SIGNATURE, "event_payload": {"turn": turn, "part": part}}


def ts_of(answer: AsyncSlackResponse) -> str:
    """Return the ts of a message that was sent. Raises ChannelUnavailable."""
    ts = answer.get("ts")
    if not isinstance(ts, str) or not ts:
        raise ChannelUnavailable("Slack told no ts")
    return ts


def parse_own_message(message: JsonObject) -> OwnMessage:
    """Return a message of ours with what it is signed with."""
    signed = object_or_empty(object_or_empty(message, "metadata"), "event_payload")
    part = signed.get("part")
    return OwnMessage(
        str(message.get("ts")),
        str(signed.get("turn") or ""),
        part if isinstance(part, int) else -1,
        bool(message.get("files")),
    )
