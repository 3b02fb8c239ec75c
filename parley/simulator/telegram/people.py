"""The person's side: what people write, press and see. Every method may be called from any thread."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass

from parley.simulator.kit.json_values import JsonObject
from parley.simulator.kit.people import SimulatedPeople
from parley.simulator.telegram.api import entities, guests
from parley.simulator.telegram.api.inline_keyboards import press_button as send_press
from parley.simulator.telegram.api.methods import as_json
from parley.simulator.telegram.api.serializers import chat_json, user_json
from parley.simulator.telegram.events import membership
from parley.simulator.telegram.model import (
    DRAFT_LIFE,
    ChatKind,
    SeenDraft,
    SeenTelegramMessage,
    TelegramAccount,
    TelegramChat,
    TelegramMessage,
    TelegramUpload,
)
from parley.simulator.telegram.rendering import addresses_bot, buttons, see_message
from parley.simulator.telegram.world import TelegramWorld

# In whose name a new supergroup is told where it came from.
_ANONYMOUS: JsonObject = {
    "id": 1087968824,
    "is_bot": True,
    "first_name": "Group",
    "username": "GroupAnonymousBot",
}


@dataclass(frozen=True)
class SimulatedTelegramPerson:
    """Somebody with an account. `id` is also the id of their private chat with the bot."""

    id: int
    name: str
    username: str


class SimulatedTelegramPeople(SimulatedPeople[TelegramWorld]):
    """What everybody but the bot does."""

    platform = "Telegram"

    def __init__(self, world: TelegramWorld) -> None:
        super().__init__(world)
        self._albums = itertools.count(7_000_000_001)

    def add_person(self, name: str, username: str = "", language: str = "en") -> SimulatedTelegramPerson:
        """Add a new account, with its private chat."""
        account = self._world.add_account(name, username or name.lower(), language)
        return SimulatedTelegramPerson(account.id, account.name, account.username)

    def add_group(
        self, title: str, members: Sequence[int], kind: ChatKind = "supergroup", forum: bool = False
    ) -> int:
        """Add a new group that the bot is in; returns its id. `members` are ids of persons."""
        return self._world.add_group(title, kind, forum, set(members)).id

    def add_topic(self, chat: int, title: str, by: int) -> int:
        """Add a new topic of a forum; returns its `message_thread_id`."""
        with self._world.changed:
            place, account = self._world.chats[chat], self._world.accounts[by]
            message = self._world.post(place, account, None)
            message.topic = message.id
            message.service = {"forum_topic_created": {"name": title, "icon_color": 7322096}}
            place.topics[message.id] = title
            self._world.push("message", as_json(self._world, message))
            return message.id

    def say(
        self,
        chat: int,
        by: int,
        text: str,
        reply_to: int | None = None,
        topic: int | None = None,
        quote: str = "",
    ) -> int:
        """Write a text; returns the message's id."""
        return self._post(chat, by, text, None, reply_to, topic, quote=quote)

    def send_file(
        self,
        chat: int,
        by: int,
        file: TelegramUpload,
        caption: str = "",
        reply_to: int | None = None,
        topic: int | None = None,
    ) -> int:
        """Send a photo, document or other file; returns the message's id."""
        return self._post(chat, by, caption, file, reply_to, topic)

    def send_album(
        self, chat: int, by: int, files: Sequence[TelegramUpload], caption: str = "", topic: int | None = None
    ) -> list[int]:
        """Send several files together, the caption on the first; returns the messages' ids."""
        album = str(next(self._albums))
        texts = [caption] + [""] * (len(files) - 1)
        pairs = zip(files, texts, strict=True)
        return [self._post(chat, by, text, file, None, topic, album) for file, text in pairs]

    def call_as_guest(self, chat: int, by: int, text: str) -> str:
        """Call the bot in a chat that it is no member of; returns the id of the query that it may answer."""
        with self._world.changed:
            place = self._world.chats[chat]
            message = self._world.post(place, self._world.accounts[by], None)
            message.text, message.entities = text, entities.find_entities(text)
            return guests.call_bot(self._world, place, message)

    def edit(self, chat: int, message: int, text: str) -> None:
        """Change a text."""
        with self._world.changed:
            changed = self._world.messages[chat][message]
            changed.text, changed.entities, changed.edited_at = (
                text,
                entities.find_entities(text),
                time.time(),
            )
            if self._heard(self._world.chats[chat], changed):
                self._world.push("edited_message", as_json(self._world, changed))
            self._world.touch()

    def delete(self, chat: int, message: int) -> None:
        """Take a message away; bots are not told."""
        with self._world.changed:
            del self._world.messages[chat][message]
            self._world.touch()

    def press(self, chat: int, by: int, message: int, label: str) -> str:
        """Press the button with this label; returns the id of the query that the bot should answer."""
        with self._world.changed:
            shown = self._world.messages[chat][message]
            account = self._world.accounts[by]
            for button in buttons(shown):
                if button.get("text") == label:
                    data = str(button.get("callback_data"))
                    return send_press(self._world, account, shown, data, as_json(self._world, shown))
        raise LookupError(f"message {message} has no button {label!r}")

    def stop(self, chat: int) -> None:
        """Press the stop button of what the bot is writing in a private chat."""
        with self._world.changed:
            place = self._world.chats[chat]
            stoppable = [draft for draft in place.drafts.values() if draft.can_stop]
            if not stoppable:
                raise LookupError(f"nothing that can be stopped is being written in chat {chat}")
            draft = place.drafts.pop(stoppable[-1].id)
            body: JsonObject = {"chat": chat_json(place), "draft_id": draft.id}
            if draft.topic is not None:
                body["message_thread_id"] = draft.topic
            self._world.push("stopped_message_generation", body)

    def answer_to(self, query: str) -> JsonObject:
        """Return what the bot answered to a pressed button; empty so far."""
        with self._world.changed:
            press = self._world.presses[query]
            return {"text": press.text, "show_alert": press.alert} if press.answered else {}

    def told(self, chat: int, by: int) -> tuple[str, ...]:
        """Return what somebody, and nobody else, was shown about buttons that they pressed in a chat."""
        with self._world.changed:
            theirs = [p for p in self._world.presses.values() if (p.chat, p.by) == (chat, by)]
            return tuple(press.text for press in theirs if press.answered)

    def remove_bot(self, chat: int) -> None:
        """Throw the bot out of a group, or block it in a private chat."""
        with self._world.changed:
            membership.leave(self._world, self._world.chats[chat])

    def add_bot(self, chat: int, by: int | None = None) -> None:
        """Take the bot into a group (again), or unblock it in a private chat."""
        with self._world.changed:
            membership.join(self._world, self._world.chats[chat], by)

    def upgrade(self, chat: int) -> int:
        """Make a group a supergroup, as the platform does for many settings; returns its new id."""
        with self._world.changed:
            old = self._world.chats[chat]
            new = self._world.add_group(old.title, "supergroup", False, old.members)
            old.moved_to = new.id
            member = next(
                self._world.accounts[number] for number in old.members if number != self._world.bot.id
            )
            self._tell_of_move(old, member, user_json(member), {"migrate_to_chat_id": new.id})
            # In the new chat it is the platform's own account for anonymous administrators that says so.
            self._tell_of_move(new, member, _ANONYMOUS, {"migrate_from_chat_id": old.id})
            return new.id

    def _tell_of_move(
        self, chat: TelegramChat, by: TelegramAccount, shown: JsonObject, service: JsonObject
    ) -> None:
        message = self._world.post(chat, by, None)
        message.service = service
        self._world.push("message", as_json(self._world, message) | {"from": shown})

    def set_privacy(self, on: bool) -> None:
        """BotFather's privacy mode, on as for every new bot."""
        with self._world.changed:
            self._world.privacy = on

    def make_bot_admin(self, chat: int) -> None:
        """Let the bot hear everything in a group."""
        with self._world.changed:
            self._world.chats[chat].bot_is_admin = True

    def inject(self, update: JsonObject) -> None:
        """Hand the bot any update at all, however strange."""
        with self._world.changed:
            self._world.push_raw(dict(update))

    def redeliver(self, count: int = 1) -> None:
        """Hand the bot its last confirmed updates once more."""
        with self._world.changed:
            self._world.again.extend(list(self._world.confirmed)[-count:])
            self._world.touch()

    def messages(self, chat: int, topic: int | None = None) -> tuple[SeenTelegramMessage, ...]:
        """Return what stands in a chat now, oldest first; with `topic`, in that topic only."""
        with self._world.changed:
            found = [m for m in self._world.messages[chat].values() if topic in (None, m.topic)]
            return tuple(see_message(message, self._world.accounts[message.sender]) for message in found)

    def answers(self, chat: int, topic: int | None = None) -> tuple[str, ...]:
        """Return the texts of the bot's messages in a chat, oldest first."""
        return tuple(message.text for message in self.messages(chat, topic) if message.from_bot)

    def drafts(self, chat: int) -> tuple[SeenDraft, ...]:
        """Return what the bot seems to be writing in a private chat now."""
        with self._world.changed:
            shown = [d for d in self._world.chats[chat].drafts.values() if time.time() - d.at < DRAFT_LIFE]
            return tuple(SeenDraft(d.id, d.text, tuple(d.entities), d.topic, d.can_stop) for d in shown)

    def actions(self, chat: int) -> tuple[tuple[float, str], ...]:
        """Return the chat actions so far, with their times."""
        with self._world.changed:
            return tuple(self._world.chats[chat].actions)

    def file(self, chat: int, message: int) -> bytes:
        """Return the content of a message's file."""
        with self._world.changed:
            media = self._world.messages[chat][message].media
            return b"" if media is None else self._world.files[media.file_id]

    def commands(self, scope: str = "default", language: str = "") -> dict[str, str]:
        """Return the command menu that people with this language see, by name."""
        with self._world.changed:
            menu = self._world.commands.get((scope, language), [])
            return {str(c["command"]): str(c["description"]) for c in menu if isinstance(c, dict)}

    def unconfirmed(self) -> int:
        """Return how many updates the bot has not confirmed yet."""
        with self._world.changed:
            return len(self._world.waiting)

    def _post(
        self,
        chat: int,
        by: int,
        text: str,
        file: TelegramUpload | None,
        reply_to: int | None,
        topic: int | None,
        album: str = "",
        quote: str = "",
    ) -> int:
        with self._world.changed:
            place, account = self._world.chats[chat], self._world.accounts[by]
            message = self._world.post(place, account, topic)
            message.text, message.entities = text, entities.find_entities(text)
            message.media = None if file is None else self._world.keep(file)
            message.album, message.quote = album, quote
            # On the platform the first message of a topic, and any that answers none, "replies" to its start.
            self._world.set_reply(message, topic if reply_to is None else reply_to)
            if self._heard(place, message):
                self._world.push("message", as_json(self._world, message))
            return message.id

    def _heard(self, chat: TelegramChat, message: TelegramMessage) -> bool:
        """Return whether the platform tells the bot about this message (privacy mode)."""
        world = self._world
        if chat.bot_is_gone:
            return False
        if chat.kind == "private" or not world.privacy or chat.bot_is_admin:
            return True
        replied = None if message.reply_to is None else world.message(chat.id, message.reply_to)
        if replied is not None and replied.sender == world.bot.id:
            return True
        return addresses_bot(message, world.bot)
