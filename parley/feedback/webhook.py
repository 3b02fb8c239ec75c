"""Feedback for a webhook of the operator's, signed as https://www.standardwebhooks.com says."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from collections.abc import Callable
from uuid import UUID, uuid5

import httpx
import orjson

from parley.core.model.address import Conversation
from parley.core.model.codec import encode
from parley.core.model.feedback import Feedback, FeedbackChoice
from parley.core.model.types import Json
from parley.feedback.http import send_json
from parley.feedback.options import WebhookOptions, signing_key

_IDS = UUID("6f0a3a0e-5d0f-4d0b-9c53-0a0b7c1d9e21")


class WebhookFeedback:
    """Posts feedback. A retry has the id of the first try; another choice has another."""

    name = "webhook"

    def __init__(
        self, http: httpx.AsyncClient, options: WebhookOptions, clock: Callable[[], float] = time.time
    ) -> None:
        self._http, self._options, self._clock = http, options, clock
        self._secret = signing_key(options.secret)

    async def deliver(self, feedback: Feedback) -> None:
        """Post it, signed. Raises FeedbackUndelivered."""
        number = str(uuid5(_IDS, encode(feedback)))
        body, at = orjson.dumps(event_of(feedback, number)), int(self._clock())
        headers = {
            "webhook-id": number,
            "webhook-timestamp": str(at),
            "webhook-signature": sign(self._secret, number, at, body),
        }
        await send_json(self._http, "POST", self._options.url, body, headers=headers)


def event_of(feedback: Feedback, number: str) -> dict[str, Json]:
    """Return what is posted."""
    return {
        "type": "feedback",
        "id": number,
        "timestamp": feedback.at,
        "data": {
            "choice": feedback.choice.value,
            "score": 1 if feedback.choice is FeedbackChoice.UP else 0,
            "comment": feedback.comment,
            "run_id": feedback.run_id,
            "thread_id": feedback.thread,
            "turn": feedback.turn,
            "conversation": feedback.conversation,
            "channel": Conversation.parse(feedback.conversation).channel,
            "account": feedback.account,
        },
    }


def sign(secret: bytes, number: str, at: int, body: bytes) -> str:
    """Return the signature of a message: of its id, its time (Unix seconds) and its body."""
    digest = hmac.digest(secret, f"{number}.{at}.".encode() + body, hashlib.sha256)
    return f"v1,{base64.b64encode(digest).decode()}"
