"""Files of other workspaces (Slack Connect): an event has their ids only, and files.info the rest."""

from __future__ import annotations

import asyncio
import logging

from parley.channels.slack.api import SlackApi
from parley.channels.slack.file_objects import CHECK_FILE_INFO
from parley.core.model.errors import ChannelError
from parley.core.model.types import Json, JsonObject

log = logging.getLogger(__name__)

MOST_ASKED = 10
PATIENCE = 1.5
"""Seconds: an event is acknowledged within three."""


async def with_file_infos(api: SlackApi, event: JsonObject, patience: float = PATIENCE) -> JsonObject:
    """Return an event whose files have their names and kinds, as far as Slack tells in time."""
    files = event.get("files")
    stubs = [each for each in files if _is_stub(each)] if isinstance(files, list) else []
    if not isinstance(files, list) or not stubs:
        return event
    tasks = {
        str(each["id"]): asyncio.create_task(_info(api, str(each["id"])))
        for each in stubs[:MOST_ASKED]
        if isinstance(each, dict)
    }
    try:
        await asyncio.wait(tasks.values(), timeout=patience)
    finally:
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
    found = {key: task.result() for key, task in tasks.items() if not task.cancelled()}
    completed: list[Json] = [_completed(each, found) for each in files]
    return {**event, "files": completed}


def _is_stub(file: Json) -> bool:
    return isinstance(file, dict) and file.get("file_access") == CHECK_FILE_INFO and bool(file.get("id"))


def _completed(file: Json, found: dict[str, JsonObject]) -> Json:
    known = found.get(str(file["id"])) if _is_stub(file) and isinstance(file, dict) else None
    return dict(known) if known else file


async def _info(api: SlackApi, file_id: str) -> JsonObject:
    try:
        answer = await api.call("files.info", lambda: api.client.files_info(file=file_id))
    except ChannelError as error:
        log.info("slack: a file of another workspace is not known (%s)", error)
        return {}
    file = answer.get("file")
    return file if isinstance(file, dict) else {}
