"""The person's side: what people write, press and see; callable from any thread."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from parley.simulator.feishu.api.messages import BOT_ADDED, BOT_MENTIONS, CHAT_ENTERED, GROUP_READING
from parley.simulator.feishu.events import card_callbacks
from parley.simulator.feishu.events.message_event import account_ids, mark_mentions, message_event
from parley.simulator.feishu.model import (
    ChatKind,
    FeishuEvent,
    FeishuMessage,
    FeishuReaction,
    FeishuUpload,
    FileKind,
    SeenFeishuMessage,
)
from parley.simulator.feishu.rendering.card_buttons import buttons
from parley.simulator.feishu.world import FeishuWorld
from parley.simulator.kit.json_values import Json, JsonObject
from parley.simulator.kit.people import SimulatedPeople

_FILE_KEYS = ("file_key", "image_key")


@dataclass(frozen=True)
class SimulatedFeishuPerson:
    """Somebody with an account; `chat` is where they talk to the bot alone."""

    open_id: str
    name: str
    chat: str


class SimulatedFeishuPeople(SimulatedPeople[FeishuWorld]):
    """What everybody but the bot does."""

    platform = "Feishu"

    def add_person(self, name: str, tenant: str = "") -> SimulatedFeishuPerson:
        """Add a new account, of the app's own tenant unless another is given, with its chat."""
        account, chat = self._world.add_account(name, tenant)
        return SimulatedFeishuPerson(account.open_id, account.name, chat.id)

    def add_group(
        self, title: str, members: Sequence[str], kind: ChatKind = "group", hears_all: bool = True
    ) -> str:
        """Add a new group that the bot is in; returns its id."""
        chat = self._world.add_chat(kind, title, set(members))
        chat.hears_all = hears_all
        return chat.id

    def activate(self, status: int) -> None:
        """Let the app have this `activate_status` in the organisation."""
        with self._world.changed:
            self._world.activation = status

    def understand(self, words: str) -> None:
        """Let speech recognition understand these words from now on, whatever is said."""
        with self._world.changed:
            self._world.spoken_words = words

    def join(self, chat: str, person: str) -> None:
        """Let somebody into a group."""
        with self._world.changed:
            self._world.chats[chat].members.add(person)

    def say(self, chat: str, by: str, text: str, reply_to: str = "", in_thread: bool = False) -> str:
        """Write a text, in which @names of the chat's members are mentions; returns the message's id."""
        with self._world.changed:
            marked, mentions = mark_mentions(self._world, chat, text)
            return self._post(chat, by, "text", {"text": marked}, mentions, reply_to, in_thread)

    def write_post(
        self,
        chat: str,
        by: str,
        rows: list[Json],
        title: str = "",
        reply_to: str = "",
        in_thread: bool = False,
    ) -> str:
        """Write a rich text: rows of elements; returns the message's id."""
        content: JsonObject = {"title": title, "content": rows}
        return self._post(chat, by, "post", content, [], reply_to, in_thread)

    def send_file(
        self, chat: str, by: str, file: FeishuUpload, reply_to: str = "", in_thread: bool = False
    ) -> str:
        """Send a file, image, audio, video or sticker; returns the message's id."""
        with self._world.changed:
            blob = self._world.keep(file)
            content: JsonObject = {"image_key" if file.kind == "image" else "file_key": blob.key}
            if file.kind in ("file", "media"):
                content["file_name"] = file.name
            if file.kind in ("audio", "media"):
                content["duration"] = 3000
            message = self._post(chat, by, file.kind, content, [], reply_to, in_thread)
            blob.message = message
            return message

    def send_with_text(self, chat: str, by: str, files: Sequence[FeishuUpload], text: str) -> str:
        """Send files and words as one rich text; returns the message's id."""
        with self._world.changed:
            blobs = [self._world.keep(file) for file in files]
            rows: list[Json] = [[{"tag": "text", "text": text, "style": []}]] if text else []
            rows += [[_element(blob.kind, blob.key, blob.name)] for blob in blobs]
            message = self.write_post(chat, by, rows)
            for blob in blobs:
                blob.message = message
            return message

    def send_raw(self, chat: str, by: str, kind: str, content: JsonObject) -> str:
        """Send a message of any kind, such as a forwarded conversation; returns its id."""
        return self._post(chat, by, kind, content, [], "", False)

    def react(self, message: str, by: str, emoji: str) -> None:
        """React to a message; apps that did not subscribe to that hear nothing of it."""
        with self._world.changed:
            reaction = FeishuReaction(self._world.name("reaction"), by, emoji, time.time())
            self._world.messages[message].reactions.append(reaction)

    def recall(self, message: str) -> None:
        """Take a message away; apps hear of it as an event of another kind."""
        with self._world.changed:
            gone = self._world.messages[message]
            gone.recalled = True
            told = {"message_id": message, "chat_id": gone.chat, "recall_time": f"{time.time() * 1000:.0f}"}
            self._world.push("im.message.recalled_v1", {**told, "recall_type": "message_owner"})

    def press(
        self, chat: str, by: str, message: str, title: str, written: Mapping[str, str] | None = None
    ) -> str:
        """Press the button with this title; `written` is what was put into its form's inputs, by their names.

        Returns the id of the event. Raises LookupError, ValueError.
        """
        with self._world.changed:
            return card_callbacks.press_button(self._world, chat, by, message, title, written or {})

    def told(self, chat: str, by: str) -> tuple[str, ...]:
        """Return what popped up for somebody when they had pressed buttons in a chat."""
        with self._world.changed:
            return card_callbacks.list_toasts(self._world, chat, by)

    def failures(self, chat: str, by: str) -> int:
        """Return how often somebody's client said that a press did not work."""
        with self._world.changed:
            return card_callbacks.count_failed_presses(self._world, chat, by)

    def remove_bot(self, chat: str) -> None:
        """Throw the bot out of a group, or take it from a person."""
        with self._world.changed:
            self._world.chats[chat].bot_is_gone = True

    def add_bot(self, chat: str, by: str) -> str:
        """Take the bot into a group; returns the id of the event, "" where the app hears of none."""
        with self._world.changed:
            place = self._world.chats[chat]
            place.bot_is_gone = False
            account = self._world.accounts[by]
            told: JsonObject = {
                "chat_id": chat,
                "operator_id": account_ids(account),
                "operator_tenant_key": account.tenant,
                "external": account.tenant != self._world.tenant,
                "name": place.title,
            }
            return self._tell("im.chat.member.bot.added_v1", BOT_ADDED, told)

    def enter(self, chat: str, by: str) -> str:
        """Open the private chat with the bot; returns the id of the event, "" where the app hears of none."""
        with self._world.changed:
            told: JsonObject = {"chat_id": chat, "operator_id": account_ids(self._world.accounts[by])}
            last = next((each for each in reversed(self._world.messages.values()) if each.chat == chat), None)
            if last is not None:
                told |= {
                    "last_message_id": last.id,
                    "last_message_create_time": str(round(last.at * 1000)),
                }
            return self._tell("im.chat.access_event.bot_p2p_chat_entered_v1", CHAT_ENTERED, told)

    def _tell(self, kind: str, scope: str, told: JsonObject) -> str:
        return "" if scope in self._world.denied else self._world.push(kind, told)

    def inject(self, payload: JsonObject | bytes) -> None:
        """Hand the app any event at all, however strange."""
        self._world.push_raw(payload if isinstance(payload, bytes) else json.dumps(payload).encode())

    def redeliver(self, count: int = 1) -> None:
        """Hand the app its last acknowledged events once more."""
        with self._world.changed:
            for event in list(self._world.acknowledged)[-count:]:
                self._world.events.append(
                    FeishuEvent(event.number, event.id, event.body, 0.0, told=event.told)
                )
            self._world.touch()

    def messages(self, chat: str) -> tuple[SeenFeishuMessage, ...]:
        """Return what stands in a chat now, oldest first."""
        with self._world.changed:
            found = [
                each for each in self._world.messages.values() if each.chat == chat and not each.recalled
            ]
            return tuple(self._seen(message) for message in found)

    def answers(self, chat: str) -> tuple[str, ...]:
        """Return the texts of the bot's messages in a chat, oldest first."""
        return tuple(message.text for message in self.messages(chat) if message.from_bot)

    def history(self, chat: str) -> tuple[str, ...]:
        """Return every text that the bot showed in a chat, in order of time."""
        with self._world.changed:
            return tuple(text for place, text in self._world.shown if place == chat)

    def file(self, message: str, name: str = "") -> bytes:
        """Return the content of a message's file."""
        with self._world.changed:
            key = _file_key(self._world.messages[message])
            return self._world.blobs[key].content

    def unacknowledged(self) -> int:
        """Return how many events the app has not acknowledged yet."""
        with self._world.changed:
            return len(self._world.events)

    def lost(self) -> int:
        """Return how many events the platform gave up on."""
        with self._world.changed:
            return len(self._world.lost)

    def _post(
        self,
        chat: str,
        by: str,
        kind: str,
        content: JsonObject,
        mentions: list[Json],
        reply_to: str,
        in_thread: bool,
    ) -> str:
        world = self._world
        with world.changed:
            place = world.chats[chat]
            message = world.post(place, world.accounts[by], kind, content)
            message.mentions = mentions
            world.place(message, world.messages[reply_to] if reply_to else None, in_thread)
            called = any(isinstance(m, dict) and m.get("mentioned_type") == "bot" for m in mentions)
            heard = place.kind == "p2p" or called or (place.hears_all and GROUP_READING not in world.denied)
            silent = place.bot_is_gone or (world.accounts[by].is_bot and BOT_MENTIONS in world.denied)
            if heard and not silent:
                world.push("im.message.receive_v1", message_event(world, message))
            world.touch()
            return message.id

    def _seen(self, message: FeishuMessage) -> SeenFeishuMessage:
        world = self._world
        sender, shown, card = (
            world.accounts[message.sender],
            world.rendered(message),
            world.cards.get(message.card),
        )
        blob = world.blobs.get(_file_key(message))
        return SeenFeishuMessage(
            id=message.id,
            sender=sender.name,
            from_bot=sender.is_bot,
            kind=message.kind,
            text=shown.text,
            code=shown.code,
            parent=message.parent,
            thread=message.thread,
            file="" if blob is None else blob.name,
            buttons=tuple(button.label for button in buttons(world.body(message))),
            streaming=card is not None and card.streaming,
            edited=bool(message.edits),
            at=message.at,
            duration=0 if blob is None else blob.duration,
            reactions=tuple(each.emoji for each in message.reactions),
            pictures=shown.pictures,
        )


def _element(kind: FileKind, key: str, name: str) -> JsonObject:
    if kind == "image":
        return {"tag": "img", "image_key": key, "width": 1, "height": 1}
    tag = kind if kind in ("media", "audio") else "file"
    return {"tag": tag, "file_key": key, "file_name": name}


def _file_key(message: FeishuMessage) -> str:
    return next((str(message.content[key]) for key in _FILE_KEYS if key in message.content), "")
