"""An event as a message for the core, or nothing. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import quote

from parley.channels.kit.fields import object_or_empty, text_or_empty
from parley.channels.kit.text import wellformed
from parley.channels.slack.fields import required_text_at, text_at
from parley.channels.slack.file_objects import attachments_of
from parley.channels.slack.formatting import mentions, readable_text
from parley.channels.slack.inbound.message_words import app_words, forwarded_files, forwarded_words
from parley.channels.slack.users import SlackBotIdentity, SlackUser
from parley.core.model.address import Conversation, User, ViewedItem
from parley.core.model.types import InboundMessage, Json, JsonObject

NAME = "slack"
STOP = "stop"
"""How the ids of presses of the stop button begin."""
STOPPED = "agent_session_stopped"
_KINDS = ("message", "app_mention", STOPPED)
_SUBTYPES = frozenset({"", "file_share", "thread_broadcast", "me_message"})
_EDITED = "message_changed"
_GROUP = "mpim"
_BY_NOBODY = frozenset({"", "USLACKBOT"})
MOST_VIEWED = 10
"""Things that somebody looks at."""
_MOST_ID = 100
_VIEWED = {"channel_id": "channel", "canvas_id": "canvas", "list_id": "list"}
_VIEWED_MESSAGE = "message_context"


def _deaf(event: JsonObject) -> bool:
    return False


def event_in(
    body: JsonObject,
    me: SlackBotIdentity,
    guests: frozenset[str] = frozenset(),
    hears_bot: Callable[[JsonObject], bool] = _deaf,
) -> JsonObject | None:
    """The event in a payload, if it is somebody of this workspace, or one of `guests`, talking to us anew.

    That is a message, a press of the stop button, or an edit: the message as it is now, said when it was
    changed. One that calls us where the message did not yet is a message like any other. Nothing for
    deletions, bots but those that are to be heard, ourselves, other workspaces and whatever else happens in
    Slack.
    """
    event = _new_in(body.get("event"), me)
    if event is None or event.get("hidden"):
        return None
    if event.get("bot_id"):
        return (
            event
            if _is_of_another_bot(event, me) and hears_bot(event) and _at_home(body, event, me)
            else None
        )
    user = text_at(event, "user")
    if text_at(event, "subtype") not in _SUBTYPES or user in (*_BY_NOBODY, me.user):
        return None
    return event if user in guests or _at_home(body, event, me) else None


def _is_of_another_bot(event: JsonObject, me: SlackBotIdentity) -> bool:
    """Tell whether a bot that we are not said something anew; bots keep changing what they said."""
    ours = me.bot == event.get("bot_id") or text_at(event, "user") == me.user
    kinds = (*_SUBTYPES, "bot_message")
    return not ours and event.get("type") == "message" and text_at(event, "subtype") in kinds


def bot_of(message: JsonObject) -> User:
    """Return an app as a speaker: what it calls itself, or else its own name."""
    profile, bot = object_or_empty(message, "bot_profile"), required_text_at(message, "bot_id")
    app = text_at(message, "app_id") or text_or_empty(profile, "app_id")
    name = text_at(message, "username") or text_or_empty(profile, "name")
    return User(NAME, bot, wellformed(name), bot=app or bot)


def place_of(event: JsonObject) -> Conversation:
    """Return the conversation of an event: in a channel every message begins a thread, or belongs to one."""
    chat, ts = required_text_at(event, "channel"), required_text_at(event, "ts")
    return Conversation(NAME, chat, text_at(event, "thread_ts") or (None if is_private(chat) else ts))


def user_ids_in(event: JsonObject) -> tuple[str, ...]:
    """Return whose names are needed to read an event: the writer's first."""
    forwarded = forwarded_words(event)
    others = mentions(forwarded) if forwarded else ()
    return (text_at(event, "user"), *mentions(_said_in(event)), *others)


def _said_in(event: JsonObject) -> str:
    """Return what an event says, in Slack's marks: an app says most of it in blocks and attachments."""
    return app_words(event) if event.get("bot_id") else text_at(event, "text")


def parse_event(
    event: JsonObject, me: SlackBotIdentity, people: Mapping[str, SlackUser]
) -> InboundMessage | None:
    """Return what somebody said to us or in our hearing; a press of the stop button is "/stop".

    Raises ValueError, TypeError for what is no message.
    """
    if event.get("type") == STOPPED:
        return _stop(event, me, people)
    chat, ts, raw = required_text_at(event, "channel"), required_text_at(event, "ts"), _said_in(event)
    private = is_private(chat)
    files = (*attachments_of(event.get("files")), *attachments_of(forwarded_files(event)))
    calls = me.user in mentions(raw)
    names = {each: person.name for each, person in people.items()}
    at, bot = text_at(event, "event_ts") or ts, bool(event.get("bot_id"))
    said, forwarded = readable_text(raw, me.user, names), "" if bot else forwarded_words(event)
    quoted = readable_text(forwarded, me.user, names) if forwarded else ""
    if not said and not files and not quoted:
        if not calls:
            return None
        # Our name alone is all that was said.
        said = f"@{names.get(me.user) or 'you'}"
    edits = f"{chat}:{ts}" if event.get("type") == _EDITED else ""
    return InboundMessage(
        id=f"{edits}:edit:{at}" if edits else f"{chat}:{ts}",
        conversation=place_of(event),
        sender=bot_of(event) if bot else sender_of(required_text_at(event, "user"), me, people),
        text=said or ("[forwarded message]" if quoted else ""),
        addressed=private or calls,
        private=private,
        sent_at=float(at),
        attachments=files,
        quoted=quoted,
        edits=edits,
        chat_kind="" if private or event.get("channel_type") == _GROUP else "channel",
        link=message_link(me, chat, ts, text_at(event, "thread_ts")),
        viewing=_viewed(event, me) if private else (),
    )


def message_link(me: SlackBotIdentity, chat: str, ts: str, thread: str) -> str:
    """Return a message's address in its workspace; "" where the app does not know that one's."""
    around = channel_link(me, chat)
    if not around:
        return ""
    place = f"{around}/p{quote(ts.replace('.', ''), safe='')}"
    inside = thread and thread != ts
    return f"{place}?thread_ts={quote(thread)}&cid={quote(chat, safe='')}" if inside else place


def channel_link(me: SlackBotIdentity, chat: str) -> str:
    """Return a chat's address in its workspace; "" where the app does not know that one's."""
    known = me.url.startswith("https://")
    return f"{me.url.rstrip('/')}/archives/{quote(chat, safe='')}" if known else ""


def _viewed(event: JsonObject, me: SlackBotIdentity) -> tuple[ViewedItem, ...]:
    """Return what its writer looks at while they write, as Slack orders it: by relevance."""
    entities = object_or_empty(event, "app_context").get("entities")
    listed = entities[:MOST_VIEWED] if isinstance(entities, list) else []
    return tuple(item for each in listed if (item := _viewed_item(each, me)) is not None)


def _viewed_item(entity: Json, me: SlackBotIdentity) -> ViewedItem | None:
    if not isinstance(entity, dict):
        return None
    kind = text_or_empty(entity, "type").rpartition("/")[2]
    if kind == _VIEWED_MESSAGE:
        value = object_or_empty(entity, "value")
        chat, ts = (text_or_empty(value, key)[:_MOST_ID] for key in ("channel_id", "message_ts"))
        return ViewedItem("message", f"{chat}:{ts}", message_link(me, chat, ts, "")) if chat and ts else None
    found = text_or_empty(entity, "value")[:_MOST_ID]
    if kind not in _VIEWED or not found:
        return None
    return ViewedItem(_VIEWED[kind], found, channel_link(me, found) if kind == "channel_id" else "")


def _stop(event: JsonObject, me: SlackBotIdentity, people: Mapping[str, SlackUser]) -> InboundMessage:
    """Return the button belongs to a thread."""
    chat, thread, pressed = (required_text_at(event, key) for key in ("channel", "thread_ts", "event_ts"))
    return InboundMessage(
        id=f"{STOP}:{chat}:{pressed}",
        conversation=Conversation(NAME, chat, thread),
        sender=sender_of(required_text_at(event, "user"), me, people),
        text="/stop",
        addressed=True,
        private=is_private(chat),
        sent_at=float(pressed),
    )


def sender_of(user: str, me: SlackBotIdentity, people: Mapping[str, SlackUser]) -> User:
    """Return somebody of our workspace as the core knows them."""
    known = people.get(user, SlackUser(""))
    return User(NAME, user, known.name, me.team, known.language, known.zone)


def _new_in(event: Json, me: SlackBotIdentity) -> JsonObject | None:
    """Return what an event says that was not said before."""
    if not isinstance(event, dict) or event.get("type") not in _KINDS:
        return None
    if event.get("type") == "message" and event.get("subtype") == _EDITED:
        return _changed(event, me)
    # For an edit that mentions us Slack repeats app_mention, too; message_changed says what was there before.
    return None if "edited" in event else event


def _changed(event: JsonObject, me: SlackBotIdentity) -> JsonObject | None:
    """Return the message as its writer has made it. Slack tells of previews and replies in the same way.

    One that an edit has made call us keeps its id, so that it is heard once at most.
    """
    now, before = event.get("message"), event.get("previous_message")
    if not isinstance(now, dict) or not isinstance(before, dict) or "edited" not in now:
        return None
    changed = now | {"channel": event.get("channel"), "event_ts": event.get("event_ts")}
    calls, called = (me.user in mentions(text_at(each, "text")) for each in (now, before))
    if calls and not called and not is_private(text_at(event, "channel")):
        return changed | {"type": "message"}
    return changed | {"type": _EDITED}


def is_private(chat: str) -> bool:
    """Tell whether a chat is a DM with us."""
    return chat.startswith("D")


def _at_home(body: JsonObject, event: JsonObject, me: SlackBotIdentity) -> bool:
    """Tell whether the writer belongs to the workspace, or to the organisation that it is in."""
    if me.enterprise and body.get("enterprise_id") == me.enterprise and not body.get("is_ext_shared_channel"):
        return True
    teams = [body.get("team_id"), *(event.get(key) for key in ("user_team", "source_team", "team"))]
    return all(team in (None, "", me.team) for team in teams)
