"""From a turn to the run that it needs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from parley.agent.decisions import is_yes, resume_value
from parley.agent.documents import Documents
from parley.agent.final import Asked, read
from parley.agent.forking import start_of
from parley.agent.injection import Injection, Injector
from parley.agent.input import run_config, run_input
from parley.agent.interrupts import BREAKPOINT, Interrupt, pending, stopped_before
from parley.agent.questions import PART
from parley.agent.server import Order, Server
from parley.core.errors import AgentRefused
from parley.core.types import Answer, Json, RunRequest


def asked_by(request: RunRequest) -> Asked:
    """What a request asked, when its run is only joined."""
    return Asked(request.message_id, request.text, resumed=request.answer is not None)


@dataclass(frozen=True, slots=True)
class Making:
    """How runs are made. `pictures` says that the agent's model takes them."""

    recursion_limit: int
    documents: Documents
    pictures: bool = True
    injector: Injector = field(default_factory=lambda: Injector(Injection.MESSAGE))


async def prepare(server: Server, request: RunRequest, making: Making) -> tuple[Order, Asked]:
    """The run that a request needs, and how to tell its answer from older ones.

    An answer resumes the thread only if it still waits for that very question; else its words are an
    ordinary message. (Resuming a thread that waits for nothing gives an old answer as if it were new,
    and one that waits for something else could approve what nobody was asked.)
    """
    request = await making.injector.placed(server, request)
    config, context = run_config(request.session, making.recursion_limit)
    order = Order(request.thread, request.session.assistant, request.turn_id, config, context)
    if request.answer:
        state = await server.state(request.thread)
        if resumed := _resumed(order, request.answer, state):
            return resumed, Asked(request.message_id, request.text, resumed=True, before=_ids(state))
        if not request.text:
            raise AgentRefused("The agent no longer waits for this decision.")
    start = await start_of(server, request)
    given = await run_input(request, making.documents, start.earlier, pictures=making.pictures)
    order = replace(order, input=given.input, unread=given.unread, checkpoint=start.checkpoint)
    return order, Asked(request.message_id, request.text)


def _resumed(order: Order, answer: Answer, state: Json) -> Order | None:
    waiting, given = pending(state), _by_interrupt(answer)
    met = {key: waiting[key] for key in given if key in waiting}
    if met:
        return replace(order, resume=_resume(met, given))
    if BREAKPOINT in given and not waiting and stopped_before(state) and is_yes(given[BREAKPOINT][1]):
        return order
    return None


def _by_interrupt(answer: Answer) -> dict[str, dict[int, str]]:
    """The words to each interrupt's actions, from 1."""
    found: dict[str, dict[int, str]] = {}
    for given in answer.given:
        head, mark, number = given.question.rpartition(PART)
        interrupt, part = (head, int(number)) if mark and number.isdecimal() else (given.question, 1)
        found.setdefault(interrupt, {})[part] = given.text
    return found


def _resume(waiting: dict[str, Interrupt], given: dict[str, dict[int, str]]) -> Json:
    if list(waiting) == [""]:
        return resume_value(waiting[""], given[""])  # An old server, whose interrupts have no ids.
    return {key: resume_value(each, given[key]) for key, each in waiting.items()}


def _ids(state: Json) -> frozenset[str]:
    values = state.get("values") if isinstance(state, dict) else None
    messages, _ = read(values.get("messages")) if isinstance(values, dict) else ([], False)
    return frozenset(message.id for message in messages)
