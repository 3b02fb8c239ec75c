"""Payloads for the app, over whatever wire: kept until acknowledged, sent again when they are not."""

from __future__ import annotations

import itertools
import time
import uuid
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from parley.simulator.kit.json_values import JsonObject
from parley.simulator.slack.world import APP, TEAM, SlackWorld

KEPT = 1000


@dataclass
class Envelope:
    """One payload on its way: `due` (monotonic) is when it is sent next, `sent_to` the number of a
    connection or post, 0 for none. `answered` is given what the app says to it, None for nothing in time."""

    kind: str
    payload: JsonObject
    attempts: int = 0
    due: float = 0.0
    sent_to: int = 0
    ids: set[str] = field(default_factory=set)
    reason: str = ""
    answered: Callable[[JsonObject | None], None] = lambda answer: None


class SlackEventQueue:
    """What waits for the app. Everything is called under the world's lock or takes it."""

    def __init__(self, world: SlackWorld) -> None:
        self._world = world
        self._waiting: list[Envelope] = []
        self._done: deque[Envelope] = deque(maxlen=KEPT)
        self._numbers = itertools.count(1)
        self.wake: Callable[[], None] = lambda: None
        world.emit = lambda event: self.push("events_api", self.payload(event, TEAM))

    def payload(self, event: JsonObject, team: str) -> JsonObject:
        """Return an event as the Events API wraps it."""
        number = next(self._numbers)
        return {
            "token": "verification",
            "team_id": team,
            "api_app_id": APP,
            "event": event,
            "type": "event_callback",
            "event_id": f"Ev{number:08d}",
            "event_time": int(time.time()),
            "authorizations": [{"team_id": TEAM, "user_id": self._world.bot.id, "is_bot": True}],
            "is_ext_shared_channel": False,
        }

    def push(self, kind: str, payload: JsonObject) -> None:
        """Add something new for the app."""
        self._add(Envelope(kind, payload))

    def interact(
        self, payload: JsonObject, answered: Callable[[JsonObject | None], None] = lambda answer: None
    ) -> None:
        """Add a pressed button, or a form that is sent. Slack sends it once only."""
        self._add(Envelope("interactive", payload, answered=answered))

    def command(self, payload: JsonObject, answered: Callable[[JsonObject | None], None]) -> None:
        """Add a slash command. Slack sends it once only."""
        self._add(Envelope("slash_commands", payload, answered=answered))

    def redeliver(self, count: int) -> None:
        """Send the last acknowledged ones again, as a lost acknowledgement would make Slack do."""
        with self._world.changed:
            again = list(self._done)[-count:]
            self._waiting.extend(Envelope(e.kind, e.payload, e.attempts + 1, reason="timeout") for e in again)
        self.wake()

    def waiting(self) -> int:
        """Return how many are not acknowledged."""
        with self._world.changed:
            return len(self._waiting)

    def due(self, now: float) -> list[Envelope]:
        """Return what is to be sent now, oldest first."""
        with self._world.changed:
            for envelope in [e for e in self._waiting if e.sent_to and e.due <= now]:
                self._missed(envelope, now, "timeout")
            return [e for e in self._waiting if not e.sent_to and e.due <= now]

    def before(self, envelope: Envelope) -> list[Envelope]:
        """Return what came before it and is not acknowledged either."""
        with self._world.changed:
            at = next((at for at, each in enumerate(self._waiting) if each is envelope), 0)
            return self._waiting[:at]

    def next_due(self) -> float:
        """Return when something must be looked at again (monotonic)."""
        with self._world.changed:
            return min((e.due for e in self._waiting), default=time.monotonic() + 60)

    def sent(self, envelope: Envelope, connection: int, now: float) -> JsonObject:
        """Note that it goes out, and return its frame."""
        with self._world.changed:
            number = str(uuid.uuid4())
            envelope.ids.add(number)
            envelope.sent_to, envelope.due = connection, now + self._world.timing.ack
            return {
                "envelope_id": number,
                "type": envelope.kind,
                "payload": envelope.payload,
                "accepts_response_payload": envelope.kind != "events_api",
                "retry_attempt": envelope.attempts,
                "retry_reason": envelope.reason,
            }

    def acknowledged(self, envelope_id: str, answer: JsonObject) -> None:
        """Note that the app has taken it, and what it says to it, mostly nothing."""
        with self._world.changed:
            for envelope in self._waiting:
                if envelope_id in envelope.ids:
                    self._waiting.remove(envelope)
                    self._done.append(envelope)
                    envelope.answered(answer)
                    break
            self._world.touch()

    def missed(self, envelope_id: str, reason: str) -> None:
        """Send what was not taken once more after a while, as often as Slack tries."""
        with self._world.changed:
            for envelope in list(self._waiting):
                # Unless that was noticed before, at the end of its time.
                if envelope_id in envelope.ids and envelope.sent_to:
                    self._missed(envelope, time.monotonic(), reason)
            self._world.touch()

    def lost(self, connection: int) -> None:
        """Give what a connection that is gone did not acknowledge to another as soon as there is one."""
        with self._world.changed:
            for envelope in list(self._waiting):
                if envelope.sent_to == connection:
                    envelope.sent_to, envelope.due = 0, 0.0
                    envelope.attempts, envelope.reason = envelope.attempts + 1, "socket_closed"
        self.wake()

    def _missed(self, envelope: Envelope, now: float, reason: str) -> None:
        retries = self._world.timing.retries
        if envelope.kind != "events_api" or envelope.attempts >= len(retries):
            self._waiting.remove(envelope)
            envelope.answered(None)
            self._world.touch()
            return
        envelope.due, envelope.sent_to = now + retries[envelope.attempts], 0
        envelope.attempts, envelope.reason = envelope.attempts + 1, reason

    def _add(self, envelope: Envelope) -> None:
        with self._world.changed:
            self._waiting.append(envelope)
        self.wake()
