"""People and an agent: how they open it, what they see of its work beside messages, how they stop it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

from parley.simulator.kit.json_values import Json, JsonObject
from parley.simulator.kit.people import SimulatedPeople
from parley.simulator.slack.api import modals, responses
from parley.simulator.slack.api.agents import STOPPED
from parley.simulator.slack.api.serializers import context_of, hears_context
from parley.simulator.slack.events.event_queue import SlackEventQueue
from parley.simulator.slack.world import SlackWorld

_VIEWED = "slack#/types/"


@dataclass(frozen=True)
class SimulatedSlackPerson:
    """Somebody with an account, and the id of their DM with the app."""

    id: str
    name: str
    dm: str


class SimulatedAgentUsers(SimulatedPeople[SlackWorld]):
    """What people do with an app that is an agent, by the manifest's agent_view or assistant_view."""

    platform = "Slack"

    def __init__(self, world: SlackWorld, events: SlackEventQueue) -> None:
        super().__init__(world)
        self._events = events

    def open_chat(self, person: SimulatedSlackPerson) -> str:
        """Open a chat with the app that is empty to it; returns the ts of its thread's root.

        In the assistant's panel the root is the app's (docs.slack.dev/reference/events/
        assistant_thread_started). In an agent's DM it is what the person wrote, here before the app listened.
        """
        with self._world.changed:
            place, panel = self._world.chats[person.dm], self._world.experience == "assistant"
            by = self._world.bot.id if panel else person.id
            root = self._world.post(place, self._world.accounts[by], "")
            root.text = "New Assistant Thread" if panel else "New chat"
            if panel:
                root.subtype = "assistant_app_thread"
                thread: JsonObject = {"user_id": person.id, "context": {}, "channel_id": place.id}
                thread |= {"thread_ts": root.ts}
                self._emit({"type": "assistant_thread_started", "assistant_thread": thread})
            else:
                self.open_home(person.id)
            return root.ts

    def open_home(self, by: str, tab: Literal["home", "messages"] = "messages") -> None:
        """Open the app, on one of its tabs (@slack/types 3.2.0, AppHomeOpenedEvent)."""
        with self._world.changed:
            event: JsonObject = {"type": "app_home_opened", "user": by}
            event |= {"tab": tab, "channel": self._world.dm_of(by)}
            if hears_context(self._world):
                event["context"] = context_of(self._world, by)
            if tab == "home" and by in self._world.homes:
                event |= {"view": self._world.homes[by]}
            self._emit(event)

    def look_at(self, by: str, chat: str, ts: str = "") -> None:
        """Look at a channel, or a message in it, while the app is open. Only an agent is told, here and with
        each message that follows (AppContextChangedEvent)."""
        entities: list[Json] = [{"type": f"{_VIEWED}channel_id", "value": chat}]
        if ts:
            message: Json = {"channel_id": chat, "message_ts": ts}
            entities.insert(0, {"type": f"{_VIEWED}message_context", "value": message})
        with self._world.changed:
            self._world.viewed[by] = entities
            if hears_context(self._world):
                event: JsonObject = {"type": "app_context_changed", "user": by}
                event |= {"channel": self._world.dm_of(by)}
                self._emit(event | {"context": context_of(self._world, by)})

    def command(self, chat: str, by: str, command: str, text: str = "") -> None:
        """Write a slash command; it is gone when the app has heard of it, and stands in no thread."""
        with self._world.changed:
            payload = responses.command_json(self._world, chat, by, command, text)

            def answered(answer: JsonObject | None) -> None:
                responses.show_answer(self._world, chat, by, answer)

            self._events.command(payload, answered)

    def use_shortcut(self, chat: str, by: str, ts: str, callback_id: str) -> None:
        """Use a shortcut of the app on a message, in any chat that somebody is in."""
        with self._world.changed:
            message = self._world.messages[chat][ts]
            self._events.interact(responses.shortcut_json(self._world, message, by, callback_id))

    def home(self, by: str) -> tuple[str, ...]:
        """Return what somebody reads on the app's home tab, a text for each block."""
        with self._world.changed:
            return modals.home_texts(self._world.homes.get(by, {}))

    def unsubscribe(self, *events: str) -> None:
        """Make the app's manifest one that does not name these events."""
        with self._world.changed:
            self._world.unsubscribed |= set(events)

    def stop(self, chat: str, by: str, thread: str) -> None:
        """Press the stop button that a thread shows while the app is at work there: Slack ends what grows,
        and the app hears of it. Raises LookupError where there is no button."""
        with self._world.changed:
            shown = self._world.chats[chat].sessions.get(thread) == "processing"
            if not shown or STOPPED in self._world.unsubscribed:
                raise LookupError(f"thread {thread} in {chat} shows no stop button")
            there = [each for each in self._world.messages[chat].values() if each.thread == thread]
            growing = [each for each in there if each.streaming]
            for message in growing:
                message.streaming = False
            event: JsonObject = {"type": STOPPED, "channel": chat, "user": by, "thread_ts": thread}
            self._emit(event | {"streaming_message_ts": [message.ts for message in growing]})
            self._world.touch()

    def session(self, chat: str, thread: str) -> str:
        """Return the status of the app's session in a thread, "" for none; "processing" can be stopped."""
        with self._world.changed:
            return self._world.chats[chat].sessions.get(thread, "")

    def status(self, chat: str, thread: str) -> str:
        """Return the status line of a thread now."""
        with self._world.changed:
            lines = [each for each in self._world.chats[chat].statuses if each[1] == thread]
            if not lines or time.monotonic() - lines[-1][0] > self._world.timing.status:
                return ""
            return lines[-1][2]

    def title(self, chat: str, thread: str) -> str:
        """Return what a thread is called, "" where it has no title."""
        with self._world.changed:
            return self._world.chats[chat].titles.get(thread, "")

    def prompts(self, chat: str, thread: str = "") -> tuple[str, ...]:
        """Return the labels of the prompts that are suggested in a thread, or above an agent's chats."""
        with self._world.changed:
            return self._world.chats[chat].prompts.get(thread, ())

    def _emit(self, event: JsonObject) -> None:
        if event["type"] not in self._world.unsubscribed:
            self._world.emit({**event, "event_ts": self._world.new_ts()})
