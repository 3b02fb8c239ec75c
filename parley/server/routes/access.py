"""What a request may do: its rules are asked first, and what they do not let see is not there."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from starlette.requests import Request

from parley.server.authentication import user_of
from parley.server.authorization import Action, Resource
from parley.server.http_errors import not_found
from parley.server.routes.request_context import app_state, path_uuid
from parley.server.storage.assistant_rows import AssistantRow
from parley.server.storage.cron_rows import CronRow
from parley.server.storage.metadata_filter import MetadataFilter
from parley.server.storage.tables import ThreadRow


async def permit(
    request: Request, resource: Resource, action: Action, value: dict[str, Any]
) -> MetadataFilter:
    """Return which metadata what is asked for must have; a handler may change `value`. Raises Problem."""
    return await app_state(request).rules.ask(user_of(request), resource, action, value)


async def permitted_thread(
    request: Request, action: Action, value: dict[str, Any] | None = None, thread_id: str = ""
) -> ThreadRow:
    """Return the thread of the path, or of an id, for an action. Raises Problem."""
    thread_id = thread_id or path_uuid(request, "thread_id")
    rule = await permit(request, "threads", action, _named(value, "thread_id", thread_id))
    row = await app_state(request).threads.row(thread_id)
    if not rule.matches(row.metadata):
        raise not_found("Thread")
    return row


async def permitted_assistant(
    request: Request, action: Action, value: dict[str, Any] | None = None
) -> AssistantRow:
    """Return the assistant of the path for an action. Raises Problem."""
    row = await app_state(request).assistants.look_up(str(request.path_params["assistant_id"]))
    rule = await permit(request, "assistants", action, _named(value, "assistant_id", row.assistant_id))
    if not rule.matches(row.metadata):
        raise not_found("Assistant")
    return row


async def permitted_cron(request: Request, action: Action, value: dict[str, Any] | None = None) -> CronRow:
    """Return the cron of the path for an action. Raises Problem."""
    cron_id = path_uuid(request, "cron_id")
    rule = await permit(request, "crons", action, _named(value, "cron_id", cron_id))
    row = await app_state(request).crons.get(cron_id)
    if not rule.matches(row.metadata):
        raise not_found("Cron")
    return row


def _named(value: dict[str, Any] | None, name: str, identity: str) -> dict[str, Any]:
    """Return what a handler sees, which is `value` itself where there is one: it may change that."""
    value = {} if value is None else value
    value[name] = UUID(identity)
    return value
