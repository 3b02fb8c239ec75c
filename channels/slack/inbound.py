"""An event as a message for the core, or nothing. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bridge.types import Conversation, InboundMessage, Json, JsonObject, User
from channels.kit.text import wellformed
from channels.slack.files import attachments
from channels.slack.people import Person
from channels.slack.text import mentions, words

NAME = "slack"
_SUBTYPES = frozenset({"", "file_share", "thread_broadcast", "me_message"})
_BY_NOBODY = frozenset({"", "USLACKBOT"})


@dataclass(frozen=True, slots=True)
class Me:
    """Who the app is, and where."""

    user: str
    bot: str
    team: str
    enterprise: str = ""


def event_in(body: JsonObject, me: Me) -> JsonObject | None:
    """The event in a payload, if it is somebody of this workspace writing something new.

    Nothing for edits, deletions, bots, ourselves, other workspaces and whatever else happens in Slack.
    """
    event = body.get("event")
    if not isinstance(event, dict) or event.get("type") not in ("message", "app_mention"):
        return None
    if _text(event, "subtype") not in _SUBTYPES or "edited" in event or event.get("hidden"):
        return None
    if event.get("bot_id") or _text(event, "user") in (*_BY_NOBODY, me.user):
        return None
    return event if _at_home(body, event, me) else None


def people_in(event: JsonObject) -> tuple[str, ...]:
    """Whose names are needed to read an event: the writer's first."""
    return (_text(event, "user"), *mentions(_text(event, "text")))


def read(event: JsonObject, me: Me, people: Mapping[str, Person]) -> InboundMessage | None:
    """What somebody wrote to us or in our hearing. Raises ValueError, TypeError for what is no message."""
    chat, ts, raw = _needed(event, "channel"), _needed(event, "ts"), _text(event, "text")
    private = chat.startswith("D")
    files = attachments(event.get("files"))
    calls = me.user in mentions(raw)
    names = {each: person.name for each, person in people.items()}
    text = words(raw, me.user, names)
    if not text and not files:
        if not calls:
            return None
        # Our name alone is all that was said.
        text = f"@{names.get(me.user) or 'you'}"
    sender = _needed(event, "user")
    known = people.get(sender, Person(""))
    thread = _text(event, "thread_ts")
    return InboundMessage(
        id=f"{chat}:{ts}",
        conversation=Conversation(NAME, chat, thread or (None if private else ts)),
        sender=User(NAME, sender, known.name, me.team, known.language),
        text=text,
        addressed=private or calls,
        private=private,
        sent_at=float(ts),
        attachments=files,
    )


def _at_home(body: JsonObject, event: JsonObject, me: Me) -> bool:
    """Whether the writer belongs to the workspace, or to the organisation that it is in."""
    if me.enterprise and body.get("enterprise_id") == me.enterprise and not body.get("is_ext_shared_channel"):
        return True
    teams = [body.get("team_id"), *(event.get(key) for key in ("user_team", "source_team", "team"))]
    return all(team in (None, "", me.team) for team in teams)


def _text(event: JsonObject, key: str) -> str:
    """A text, "" for none. Raises TypeError for anything else."""
    value: Json = event.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise TypeError(f"{key} is no text")
    return wellformed(value)


def _needed(event: JsonObject, key: str) -> str:
    """A text that must be there. Raises ValueError, TypeError."""
    value = _text(event, key)
    if not value:
        raise ValueError(f"no {key}")
    return value
