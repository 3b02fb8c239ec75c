"""Feedback for Langfuse, by its public API: https://api.reference.langfuse.com, `POST /api/public/scores`."""

from __future__ import annotations

from uuid import UUID

import httpx
import orjson

from parley.core.model.errors import FeedbackUndelivered
from parley.core.model.feedback import Feedback, FeedbackChoice
from parley.core.model.types import Json
from parley.feedback.http import send_json
from parley.feedback.langsmith import feedback_id, moment, run_uuid
from parley.feedback.options import LangfuseOptions, TraceId


class LangfuseFeedback:
    """Tells Langfuse. A score of the same id and the same time takes the place of the one before."""

    name = "langfuse"

    def __init__(self, http: httpx.AsyncClient, options: LangfuseOptions) -> None:
        self._http, self._options = http, options

    async def deliver(self, feedback: Feedback) -> None:
        """Create the score, or replace it. Raises FeedbackUndelivered."""
        options = self._options
        score: dict[str, Json] = {
            "id": str(feedback_id(feedback)),
            "traceId": trace_id(feedback, options.trace_id),
            "name": options.key,
            "value": 1 if feedback.choice is FeedbackChoice.UP else 0,
            "dataType": "BOOLEAN",
            "comment": feedback.comment or None,
            "timestamp": moment(feedback.first_at or feedback.at),
            "metadata": {"source": "parley", "turn": feedback.turn},
        }
        url = f"{options.url.rstrip('/')}/api/public/scores"
        auth = (options.public_key, options.secret_key)
        await send_json(self._http, "POST", url, orjson.dumps(score), auth=auth)


def trace_id(feedback: Feedback, kind: TraceId) -> str:
    """Return the id of the run's trace. Raises FeedbackUndelivered where there is none."""
    if kind is TraceId.RUN_DASHED:
        return str(run_uuid(feedback))
    if kind is TraceId.RUN:
        return run_uuid(feedback).hex
    try:
        return UUID(feedback.turn).hex
    except ValueError as error:
        raise FeedbackUndelivered("the turn's id is no trace's", refused=True) from error
