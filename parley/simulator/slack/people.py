"""The person's side: what people write, press and see. Every method may be called from any thread."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Literal, TypeAlias

from parley.simulator.kit.json_values import JsonObject
from parley.simulator.slack.agent_users import SimulatedAgentUsers, SimulatedSlackPerson
from parley.simulator.slack.api import modals
from parley.simulator.slack.api.serializers import (
    escape_typed_text,
    mention_event,
    message_event,
    message_json,
    press_json,
    user_json,
)
from parley.simulator.slack.model import (
    ChatKind,
    File,
    SeenModal,
    SeenSlackMessage,
    SlackAccount,
    SlackChat,
    SlackMessage,
    SlackUpload,
)
from parley.simulator.slack.past import tombstone
from parley.simulator.slack.rendering.markup import button_label, buttons
from parley.simulator.slack.world import TEAM

Guest: TypeAlias = Literal["", "several", "one"]


class SimulatedSlackPeople(SimulatedAgentUsers):
    """What everybody but the app does."""

    def add_person(
        self, name: str, handle: str = "", team: str = TEAM, guest: Guest = "", locale: str = "en-US"
    ) -> SimulatedSlackPerson:
        """Add a new account, with its DM: a member, a guest of several channels or one, or, when `team` says
        so, somebody of another workspace."""
        with self._world.changed:
            account = self._world.add_account(name, handle or f"{name.lower()}{self._world.number()}", team)
            account.stranger, account.locale = team != TEAM, locale
            account.restricted, account.ultra_restricted = guest == "several", guest == "one"
            return SimulatedSlackPerson(account.id, name, self._world.add_chat("im", name, {account.id}).id)

    def add_bot(self, name: str) -> str:
        """Add another app's bot; returns its id."""
        with self._world.changed:
            return self._world.add_account(name, name.lower(), is_bot=True).id

    def add_channel(self, title: str, members: Sequence[str], kind: ChatKind = "channel") -> str:
        """Add a new channel that the app is in; returns its id."""
        with self._world.changed:
            return self._world.add_chat(kind, title, set(members)).id

    def say(self, chat: str, by: str, text: str, thread: str = "", subtype: str = "") -> str:
        """Write a text, where `@handle` mentions somebody; returns the message's ts."""
        return self._post(chat, by, text, [], thread, subtype)

    def send_files(
        self, chat: str, by: str, files: Sequence[SlackUpload], text: str = "", thread: str = ""
    ) -> str:
        """Send files, with a text or without; returns the message's ts."""
        return self._post(chat, by, text, files, thread, "file_share")

    def speak(self, chat: str, by: str, sound: bytes, thread: str = "", heard: str = "") -> str:
        """Send a voice clip, of which Slack has understood these words; returns the message's ts."""
        clip = SlackUpload("audio_message.m4a", sound, "audio/mp4", heard=heard)
        return self._post(chat, by, "", [clip], thread, "file_share")

    def edit(self, chat: str, ts: str, text: str) -> None:
        """Change a text; the app hears `message_changed`, and if it is mentioned, `app_mention` again."""
        with self._world.changed:
            place, message = self._world.chats[chat], self._world.messages[chat][ts]
            before = message_json(self._world, message)
            message.text, message.edited = escape_typed_text(self._world, text), True
            self._changed(place, "message_changed", message_json(self._world, message), before)
            self._mention(place, message)

    def delete(self, chat: str, ts: str) -> None:
        """Take a message away; the app hears `message_deleted`. Of a thread's root a mark stays behind."""
        with self._world.changed:
            message = self._world.messages[chat].pop(ts)
            before = message_json(self._world, message)
            if any(each.thread == ts for each in self._world.messages[chat].values()):
                self._world.messages[chat][ts] = tombstone(message)
            self._changed(self._world.chats[chat], "message_deleted", {}, before)

    def press(self, chat: str, by: str, ts: str, title: str) -> None:
        """Press the button with this label. Raises LookupError where there is none."""
        with self._world.changed:
            message = self._world.messages[chat][ts]
            button = next((b for b in buttons(message.blocks) if button_label(b) == title), None)
            if button is None:
                raise LookupError(f"message {ts} has no button {title!r}")
            payload = press_json(self._world, message, self._world.accounts[by], button)
            self._events.interact(payload)

    def told(self, chat: str, by: str, thread: str = "") -> tuple[str, ...]:
        """Return what somebody saw in a place that nobody else did, oldest first."""
        with self._world.changed:
            whispers = [each for each in self._world.whispers if each.user == by]
            return tuple(each.text for each in whispers if (each.chat, each.thread) == (chat, thread))

    def modal(self, by: str) -> SeenModal | None:
        """Return the form that is open before somebody."""
        with self._world.changed:
            modal = self._world.modals.get(by)
            return None if modal is None or modal.closed else modals.see_modal(modal)

    def submit(self, by: str, **values: str) -> None:
        """Write values into the fields of the open form, by their labels, and send it. It stays open until
        the app takes it. Raises LookupError where no form is open, or it has no such field."""
        with self._world.changed:
            modal = self._world.modals.get(by)
            if modal is None or modal.closed:
                raise LookupError(f"no form is open before {by}")
            modals.fill_fields(modal, values)
            payload = modals.submission(self._world, modal)
            self._events.interact(payload, lambda answer: modals.apply_view_response(modal, answer))

    def join(self, chat: str, person: str) -> None:
        """Let somebody into a channel."""
        with self._world.changed:
            self._world.chats[chat].members.add(person)

    def close(self, chat: str, error: str = "channel_not_found") -> None:
        """From now on the app may not write here: it was removed, or the person is gone."""
        with self._world.changed:
            self._world.chats[chat].closed = error

    def restrict_scopes(self, *missing: str) -> None:
        """Take these scopes from the app."""
        with self._world.changed:
            self._world.scopes -= set(missing)

    def inject(self, payload: JsonObject, kind: str = "events_api") -> None:
        """Hand the app any payload at all, however strange."""
        self._events.push(kind, payload)

    def inject_event(self, event: JsonObject, team: str = TEAM) -> None:
        """Hand the app any event in an ordinary payload."""
        self._events.push("events_api", self._events.payload(event, team))

    def redeliver(self, count: int = 1) -> None:
        """Hand the app its last acknowledged events once more."""
        self._events.redeliver(count)

    def messages(self, chat: str, thread: str | None = None) -> tuple[SeenSlackMessage, ...]:
        """Return what stands in a chat now, oldest first: all, or with `thread` one ("": outside threads).

        A thread's root belongs to it.
        """
        with self._world.changed:
            found = list(self._world.messages[chat].values())
            if thread is not None:
                found = [m for m in found if m.thread == thread or (thread and m.ts == thread)]
            return tuple(self._seen(message) for message in found)

    def answers(self, chat: str, thread: str | None = None) -> tuple[str, ...]:
        """Return the texts of the app's messages in a chat, oldest first."""
        return tuple(message.text for message in self.messages(chat, thread) if message.from_bot)

    def growth(self, chat: str, thread: str = "") -> tuple[str, ...]:
        """Return every text that the app showed in a place, in order of time."""
        with self._world.changed:
            return tuple(text for at, root, text in self._world.shown if (at, root) == (chat, thread))

    def file(self, chat: str, ts: str, name: str) -> bytes:
        """Return the content of a message's file."""
        with self._world.changed:
            ids = self._world.messages[chat][ts].files
            return next(self._world.files[i].content for i in ids if self._world.files[i].name == name)

    def profile(self, person: str) -> JsonObject:
        """Return an account as the app is told about it."""
        with self._world.changed:
            return user_json(self._world.accounts[person])

    def unacknowledged(self) -> int:
        """Return how many envelopes the app has not acknowledged yet."""
        return self._events.waiting()

    def _post(
        self, chat: str, by: str, text: str, files: Sequence[SlackUpload], thread: str, subtype: str
    ) -> str:
        world = self._world
        with world.changed:
            place, account = world.chats[chat], world.accounts[by]
            message = world.post(place, account, thread)
            message.text, message.subtype = escape_typed_text(world, text), subtype
            message.files = [self._keep(account, file, message) for file in files]
            self._tell(place, message)
            world.touch()
            return message.ts

    def _keep(self, account: SlackAccount, upload: SlackUpload, message: SlackMessage) -> str:
        file = File(f"F{self._world.number()}", upload.name, upload.mime, upload.content, account.id)
        file.declared, file.uploaded, file.shown = upload.declared, True, [(message.chat, message.ts)]
        file.heard = upload.heard
        self._world.files[file.id] = file
        return file.id

    def _tell(self, place: SlackChat, message: SlackMessage) -> None:
        """Emit the events of a new post: a mention in a channel is two of them, in either order."""
        self._world.emit(message_event(self._world, place, message))
        self._mention(place, message)

    def _mention(self, place: SlackChat, message: SlackMessage) -> None:
        if place.kind != "im" and f"<@{self._world.bot.id}>" in message.text:
            self._world.emit(mention_event(self._world, place, message))

    def _changed(self, place: SlackChat, subtype: str, now: JsonObject, before: JsonObject) -> None:
        event: JsonObject = {"type": "message", "subtype": subtype, "hidden": True, "channel": place.id}
        ts = self._world.new_ts()
        event |= {"channel_type": place.kind, "ts": ts, "event_ts": ts, "previous_message": before}
        self._world.emit(event | ({"message": now} if now else {"deleted_ts": before["ts"]}))
        self._world.touch()

    def _seen(self, message: SlackMessage) -> SeenSlackMessage:
        sender, (text, code) = self._world.accounts[message.sender], self._world.drawn(message)
        return SeenSlackMessage(
            ts=message.ts,
            sender=sender.name,
            from_bot=sender.is_bot,
            text=text,
            code=code,
            thread=message.thread,
            files=tuple(self._world.files[file].name for file in message.files),
            tasks=tuple((str(task["title"]), str(task["status"])) for task in message.tasks.values()),
            cards=tuple(dict(task) for task in message.tasks.values()),
            buttons=tuple(button_label(button) for button in buttons(message.blocks)),
            streaming=message.streaming and time.time() < message.stream_ends,
            edited=message.edited,
            metadata=dict(message.metadata),
            reactions=tuple(message.reactions),
        )
