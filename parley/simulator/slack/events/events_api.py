"""Events over HTTP: signed posts to the app's request URL, and again when no 2xx comes in time."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import itertools
import json
import time
import uuid
from collections import deque
from dataclasses import dataclass, replace
from urllib.parse import urlencode

import aiohttp

from parley.simulator.kit.json_values import JsonObject, as_object
from parley.simulator.kit.world import wait_at_most
from parley.simulator.slack.events.event_queue import KEPT, Envelope, SlackEventQueue
from parley.simulator.slack.faults import SlackFaults
from parley.simulator.slack.world import SlackWorld

_JSON = "application/json"
_FORM = "application/x-www-form-urlencoded"
POST = "post"
"""What faults call a post."""
_CHALLENGE = aiohttp.ClientTimeout(total=3.0)


@dataclass(frozen=True)
class PostedEvent:
    """A post: which attempt of its event it was (0 for the first), why there was one before, and the status
    of the answer, 0 for none."""

    attempt: int
    reason: str
    status: int


class EventsApiSender:
    """The app's request URL. Lives on the simulator's loop.

    Slack posts everything at once, and people write seconds apart. In a test they write at once, so here the
    posts of one chat wait for each other, also for those that have to come again.
    """

    def __init__(self, world: SlackWorld, events: SlackEventQueue, faults: SlackFaults, secret: str) -> None:
        self._world = world
        self._events = events
        self._faults = faults
        self._secret = secret
        self._busy: set[str] = set()
        self.answered: deque[PostedEvent] = deque(maxlen=KEPT)
        # Unlike those of connections, the numbers of posts are negative.
        self._numbers = itertools.count(-1, -1)
        self._news = asyncio.Event()

    def wake(self) -> None:
        """Something is to be sent."""
        self._news.set()

    async def post_to(self, url: str) -> None:
        """Make this the request URL. Raises ValueError when the app there fails Slack's challenge."""
        challenge = uuid.uuid4().hex
        body = json.dumps({"type": "url_verification", "token": "verification", "challenge": challenge})
        try:
            async with (
                aiohttp.ClientSession(timeout=_CHALLENGE) as http,
                http.post(url, data=body, headers=self.headers(body, _JSON)) as answer,
            ):
                said, status = await answer.text(), answer.status
        except (aiohttp.ClientError, TimeoutError) as error:
            raise ValueError(f"{url} did not respond to the challenge ({type(error).__name__})") from error
        if status != 200 or challenge not in said:
            raise ValueError(f"{url} did not respond with the value of the challenge (status {status})")
        with self._world.changed:
            self._world.request_url = url
        self.wake()

    def headers(self, body: str, content_type: str, at: float = 0.0) -> dict[str, str]:
        """Return what Slack sends with a body, at a Unix time (0: now)."""
        stamp = str(int(at or time.time()))
        signed = hmac.new(self._secret.encode(), f"v0:{stamp}:{body}".encode(), hashlib.sha256).hexdigest()
        return {
            "Content-Type": content_type,
            "User-Agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
            "X-Slack-Request-Timestamp": stamp,
            "X-Slack-Signature": f"v0={signed}",
        }

    async def pump(self) -> None:
        """Post what is due, for ever."""
        patience = aiohttp.ClientTimeout(total=self._world.timing.ack)
        async with aiohttp.ClientSession(timeout=patience) as http, asyncio.TaskGroup() as group:
            while True:
                self._news.clear()
                due = self._events.due(time.monotonic()) if self._may_post() else []
                for envelope in due:
                    self._begin(envelope, http, group)
                await wait_at_most(self._news, self._pause())

    def _may_post(self) -> bool:
        return bool(self._world.request_url) and not self._faults.out()

    def _pause(self) -> float:
        if not self._world.request_url:
            return 60.0
        return max(0.02, min(60.0, self._events.next_due() - time.monotonic()))

    def _begin(self, envelope: Envelope, http: aiohttp.ClientSession, group: asyncio.TaskGroup) -> None:
        chat = _chat(envelope.payload)
        if chat in self._busy or any(_chat(each.payload) == chat for each in self._events.before(envelope)):
            return
        self._busy.add(chat)
        posted = PostedEvent(envelope.attempts, envelope.reason, 0)
        frame = self._events.sent(envelope, next(self._numbers), time.monotonic())
        body, kind = _written(envelope)
        headers = self.headers(body, kind)
        if posted.attempt:
            headers |= {"X-Slack-Retry-Num": str(posted.attempt), "X-Slack-Retry-Reason": posted.reason}
        group.create_task(self._deliver(http, chat, posted, body, headers, str(frame["envelope_id"])))

    async def _deliver(
        self,
        http: aiohttp.ClientSession,
        chat: str,
        posted: PostedEvent,
        body: str,
        headers: dict[str, str],
        envelope: str,
    ) -> None:
        status, failure, said = 0, "http_error", ""
        try:
            status, said = await self._post(http, body, headers)
        except TimeoutError:
            failure = "http_timeout"
        except aiohttp.ClientError:
            failure = "connection_failed"
        self.answered.append(replace(posted, status=status))
        self._busy.discard(chat)
        if status // 100 == 2:
            self._events.acknowledged(envelope, _object(said))
        else:
            self._events.missed(envelope, failure)
        self.wake()

    async def _post(self, http: aiohttp.ClientSession, body: str, headers: dict[str, str]) -> tuple[int, str]:
        """Return the answer's status, 200 also where the app wants no repetition, and its body."""
        fault = self._faults.take(POST)
        await asyncio.sleep(fault.delay)
        if fault.reset == "before":
            raise aiohttp.ClientConnectionError("on purpose")
        async with http.post(self._world.request_url, data=body, headers=headers) as answer:
            if fault.reset:
                raise aiohttp.ClientConnectionError("the answer was lost on purpose")
            status = 200 if "X-Slack-No-Retry" in answer.headers else answer.status
            return status, await answer.text(errors="replace")


def _written(envelope: Envelope) -> tuple[str, str]:
    """Return the body of a post, and its content type."""
    if envelope.kind == "interactive":
        return urlencode({"payload": json.dumps(envelope.payload)}), _FORM
    if envelope.kind == "slash_commands":
        fields = {name: value for name, value in envelope.payload.items() if isinstance(value, str)}
        return urlencode(fields), _FORM
    return json.dumps(envelope.payload), _JSON


def _chat(payload: JsonObject) -> str:
    """Return what must stay in order: a chat; rubbish need not."""
    chat = as_object(payload.get("event")).get("channel")
    return chat if isinstance(chat, str) else uuid.uuid4().hex


def _object(body: str) -> JsonObject:
    """Return the object in the body of an answer, empty for none."""
    try:
        return as_object(json.loads(body or "{}"))
    except ValueError:
        return {}
