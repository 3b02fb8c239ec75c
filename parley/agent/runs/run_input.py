"""A turn as the input of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from parley.agent.files.content_blocks import read_files
from parley.agent.files.reader import FileReader
from parley.agent.runs.memory_block import companion_id
from parley.core.model.attachments import UnreadFile
from parley.core.model.types import Json, RunRequest, SessionSettings

RECURSION_LIMIT = 100


@dataclass(frozen=True, slots=True)
class RunInput:
    """What a run is given, and the files of which it does not get everything."""

    input: dict[str, Json]
    unread: tuple[UnreadFile, ...] = ()


async def build_run_input(
    request: RunRequest,
    documents: FileReader,
    earlier: Sequence[Json] = (),
    before: Sequence[Json] = (),
    *,
    pictures: bool = True,
) -> RunInput:
    """The input of the run that `request` asks for: one human message that carries our id, after those
    `earlier` ones that are to be replaced on the thread, and `before` it what else it is to stand under.

    Its content is plain text where that suffices, else blocks: the text, then one for each file: LangChain's
    standard image blocks, or text between marks. `pictures` says that the agent's model takes them.
    """
    blocks: list[Json] = []
    unread: tuple[UnreadFile, ...] = ()
    if request.text:
        blocks.append(_text_block(request.text))
    if request.files:
        read, unread = await read_files(request.files, documents, pictures=pictures)
        blocks += read
    content: Json = blocks if request.files else request.text
    message: Json = {"type": "human", "id": request.message_id, "content": content}
    return RunInput({"messages": [*earlier, *before, message]}, unread)


def message_before(request: RunRequest, kind: str, text: str, role: str = "human") -> Json:
    """A message of `kind` for `before`: ours, directly above the person's, and not to be shown as theirs.

    Its id follows from that of the person's message: another try replaces it.
    """
    return {
        "type": role,
        "id": companion_id(request.message_id, kind),
        "content": text,
        "additional_kwargs": {"hide_from_ui": True, "parley": kind},
    }


def build_run_config(
    session: SessionSettings, recursion_limit: int
) -> tuple[dict[str, Json], dict[str, Json]]:
    """The config and the context of a run; servers refuse `configurable` beside a context, so it joins it."""
    config: dict[str, Json] = {"recursion_limit": recursion_limit, **session.config}
    context: dict[str, Json] = dict(session.context)
    configurable = config.get("configurable")
    if context and isinstance(configurable, dict):
        context = {**configurable, **context}
        del config["configurable"]
    return config, context


def _text_block(text: str) -> Json:
    return {"type": "text", "text": text}
