"""What the app may need: each permission, what it is for, and which others do as well. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NeededScope:
    """A permission, the feature that fails without it, and broader ones that include it."""

    name: str
    feature: str
    others: frozenset[str] = frozenset()

    def missing(self, granted: frozenset[str]) -> bool:
        """Tell whether neither it nor another one that will do was given."""
        return not ({self.name} | self.others) & granted


_ALL = frozenset({"im:message"})
_CONTACTS = frozenset(
    {"contact:contact:readonly", "contact:contact:readonly_as_app", "contact:contact:access_as_app"}
)
ALWAYS = (
    NeededScope("im:message.p2p_msg:readonly", "hearing people in private", _ALL | {"im:message.p2p_msg"}),
    NeededScope(
        "im:message.group_at_msg:readonly",
        "hearing mentions in groups",
        _ALL | {"im:message.group_at_msg", "im:message.group_msg"},
    ),
    NeededScope("im:message:send_as_bot", "answering", _ALL | {"im:message:send"}),
    NeededScope("im:resource", "sending files and pictures", frozenset({"im:resource:upload"})),
    NeededScope("im:message:readonly", "files that people send", _ALL | {"im:message.history:readonly"}),
    NeededScope("cardkit:card:write", "answers that grow smoothly"),
    NeededScope("contact:contact.base:readonly", "people's names", _CONTACTS),
    NeededScope("contact:user.base:readonly", "people's names", _CONTACTS),
    NeededScope("im:message:readonly", "quotes and forwarded conversations", _ALL),
)
HISTORY = (
    NeededScope("im:message.group_msg", "quotes and forwarded conversations in groups"),
    NeededScope(
        "im:message:readonly", "the messages above a mention", _ALL | {"im:message.history:readonly"}
    ),
    NeededScope("im:message.group_msg", "the messages above a mention"),
)
BOTS = (
    NeededScope("im:message.group_at_msg.include_bot:readonly", "hearing the bots that are listed in `bots`"),
)
RECEIPTS = (
    NeededScope(
        "im:message.reactions:write_only",
        "a reaction while a message is being answered",
        frozenset({"im:message"}),
    ),
)
WELCOME = (
    NeededScope("im:chat.access_event.bot_p2p_chat:read", "a welcome for those who open the bot's chat"),
    NeededScope(
        "im:chat.members:bot_access",
        "a welcome in groups that the bot is taken into",
        frozenset({"im:chat", "im:chat:readonly"}),
    ),
)
SPEECH = (NeededScope("speech_to_text:speech", "turning voice messages into words"),)
TENANT = tuple(dict.fromkeys(each.name for each in (*ALWAYS, *HISTORY, *BOTS, *RECEIPTS, *WELCOME)))
"""What an app is made with. Feishu's speech recognition is for paid editions: who wants it adds its scope."""
EVENTS = (
    "im.message.receive_v1",
    "im.message.recalled_v1",
    "im.chat.access_event.bot_p2p_chat_entered_v1",
    "im.chat.member.bot.added_v1",
)
CALLBACKS = ("card.action.trigger",)


def missing_scopes(needed: tuple[NeededScope, ...], granted: frozenset[str]) -> tuple[str, ...]:
    """Return for each missing permission what fails without it."""
    features: dict[str, list[str]] = {}
    for each in needed:
        if each.missing(granted):
            features.setdefault(each.name, []).append(each.feature)
    return tuple(
        f"the app lacks the scope {name}, which it needs for {' and '.join(dict.fromkeys(wanted))}; add it "
        "under Permissions & Scopes and publish a version"
        for name, wanted in features.items()
    )
