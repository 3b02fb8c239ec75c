"""What was said above a message, as Feishu lists it: in its topic, or in the chat around it.

Newest messages come first, fifty at a time. The second of two requests goes to what the first one calls for:
a forwarded conversation among the messages is opened, or else older messages are read.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable

from parley.channels.feishu.api import FeishuApi
from parley.channels.feishu.inbound.event_parser import NAME
from parley.channels.feishu.inbound.forwarded_conversation import ForwardedConversations, unopened
from parley.channels.feishu.inbound.listed_message import ListedMessage, parse_listed
from parley.channels.feishu.inbound.user_lookup import FeishuUserLookup
from parley.channels.kit.fields import MALFORMED
from parley.core.model.address import User
from parley.core.model.earlier_messages import EarlierMessage, HistoryRequest
from parley.core.model.errors import ChannelError
from parley.core.model.types import Json, JsonObject

log = logging.getLogger(__name__)

MOST_IN_PAGE = 50


class FeishuHistory:
    """Reads earlier messages as `me`, our open id. `guests` are people of other tenants who may talk."""

    def __init__(self, api: FeishuApi, names: FeishuUserLookup, me: str, guests: frozenset[str]) -> None:
        self._api, self._names, self._me = api, names, me
        self._guests = guests
        self._forwarded = ForwardedConversations(api, names, me)

    async def read(self, request: HistoryRequest) -> tuple[EarlierMessage, ...]:
        """Return what is wanted, oldest first. Raises ChannelError."""
        conversation = request.conversation
        where = _topic(conversation.topic) if conversation.topic else _chat(request)
        page = await self._api.messages(where)
        listed = self._listed(page)
        above = wanted(listed, request)
        inner = ""
        if not above and conversation.topic and request.whole_chat:
            listed = self._listed(await self._api.messages(_chat(request)))
        elif forward := next((each for each in above if each.forwards), None):
            inner = await self._opened(forward)
        elif page.get("has_more") and len(above) < request.most and _reaches(listed, request):
            token = str(page.get("page_token") or "")
            listed += self._listed(await self._api.messages(where | {"page_token": token}))
        return await self._told(listed, request, inner)

    def _listed(self, page: JsonObject) -> list[ListedMessage]:
        items: Json = page.get("items")
        found = []
        for item in items if isinstance(items, list) else ():
            try:
                found.append(parse_listed(item, self._me) if isinstance(item, dict) else None)
            except MALFORMED as error:
                log.info("feishu: an earlier message cannot be read and is left out: %s", error)
        return [each for each in found if each is not None]

    async def _opened(self, forward: ListedMessage) -> str:
        try:
            return await self._forwarded.text_of(forward.id)
        except ChannelError as error:
            log.info("feishu: a forwarded conversation cannot be read (%s)", error)
            return unopened(error)

    async def _told(
        self, listed: list[ListedMessage], request: HistoryRequest, inner: str
    ) -> tuple[EarlierMessage, ...]:
        """Return messages with the names of people; `inner` is what the newest forwarded one holds."""
        said = wanted(listed, request)[: request.most]
        unknown = (each.sender for each in said if not each.name and not each.by_app)
        names = await self._names.get_names(unknown)
        tenant = self._tenant(listed, request)
        opened = next((each.id for each in said if each.forwards), "")
        return tuple(
            EarlierMessage(
                id=each.id,
                sender=User(NAME, each.sender, each.name or names.get(each.sender, "")),
                text=f"{each.text}\n{inner}".strip() if each.id == opened else each.text,
                sent_at=each.sent_at,
                bot=each.by_app,
                ours=each.by_app and each.sender == self._api.app_id,
                outsider=self._is_outsider(each, tenant),
                files=tuple(file.name for file in each.files),
                opening=_opens(each, request),
            )
            for each in reversed(said)
        )

    def _tenant(self, listed: Iterable[ListedMessage], request: HistoryRequest) -> str:
        """Return our own tenant: of what we said, or of who asks and is no guest; "" if it is not seen."""
        for each in listed:
            asks = each.id == request.before.id and each.sender not in self._guests
            if asks or (each.by_app and each.sender == self._api.app_id):
                return each.tenant
        return ""

    def _is_outsider(self, message: ListedMessage, tenant: str) -> bool:
        if message.by_app or message.sender in self._guests:
            return False
        return bool(message.tenant) and message.tenant != tenant


def wanted(listed: list[ListedMessage], request: HistoryRequest) -> list[ListedMessage]:
    """Return the messages that lie in what is asked about and say anything, in their order: newest first."""
    before, after = request.before, request.after
    ids = [each.id for each in listed]
    # Where they are listed they part what stands above from what came within the same millisecond.
    start = ids.index(before.id) + 1 if before.id in ids else 0
    end = ids.index(after.id, start) if after.id in ids[start:] else len(ids)
    return [
        each
        for each in listed[start:end]
        if _first(each, request) <= each.sent_at <= before.at
        and (each.text or each.files)
        and each.id != after.id
    ]


def _first(message: ListedMessage, request: HistoryRequest) -> float:
    """Return from when on a message is wanted."""
    return request.after.at if _opens(message, request) else max(request.after.at, request.oldest)


def _opens(message: ListedMessage, request: HistoryRequest) -> bool:
    return bool(message.opens) and message.opens == request.conversation.topic


def _reaches(listed: list[ListedMessage], request: HistoryRequest) -> bool:
    """Tell whether messages older than these may be wanted, too."""
    return not listed or listed[-1].sent_at >= max(request.after.at, request.oldest)


def _topic(topic: str) -> dict[str, str]:
    return {"container_id_type": "thread", "container_id": topic} | _NEWEST_FIRST


def _chat(request: HistoryRequest) -> dict[str, str]:
    """Return what to ask of a chat: in whole seconds, a little more than is wanted."""
    start = math.floor(max(request.after.at, request.oldest))
    return {
        "container_id_type": "chat",
        "container_id": request.conversation.chat,
        "start_time": str(start),
        "end_time": str(math.ceil(request.before.at) + 1),
    } | _NEWEST_FIRST


_NEWEST_FIRST = {"sort_type": "ByCreateTimeDesc", "page_size": str(MOST_IN_PAGE)}
