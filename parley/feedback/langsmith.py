"""Feedback for LangSmith, by its API: https://api.smith.langchain.com/docs, `POST /feedback`.

LangSmith knows a run of a LangGraph server by the run's own id.
"""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID, uuid5

import httpx
import orjson

from parley.core.model.errors import FeedbackUndelivered
from parley.core.model.feedback import Feedback, FeedbackChoice
from parley.core.model.types import Json
from parley.feedback.http import send_json
from parley.feedback.options import LangSmithOptions


class LangSmithFeedback:
    """Tells LangSmith. A feedback has an id of its own, so that it is there once, and is changed later."""

    name = "langsmith"

    def __init__(self, http: httpx.AsyncClient, options: LangSmithOptions) -> None:
        self._http, self._options = http, options

    async def deliver(self, feedback: Feedback) -> None:
        """Create the feedback, or change what is there of it. Raises FeedbackUndelivered."""
        number, run = feedback_id(feedback), run_uuid(feedback)
        url = f"{self._options.url.rstrip('/')}/feedback"
        headers = {"x-api-key": self._options.api_key}
        said: dict[str, Json] = {
            "score": 1 if feedback.choice is FeedbackChoice.UP else 0,
            "comment": feedback.comment or None,
        }
        whole = said | {
            "id": str(number),
            "created_at": moment(feedback.first_at or feedback.at),
            "modified_at": moment(feedback.at),
            "run_id": str(run),
            "key": self._options.key,
            "feedback_source": {"type": "api", "metadata": {"source": "parley", "turn": feedback.turn}},
        }
        if self._options.project:
            whole["session_id"] = self._options.project
        known = httpx.codes.CONFLICT
        body = orjson.dumps(whole)
        if await send_json(self._http, "POST", url, body, headers=headers, expected=[known]) == known:
            await send_json(self._http, "PATCH", f"{url}/{number}", orjson.dumps(said), headers=headers)


def feedback_id(feedback: Feedback) -> UUID:
    """Return the id of what a person says of an answer: the same for each of their choices."""
    return uuid5(run_uuid(feedback), feedback.account)


def moment(seconds: float) -> str:
    """Return Unix seconds as ISO 8601 says it."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds")


def run_uuid(feedback: Feedback) -> UUID:
    """Return the run's id. Raises FeedbackUndelivered where there is none."""
    try:
        return UUID(feedback.run_id)
    except ValueError as error:
        raise FeedbackUndelivered("the run's id is not known", refused=True) from error
