"""From a turn to the run that it needs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from parley.agent.files.reader import FileReader
from parley.agent.files.state_files import is_named
from parley.agent.hitl.decisions import build_resume_value, lets_go_on
from parley.agent.hitl.interrupts import BREAKPOINT, Interrupt, next_nodes, pending_interrupts
from parley.agent.hitl.questions import PART_SEPARATOR
from parley.agent.langgraph_client import AgentServerClient, RunSpec
from parley.agent.runs.checkpoint_selection import select_start
from parley.agent.runs.context_fields import ContextFields
from parley.agent.runs.graph_shapes import GraphShapes
from parley.agent.runs.memory_block import MEMORY_KIND
from parley.agent.runs.memory_injection import MemoryInjection, MemoryInjector
from parley.agent.runs.run_input import IDENTITY_KEY, build_run_config, build_run_input, message_before
from parley.agent.runs.trace_links import trace_links
from parley.agent.stream.final_answer import (
    FinalAnswer,
    TurnAnchor,
    parse_messages,
    with_new_files,
)
from parley.agent.stream.graph_shape import GraphShape
from parley.agent.stream.thread_values import ThreadValues
from parley.agent.transport.artifacts import ThreadFiles
from parley.core.model.errors import AgentRefused
from parley.core.model.questions import InterruptAnswer, ResumeInput
from parley.core.model.types import Json, RunRequest

_EARLIER_KIND = "earlier_messages"


def turn_anchor(request: RunRequest) -> TurnAnchor:
    """What a request asked, when its run is only joined."""
    return TurnAnchor(request.message_id, request.text, resumed=request.answer is not None)


@dataclass(frozen=True, slots=True)
class RunDefaults:
    """How runs are made. `files` takes those that people send; `pictures` says that the model takes them."""

    recursion_limit: int
    documents: FileReader
    files: ThreadFiles
    pictures: bool = True
    injector: MemoryInjector = field(default_factory=lambda: MemoryInjector(MemoryInjection.AUTO))
    declared: ContextFields = field(default_factory=ContextFields)
    shapes: GraphShapes = field(default_factory=GraphShapes)


async def prepare_run(
    server: AgentServerClient, request: RunRequest, making: RunDefaults, shape: GraphShape
) -> tuple[RunSpec, TurnAnchor]:
    """The run that a request needs of a graph of this shape, and how to tell its answer from older ones.

    An answer resumes the thread only if it still waits for that very question; else its words are an
    ordinary message. (Resuming a thread that waits for nothing gives an old answer as if it were new,
    and one that waits for something else could approve what nobody was asked.)
    """
    request = await making.injector.placed(server, request, making.declared)
    assistant = request.session.assistant
    fields = await making.declared.of(server, assistant) if request.identity else None
    config, context = build_run_config(request, making.recursion_limit, fields)
    told = config.get("configurable") if request.identity else None
    about = {IDENTITY_KEY: told[IDENTITY_KEY]} if isinstance(told, dict) else {}
    metadata = {**about, **trace_links(request)}
    order = RunSpec(request.thread, assistant, request.turn_id, config, context, metadata=metadata)
    if request.answer:
        state = await server.state(request.thread)
        if resumed := _resumed(order, request.answer, state):
            return resumed, _resumed_anchor(request, state)
        if not request.text:
            raise AgentRefused("The agent no longer waits for this decision.")
    before = _messages_before(request, making)
    start = await select_start(server, request)
    placed = await making.files.upload(request.thread, request.files) if request.files else []
    given = await build_run_input(
        request, making.documents, start.earlier, before, pictures=making.pictures, shape=shape, placed=placed
    )
    order = replace(
        order,
        input=given.input,
        unread=given.unread,
        checkpoint=start.checkpoint,
        reminded=bool(request.memory),
    )
    return order, TurnAnchor(request.message_id, request.text)


def _messages_before(request: RunRequest, making: RunDefaults) -> list[Json]:
    """What stands directly above the person's message, in this order."""
    found: list[Json] = []
    if request.memory:
        found.append(message_before(request, MEMORY_KIND, request.memory, making.injector.role))
    if request.earlier:
        found.append(message_before(request, _EARLIER_KIND, request.earlier))
    return found


def _resumed(order: RunSpec, answer: ResumeInput, state: Json) -> RunSpec | None:
    waiting, given = pending_interrupts(state), _by_interrupt(answer)
    met = {key: waiting[key] for key in given if key in waiting}
    if met:
        return replace(order, resume=_resume(met, given))
    if BREAKPOINT in given and not waiting and next_nodes(state) and lets_go_on(given[BREAKPOINT][1]):
        return order
    return None


def _by_interrupt(answer: ResumeInput) -> dict[str, dict[int, InterruptAnswer]]:
    """Return the answers to each interrupt's actions, from 1."""
    found: dict[str, dict[int, InterruptAnswer]] = {}
    for given in answer.given:
        head, mark, number = given.question.rpartition(PART_SEPARATOR)
        interrupt, part = (head, int(number)) if mark and number.isdecimal() else (given.question, 1)
        found.setdefault(interrupt, {})[part] = given
    return found


def _resume(waiting: dict[str, Interrupt], given: dict[str, dict[int, InterruptAnswer]]) -> Json:
    if list(waiting) == [""]:
        return build_resume_value(waiting[""], given[""])  # An old server, whose interrupts have no ids.
    return {key: build_resume_value(each, given[key]) for key, each in waiting.items()}


def _resumed_anchor(request: RunRequest, state: Json) -> TurnAnchor:
    """The anchor of a turn that goes on where a thread, in this state, asked."""
    values = state.get("values") if isinstance(state, dict) else None
    values = values if isinstance(values, dict) else {}
    messages, _ = parse_messages(values.get("messages"))
    said = ThreadValues(values, TurnAnchor("", "", resumed=True)).answer(concluded=False)
    kept = with_new_files(said, values, {})
    named = {path: file for path, file in kept.written.items() if is_named(path, said.text)}
    return TurnAnchor(
        request.message_id,
        request.text,
        resumed=True,
        before=frozenset(message.id for message in messages),
        delivered=FinalAnswer(written=named, presented=kept.presented),
    )
