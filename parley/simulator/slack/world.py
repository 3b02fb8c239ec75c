"""The state of the simulated platform. It lives as long as the simulator, whatever happens to a bot."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Callable
from typing import Literal, TypeAlias

from parley.simulator.kit.json_values import Json, JsonObject
from parley.simulator.kit.world import World
from parley.simulator.slack.errors import SlackErrorResponse
from parley.simulator.slack.model import (
    ChatKind,
    EphemeralMessage,
    File,
    Modal,
    ResponseUrl,
    SlackAccount,
    SlackChat,
    SlackMessage,
    SlackSimulatorTiming,
)
from parley.simulator.slack.rendering.blocks import render_blocks
from parley.simulator.slack.rendering.markup import render_markdown, render_mrkdwn

TEAM = "T0SIM"
APP = "A0SIM"
SCOPES = frozenset(
    {
        *("app_mentions:read", "assistant:write", "channels:history", "chat:write", "commands"),
        *("files:read", "files:write", "groups:history", "im:history", "mpim:history"),
        *("reactions:write", "users:read"),
    }
)
Experience: TypeAlias = Literal["agent", "assistant", "plain"]
"""What the app is in its manifest: agent_view, which alone new apps can have; assistant_view; or neither."""


def _scopes_of(experience: Experience) -> set[str]:
    # Declaring an app as an agent is what gives it this scope.
    return set(SCOPES) - ({"assistant:write"} if experience == "plain" else set())


class SlackWorld(World):
    """Accounts, chats, messages and files of one workspace with one app, behind one lock.

    `emit` is called with every event for
    the app, under the lock.
    """

    def __init__(
        self,
        name: str,
        handle: str,
        bot_token: str,
        app_token: str,
        timing: SlackSimulatorTiming,
        experience: Experience = "agent",
    ) -> None:
        super().__init__()
        self.bot_token = bot_token
        self.app_token = app_token
        self.timing = timing
        self.experience = experience
        self.scopes = _scopes_of(experience)
        # Types of events that the app's manifest does not name.
        self.unsubscribed: set[str] = set()
        self.viewed: dict[str, list[Json]] = {}
        self.for_sale = False
        """Whether the app is sold outside Slack's Marketplace, and so may read little of what was said."""
        self.base_url = ""
        self.request_url = ""
        """Where events are posted; "" while Socket Mode is on."""
        self.accounts: dict[str, SlackAccount] = {}
        self.bot = self.add_account(name, handle, TEAM, is_bot=True)
        self.chats: dict[str, SlackChat] = {}
        self.messages: dict[str, dict[str, SlackMessage]] = {}
        self.files: dict[str, File] = {}
        self.shown: list[tuple[str, str, str]] = []
        """Chat, thread and text of everything that the bot ever showed, in order of time."""
        self.whispers: list[EphemeralMessage] = []
        self.triggers: dict[str, tuple[str, float]] = {}
        """Whose each is and when it was made (monotonic); of nobody once it was used."""
        self.modals: dict[str, Modal] = {}
        """The newest form of each person."""
        self.homes: dict[str, JsonObject] = {}
        self.responses: dict[str, ResponseUrl] = {}
        self.emit: Callable[[JsonObject], None] = lambda event: None
        self._numbers = itertools.count(1)
        self._last_ts = 0.0

    def number(self) -> str:
        """Return the next number for an id."""
        return f"{next(self._numbers):06d}"

    def add_account(self, name: str, handle: str, team: str = TEAM, *, is_bot: bool = False) -> SlackAccount:
        """Add a new person or bot."""
        number = len(self.accounts) + 1
        account = SlackAccount(
            f"U{number:06d}", name, handle, team, is_bot, f"B{number:06d}" if is_bot else ""
        )
        self.accounts[account.id] = account
        return account

    def add_chat(self, kind: ChatKind, title: str, members: set[str]) -> SlackChat:
        """Add a new chat with the bot in it."""
        letter = {"im": "D", "channel": "C", "group": "G", "mpim": "G"}[kind]
        chat = SlackChat(f"{letter}{self.number()}", kind, title, members | {self.bot.id})
        self.chats[chat.id] = chat
        self.messages[chat.id] = {}
        return chat

    def dm_of(self, person: str) -> str:
        """Return the id of somebody's DM with the app, "" for none."""
        found = (chat.id for chat in self.chats.values() if chat.kind == "im" and person in chat.members)
        return next(found, "")

    def chat_for_bot(self, chat_id: str) -> SlackChat:
        """Return a chat that the bot may write to; a person's id is their DM. Raises SlackErrorResponse."""
        if chat_id in self.accounts:
            chat_id = self.dm_of(chat_id)
        chat = self.chats.get(chat_id)
        if chat is None:
            raise SlackErrorResponse("channel_not_found")
        if chat.closed:
            raise SlackErrorResponse(chat.closed)
        return chat

    def new_ts(self) -> str:
        """Make the next timestamp: unique in the workspace here, in its chat on the platform."""
        self._last_ts = max(self._last_ts + 0.000001, time.time())
        return f"{self._last_ts:.6f}"

    def post(self, chat: SlackChat, sender: SlackAccount, thread: str) -> SlackMessage:
        """Post a new, empty message at the end of a chat or of a thread in it."""
        ts = self.new_ts()
        message = SlackMessage(ts, chat.id, sender.id, float(ts), thread=thread)
        self.messages[chat.id][ts] = message
        return message

    def new_trigger(self, user: str) -> str:
        """Make what lets the app open one form for somebody, soon."""
        trigger = f"{self.number()}.1.x"
        self.triggers[trigger] = (user, time.monotonic())
        return trigger

    def own(self, chat: SlackChat, ts: str) -> SlackMessage:
        """Return the bot's own message. Raises SlackErrorResponse."""
        message = self.messages[chat.id].get(ts)
        if message is None:
            raise SlackErrorResponse("message_not_found")
        if message.sender != self.bot.id:
            raise SlackErrorResponse("cant_update_message")
        return message

    def note_shown(self, message: SlackMessage) -> None:
        """Keep what the bot shows now."""
        self.shown.append((message.chat, message.thread, self.drawn(message)[0]))
        self.touch()

    def drawn(self, message: SlackMessage) -> tuple[str, tuple[str, ...]]:
        """Return what people see of a message, and what of it is code; beside blocks they see no `text`."""
        if message.blocks or message.markdown:
            text, code = render_markdown(message.markdown, tables=message.tables)
            under, more = render_blocks(message.blocks)
            return self._named("\n\n".join(filter(None, (text, under)))), (*code, *more)
        return self._named(render_mrkdwn(message.text, marked=message.marked)), ()

    def _named(self, text: str) -> str:
        def name(match: re.Match[str]) -> str:
            account = self.accounts.get(match[1])
            return match[0] if account is None else f"@{account.name}"

        return re.sub(r"<?@(U\d{6})>?", name, text)
