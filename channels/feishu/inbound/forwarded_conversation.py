"""Forwarded conversations: an event tells only that there is one, its messages have to be asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from parley.channels.feishu.api import FeishuApi
from parley.channels.feishu.errors import ScopeMissing
from parley.channels.feishu.inbound.listed_message import ListedMessage, parse_listed
from parley.channels.feishu.inbound.user_lookup import FeishuUserLookup
from parley.channels.kit.fields import MALFORMED
from parley.channels.kit.text import shorten
from parley.core.model.errors import ChannelError
from parley.core.model.types import JsonObject

MOST_MESSAGES = 200
MOST_CHARS = 12_000
MOST_DEPTH = 4
_MOST_NAME = 80


def unopened(error: ChannelError) -> str:
    """Return what is said in the place of a conversation that could not be opened."""
    why = "Feishu did not hand out its messages"
    if isinstance(error, ScopeMissing):
        why = "the bot's app lacks the scope im:message:readonly, or in groups im:message.group_msg"
    return f"[it could not be opened: {why}]"


class ForwardedConversations:
    """Opens them. `me` is our own open id."""

    def __init__(self, api: FeishuApi, names: FeishuUserLookup, me: str) -> None:
        self._api, self._names, self._me = api, names, me

    async def text_of(self, message: str) -> str:
        """Return who said what in a forwarded conversation. Raises ChannelError."""
        return await self.read(message, await self._api.message(message))

    async def read(self, message: str, items: Iterable[JsonObject]) -> str:
        """Return the same of what was fetched already: the conversation, and what is in it."""
        listed = list(_listed(items, self._me))[:MOST_MESSAGES]
        unknown = {each.sender for each in listed if not each.name and not each.by_app}
        return conversation_text(message, listed, await self._names.get_names(unknown))


def conversation_text(message: str, listed: Iterable[ListedMessage], names: Mapping[str, str]) -> str:
    """Return the messages of a conversation, each after its speaker; what was forwarded in it is indented.

    Every line but a message's first is indented, too, so that none can pass for what another person said.
    """
    inside: dict[str, list[ListedMessage]] = {}
    for each in listed:
        if each.id != message:
            # What says nothing of where it is stands in the conversation itself.
            inside.setdefault(each.within or message, []).append(each)
    return shorten("\n".join(_lines(message, inside, names, 0)), MOST_CHARS)


def _lines(
    message: str, inside: dict[str, list[ListedMessage]], names: Mapping[str, str], depth: int
) -> Iterator[str]:
    # Each conversation is opened once, whatever the messages claim to be in.
    for each in inside.pop(message, ()):
        files = "".join(f" [{file.name}]" for file in each.files)
        said = f"{_speaker(each, names)}: {each.text}{files}".rstrip()
        yield "  " * depth + said.replace("\n", "\n" + "  " * (depth + 1))
        if depth < MOST_DEPTH:
            yield from _lines(each.id, inside, names, depth + 1)


def _speaker(message: ListedMessage, names: Mapping[str, str]) -> str:
    name = " ".join((message.name or names.get(message.sender, "")).split())
    return shorten(name, _MOST_NAME) or message.sender or "?"


def _listed(items: Iterable[JsonObject], me: str) -> Iterator[ListedMessage]:
    for item in items:
        try:
            found = parse_listed(item, me)
        except MALFORMED:
            continue
        if found is not None:
            yield found
