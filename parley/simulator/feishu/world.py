"""The state of the simulated platform. It lives as long as the simulator, whatever happens to an app."""

from __future__ import annotations

import itertools
import json
import secrets
import time
from collections import deque
from collections.abc import Callable

from parley.simulator.feishu.errors import FeishuErrorResponse, too_many
from parley.simulator.feishu.faults import FeishuRateLimits, FeishuSimulatorTiming
from parley.simulator.feishu.model import (
    Blob,
    ChatKind,
    FeishuAccount,
    FeishuCard,
    FeishuChat,
    FeishuEvent,
    FeishuMessage,
    FeishuRegistration,
    FeishuToast,
    FeishuUpload,
)
from parley.simulator.feishu.rendering.markdown import Rendered, render
from parley.simulator.kit.json_values import Json, JsonObject, as_list, as_object
from parley.simulator.kit.rate_limiter import RateLimiter
from parley.simulator.kit.world import World

ACTIVE = 2
"""The `activate_status` of an app that is in use; 0 is one without a published version."""


class FeishuWorld(World):
    """One app, its tenant, chats, messages, cards, files and events, behind one lock.

    `denied` holds the scopes that the app
    was not given; `tokens` the access tokens and when they end.
    """

    def __init__(
        self,
        app_id: str,
        secret: str,
        bot_name: str,
        pace: FeishuRateLimits,
        timing: FeishuSimulatorTiming,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self.app_id, self.secret = app_id, secret
        self.pace, self.timing = pace, timing
        self.tenant = "tenant_" + secrets.token_hex(4)
        self.bot = FeishuAccount(
            "ou_" + secrets.token_hex(16), bot_name, self.tenant, is_bot=True, app_id=app_id
        )
        self.accounts: dict[str, FeishuAccount] = {self.bot.open_id: self.bot}
        self.chats: dict[str, FeishuChat] = {}
        self.messages: dict[str, FeishuMessage] = {}
        self.cards: dict[str, FeishuCard] = {}
        self.blobs: dict[str, Blob] = {}
        self.tokens: dict[str, float] = {}
        self.denied: set[str] = set()
        self.activation = ACTIVE
        self.registrations: dict[str, FeishuRegistration] = {}
        self.brand = "feishu"
        """Where people have their accounts: feishu, or lark."""
        self.tells_names = True
        """Whether messages come with their senders' names where these are asked for."""
        self.spoken_words = "simulated words"
        """What speech recognition understands of anything but silence."""
        self.recognized: deque[bytes] = deque(maxlen=100)
        self.sent: dict[str, tuple[float, str]] = {}
        self.events: list[FeishuEvent] = []
        self.acknowledged: deque[FeishuEvent] = deque(maxlen=1000)
        self.lost: list[FeishuEvent] = []
        self.told: list[FeishuToast] = []
        self.shown: list[tuple[str, str]] = []
        self._limiter = RateLimiter(clock)
        self._numbers = itertools.count(1)

    def name(self, prefix: str) -> str:
        """Return a new id; ids of one kind are in order of time."""
        return f"{prefix}_{next(self._numbers):08x}{secrets.token_hex(10)}"

    def add_account(self, name: str, tenant: str = "") -> tuple[FeishuAccount, FeishuChat]:
        """Add a new person, and the chat between them and the bot."""
        with self.changed:
            account = FeishuAccount(self.name("ou"), name, tenant or self.tenant)
            self.accounts[account.open_id] = account
            return account, self.add_chat("p2p", name, {account.open_id})

    def add_chat(self, kind: ChatKind, title: str, members: set[str]) -> FeishuChat:
        """Add a new chat with the bot in it."""
        with self.changed:
            chat = FeishuChat(self.name("oc"), kind, title, members | {self.bot.open_id})
            self.chats[chat.id] = chat
            return chat

    def chat_for_bot(self, chat_id: str) -> FeishuChat:
        """Return a chat that the bot may write to. Raises FeishuErrorResponse."""
        chat = self.chats.get(chat_id)
        if chat is None:
            raise FeishuErrorResponse(
                230001, "Your request contains an invalid request parameter, ext=invalid receive_id"
            )
        if chat.bot_is_gone and chat.kind == "p2p":
            raise FeishuErrorResponse(230013, "Bot has NO availability to this user.")
        if chat.bot_is_gone:
            raise FeishuErrorResponse(230002, "Bot/User can NOT be out of the chat.")
        return chat

    def post(self, chat: FeishuChat, sender: FeishuAccount, kind: str, content: JsonObject) -> FeishuMessage:
        """Post a new message at the end of a chat."""
        message = FeishuMessage(self.name("om"), chat.id, sender.open_id, kind, content, time.time())
        self.messages[message.id] = message
        return message

    def place(self, message: FeishuMessage, answered: FeishuMessage | None, in_thread: bool = False) -> None:
        """Say what a message answers; in a thread, or where one is opened, it belongs to that."""
        chat = self.chats[message.chat]
        if answered is None:
            message.thread = self.name("omt") if chat.kind == "topic_group" else ""
            return
        message.parent, message.root = answered.id, answered.root or answered.id
        if in_thread and not answered.thread:
            answered.thread = self.name("omt")
        message.thread = answered.thread

    def keep(self, upload: FeishuUpload, message: str = "") -> Blob:
        """Store a file."""
        prefix = "img_v3" if upload.kind == "image" else "file_v3"
        blob = Blob(self.name(prefix), upload.kind, upload.name, upload.content, message)
        self.blobs[blob.key] = blob
        return blob

    def body(self, message: FeishuMessage) -> JsonObject:
        """Return the content as it is now: cards that are entities change without their message."""
        card = self.cards.get(message.card)
        return message.content if card is None else card.body

    def rendered(self, message: FeishuMessage) -> Rendered:
        """Return what is read in a message."""
        if message.kind != "interactive":
            return read_content(message.kind, message.content, message.mentions)
        return render("\n".join(text for text in _texts(self.body(message)) if text.strip()))

    @property
    def refused_for_pace(self) -> int:
        """Return how many calls were too many."""
        return self._limiter.refused

    def check_rate(self, key: str, most: int, most_a_minute: int = 0) -> None:
        """Count an operation. Raises FeishuErrorResponse when there were too many."""
        limits = [limit for limit in ((most, 1.0), (most_a_minute, 60.0)) if limit[0]]
        if limits and (seconds := self._limiter.wait(key, *limits)):
            raise too_many(seconds)

    def note_shown(self, message: FeishuMessage) -> None:
        """Keep what the bot shows now in a message of its own."""
        if message.sender == self.bot.open_id:
            self.shown.append((message.chat, self.rendered(message).text))
        self.touch()

    def push(self, kind: str, event: JsonObject, told: FeishuToast | None = None) -> str:
        """Push an event for the app, with `told` the press of a button; returns its id."""
        header: JsonObject = {
            "event_id": secrets.token_hex(16),
            "event_type": kind,
            "create_time": str(round(time.time() * 1000)),
            "token": "",
            "app_id": self.app_id,
            "tenant_key": self.tenant,
        }
        body: JsonObject = {"schema": "2.0", "header": header, "event": event}
        return self.push_raw(json.dumps(body, ensure_ascii=False).encode(), str(header["event_id"]), told)

    def push_raw(self, body: bytes, event_id: str = "", told: FeishuToast | None = None) -> str:
        """Push any payload at all as an event; returns its id."""
        with self.changed:
            event = FeishuEvent(next(self._numbers), event_id or secrets.token_hex(8), body, time.monotonic())
            self.events.append(event)
            if told is not None:
                event.told = told
                self.told.append(told)
            self.touch()
            return event.id


def read_content(kind: str, content: JsonObject, mentions: list[Json]) -> Rendered:
    """Return what is read in a message that is no card."""
    if kind == "text":
        return Rendered(replace_mentions(str(content.get("text", "")), mentions))
    if kind == "post":
        return render("\n".join(_post_lines(content)))
    return Rendered("")


def replace_mentions(text: str, mentions: list[Json]) -> str:
    """Return a text with the names of those whom it mentions."""
    for mention in reversed(mentions):
        if isinstance(mention, dict):
            text = text.replace(str(mention.get("key")), f"@{mention.get('name')}")
    return text


def _post_lines(content: JsonObject) -> list[str]:
    body = next((value for value in content.values() if isinstance(value, dict)), content)
    rows = body.get("content")
    return ["".join(str(as_object(entry).get("text", "")) for entry in as_list(row)) for row in as_list(rows)]


def _texts(card: Json) -> list[str]:
    """Return the texts of a card's elements, in order; plain ones with their marks escaped."""
    if isinstance(card, list):
        return [text for entry in card for text in _texts(entry)]
    if not isinstance(card, dict) or card.get("tag") == "button":
        return []
    if card.get("tag") == "plain_text":
        return [str(card.get("content", "")).replace("<", "&#60;").replace("*", "\\*").replace("`", "\\`")]
    if card.get("tag") in ("markdown", "lark_md"):
        return [str(card.get("content", ""))]
    wanted = ("body", "elements", "text", "columns", "header", "title")
    return [text for key in wanted for text in _texts(card.get(key))]
