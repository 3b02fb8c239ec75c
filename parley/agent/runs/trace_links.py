"""What ties a run to its turn and its conversation in the tools that follow agents."""

from __future__ import annotations

from parley.core.model.types import Json, RunRequest


def trace_links(request: RunRequest) -> dict[str, Json]:
    """Return metadata for a run, which its callbacks are given too.

    `trace_id` is the turn's id. LangSmith groups traces to a thread by `session_id`; Langfuse groups them by
    `langfuse_session_id` and `langfuse_user_id`.
    """
    links: dict[str, Json] = {
        "trace_id": request.turn_id,
        "session_id": request.thread,
        "langfuse_session_id": request.thread,
    }
    if request.identity is not None:
        links["langfuse_user_id"] = request.identity.user_id
    return links
