"""The state of the simulated platform. It lives as long as the simulator, whatever happens to a bot."""

from __future__ import annotations

import itertools
import time
from collections import deque

from parley.simulator.kit.json_values import Json, JsonObject
from parley.simulator.kit.world import World
from parley.simulator.telegram.errors import TelegramErrorResponse, bad_request, forbidden
from parley.simulator.telegram.model import (
    ChatKind,
    PendingCallbackQuery,
    PendingGuestQuery,
    TelegramAccount,
    TelegramChat,
    TelegramDraft,
    TelegramMedia,
    TelegramMessage,
    TelegramUpload,
)

_SILENT = frozenset({"chat_member", "message_reaction", "message_reaction_count"})
_FIRST_SUPERGROUP = -1_001_000_000_000
QUERY_LIFE = 15.0
"""Seconds for which a pressed button may be answered; the platform names none, bots report about so many."""


class TelegramWorld(World):
    """Accounts, chats, messages, files and waiting updates of one bot, behind one lock."""

    def __init__(self, bot_name: str, username: str, token: str) -> None:
        super().__init__()
        self.token = token
        self.bot = TelegramAccount(int(token.partition(":")[0]), bot_name, username, is_bot=True)
        self.accounts: dict[int, TelegramAccount] = {self.bot.id: self.bot}
        self.chats: dict[int, TelegramChat] = {}
        self.messages: dict[int, dict[int, TelegramMessage]] = {}
        self.files: dict[str, bytes] = {}
        self.privacy = True
        self.webhook = ""
        self.webhook_secret = ""
        self.webhook_connections = 40
        self.webhook_retry = 1.0
        self.webhook_set_again = 0.0
        self.webhook_error: tuple[float, str] = (0.0, "")
        self.allowed: frozenset[str] = frozenset()
        self.commands: dict[tuple[str, str], list[Json]] = {}
        self.presses: dict[str, PendingCallbackQuery] = {}
        self.query_life = QUERY_LIFE
        self.guests: dict[str, PendingGuestQuery] = {}
        self.waiting: list[JsonObject] = []
        self.confirmed: deque[JsonObject] = deque(maxlen=1000)
        self.again: list[JsonObject] = []
        self._updates = itertools.count(700_000_001)
        self._users = itertools.count(1001)
        self._groups = itertools.count(1)
        self._files = itertools.count(1)
        self._box = itertools.count(11)
        self._boxes: dict[int, itertools.count[int]] = {}

    def add_account(self, name: str, username: str, language: str) -> TelegramAccount:
        """Add a new person, and the private chat between them and the bot."""
        with self.changed:
            account = TelegramAccount(next(self._users), name, username, language)
            self.accounts[account.id] = account
            self._add_chat(TelegramChat(account.id, "private", name, members={account.id, self.bot.id}))
            return account

    def add_group(self, title: str, kind: ChatKind, forum: bool, members: set[int]) -> TelegramChat:
        """Add a new group with the bot in it."""
        with self.changed:
            number = next(self._groups)
            chat_id = -(5_000_000 + number) if kind == "group" else _FIRST_SUPERGROUP - number
            return self._add_chat(TelegramChat(chat_id, kind, title, forum, members | {self.bot.id}))

    def _add_chat(self, chat: TelegramChat) -> TelegramChat:
        self.chats[chat.id] = chat
        self.messages[chat.id] = {}
        # On the platform a supergroup numbers its own messages; private chats and groups share one box.
        self._boxes[chat.id] = itertools.count(2) if chat.kind == "supergroup" else self._box
        return chat

    def chat_for_bot(self, chat_id: int) -> TelegramChat:
        """Return a chat that the bot may write to. Raises TelegramErrorResponse."""
        chat = self.chats.get(chat_id)
        if chat is None:
            raise bad_request("chat not found")
        if chat.moved_to:
            raise TelegramErrorResponse(
                400, "Bad Request: group chat was upgraded to a supergroup chat", moved_to=chat.moved_to
            )
        if chat.bot_is_gone:
            raise forbidden(f"bot was kicked from the {chat.kind} chat")
        if chat.kind == "private" and self.accounts[chat.id].blocked_bot:
            raise forbidden("bot was blocked by the user")
        return chat

    def message(self, chat_id: int, message_id: int) -> TelegramMessage | None:
        """Return a message that is still there."""
        return self.messages.get(chat_id, {}).get(message_id)

    def post(self, chat: TelegramChat, sender: TelegramAccount, topic: int | None) -> TelegramMessage:
        """Post a new, empty message at the end of a chat."""
        message = TelegramMessage(next(self._boxes[chat.id]), chat.id, sender.id, time.time(), topic=topic)
        self.messages[chat.id][message.id] = message
        self.touch()
        return message

    def set_reply(self, message: TelegramMessage, to: int | None) -> None:
        """Have a message answer another one; in a supergroup without topics that makes a thread of them."""
        message.reply_to = to
        chat = self.chats[message.chat]
        replied = None if to is None else self.message(chat.id, to)
        if replied is not None and chat.kind == "supergroup" and not chat.forum:
            message.thread = replied.thread or replied.id

    def end_draft(self, message: TelegramMessage) -> None:
        """Take away the draft that a message says: one that says something else goes on being shown."""
        chat = self.chats[message.chat]
        chat.drafts = {
            key: draft
            for key, draft in chat.drafts.items()
            if (draft.topic, draft.text) != (message.topic, message.text)
        }

    def keep(self, upload: TelegramUpload) -> TelegramMedia:
        """Store a file and return how messages name it."""
        file_id = f"{upload.kind}-{next(self._files)}"
        self.files[file_id] = upload.content
        return TelegramMedia(upload.kind, file_id, upload.name, upload.mime, len(upload.content))

    def draft(self, chat: TelegramChat, draft: TelegramDraft) -> None:
        """Show or replace a draft."""
        chat.drafts[draft.id] = draft
        self.touch()

    def push(self, kind: str, body: JsonObject) -> None:
        """Push an update for the bot, if it asked for that kind."""
        wanted = kind in self.allowed if self.allowed else kind not in _SILENT
        if wanted:
            self.push_raw({"update_id": next(self._updates), kind: body})

    def push_raw(self, update: JsonObject) -> None:
        """Push any update at all; it gets the next number unless it has one."""
        update.setdefault("update_id", next(self._updates))
        self.waiting.append(update)
        self.touch()

    def next_query(self) -> str:
        """Return an id for a pressed button."""
        return str(next(self._updates) + 10**15)
