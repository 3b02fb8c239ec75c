"""A turn as the input of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from parley.agent.files.content_blocks import placed_block, read_files
from parley.agent.files.reader import FileReader
from parley.agent.runs.input_template import fill_input, input_template, takes_pictures
from parley.agent.runs.memory_block import companion_id
from parley.agent.stream.graph_shape import GraphShape
from parley.core.model.attachments import UnreadFile
from parley.core.model.types import Json, RunRequest
from parley.core.ports.memory.tools import TOOLS_KEY

RECURSION_LIMIT = 100
IDENTITY_KEY = "parley"
"""Where a run finds who speaks, and where (docs/identity.md)."""


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
    shape: GraphShape | None = None,
    placed: Sequence[str] = (),
) -> RunInput:
    """The input of the run that `request` asks for: one human message that carries our id, after those
    `earlier` ones that are to be replaced on the thread, and `before` it what else it is to stand under.

    Its content is plain text where that suffices, else blocks: the text, then one for each file: LangChain's
    standard image blocks, or text between marks. `pictures` says that the agent's model takes them. A graph
    of another `shape` is given its own fields, or those of the settings. `placed` are the paths of the files
    on the agent's server, where it takes such: these it has whole, whatever of them stands in the blocks.
    """
    template = input_template(request.session.input, shape or GraphShape())
    files: list[Json] = []
    unread: tuple[UnreadFile, ...] = ()
    if request.files:
        pictures = pictures and takes_pictures(template)
        files, unread = await read_files(request.files, documents, pictures=pictures)
        lost = {file.name for file, path in zip(request.files, placed, strict=False) if not path}
        unread = tuple(file for file in unread if not placed or file.name in lost)
        files += placed_block(placed)
    words = [_text_block(request.text)] if request.text else []
    content: Json = [*words, *files] if request.files else request.text
    message: dict[str, Json] = {"type": "human", "id": request.message_id, "content": content}
    if request.name:
        message["name"] = request.name
    return RunInput(fill_input(template, request, files, [*earlier, *before, message]), unread)


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
    request: RunRequest, recursion_limit: int, declared: frozenset[str] | None
) -> tuple[dict[str, Json], dict[str, Json]]:
    """The config and the context of a run, which both say who speaks.

    `declared` are the fields that the graph's context has: none where it takes any, None where that is not
    known. A field that it lacks would fail a run. An operator's own `user_id` is left as it is. Servers that
    refuse a context beside `configurable` are met in agent.transport.run_options.
    """
    session = request.session
    config: dict[str, Json] = {"recursion_limit": recursion_limit, **session.config}
    context: dict[str, Json] = dict(session.context)
    if request.identity is None:
        return config, context
    configurable = config.get("configurable")
    given = configurable if isinstance(configurable, dict) else {}
    about: dict[str, Json] = {
        "user_id": request.identity.user_id,
        **{key: value for key, value in {**context, **given}.items() if key == "user_id"},
        IDENTITY_KEY: request.identity.describe(),
    }
    if request.tools and TOOLS_KEY in (declared or ()):
        # A token: only for an agent that asks for it, and never in the run's metadata, which traces have too.
        about[TOOLS_KEY] = dict(request.tools)
    config["configurable"] = {**given, **about}
    if declared is not None:
        context |= {key: value for key, value in about.items() if not declared or key in declared}
    return config, context


def _text_block(text: str) -> Json:
    return {"type": "text", "text": text}
