"""Which of a run's messages are its answer (pure)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from parley.agent.stream.messages import MessageKind, ThreadMessage, parse_message, text_of
from parley.core.model.types import Json

ANSWER_FIELDS = ("answer", "output", "response", "result", "final", "text")
"""Where graphs that keep no messages put their answer, most telling name first."""

MESSAGE_SEPARATOR = "\n\n"
_ALL = "__remove_all__"


@dataclass(frozen=True, slots=True)
class FinalAnswer:
    """A run's answer: its text, and the messages' contents, where files may be found."""

    text: str = ""
    contents: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnAnchor:
    """What a turn asked, by which its answer is told from older ones.

    `id` and `text` are those of the human message. A turn that resumes an interrupted thread adds no
    human message: `resumed` says so, and `before` holds the ids of the messages that were there already.
    """

    id: str
    text: str
    resumed: bool = False
    before: frozenset[str] = frozenset()


def compose_answer(messages: Sequence[ThreadMessage], concluded: bool) -> FinalAnswer:
    """The answer that `messages`, all of one turn, make: every assistant text, in order.

    A run that `concluded` with a tool's result gave that result as its answer (LangChain's return_direct,
    and tools that end the turn with a question); no other tool text is ever used.
    """
    spoken = [m for m in messages if m.kind is MessageKind.ASSISTANT and not m.hidden]
    texts = [text_of(m.content) for m in spoken]
    last = messages[-1] if messages else None
    if concluded and last and last.kind is MessageKind.TOOL and not (last.failed or last.hidden):
        texts.append(text_of(last.content))
    return FinalAnswer(
        MESSAGE_SEPARATOR.join(text for text in texts if text.strip()),
        tuple(m.content for m in spoken if isinstance(m.content, list)),
    )


def answer_from_fields(values: Mapping[str, Json]) -> FinalAnswer:
    """The answer of a graph that keeps no messages."""
    for field in ANSWER_FIELDS:
        value = values.get(field)
        if isinstance(value, str) and value.strip():
            return FinalAnswer(value)
    return FinalAnswer()


def parse_messages(raw: Json) -> tuple[list[ThreadMessage], bool]:
    """The messages of a state or an update, and whether they rewrite the history instead of adding to it."""
    rewrites = False
    if isinstance(raw, dict) and isinstance(raw.get("value"), list):
        raw, rewrites = raw["value"], True
    if not isinstance(raw, list) or (len(raw) == 2 and all(isinstance(part, str) for part in raw)):
        raw = [raw]
    messages = [message for message in map(parse_message, raw) if message]
    rewrites = rewrites or any(m.kind is MessageKind.REMOVAL and m.id == _ALL for m in messages)
    return messages, rewrites


def messages_added(
    messages: list[ThreadMessage], rewrites: bool, asked: TurnAnchor, known: Container[str]
) -> list[ThreadMessage]:
    """Those of an update's messages that this turn says.

    Nodes may send back old messages: the whole history, or what a summary kept of it. Then only what
    follows our human message counts, or else what follows the last human message of an update that adds.
    """
    humans = [index for index, m in enumerate(messages) if m.kind is MessageKind.HUMAN]
    ours = [index for index in humans if messages[index].id == asked.id]
    if ours:
        return _without_all(messages[ours[-1] + 1 :])
    if rewrites:
        return [m for m in messages if m.id in known and m.kind is not MessageKind.REMOVAL]
    fresh = messages[humans[-1] + 1 :] if humans else messages
    return [m for m in fresh if m.id not in asked.before or m.kind is MessageKind.REMOVAL]


def _without_all(messages: Iterable[ThreadMessage]) -> list[ThreadMessage]:
    return [m for m in messages if not (m.kind is MessageKind.REMOVAL and m.id == _ALL)]


def messages_of_turn(
    messages: list[ThreadMessage], asked: TurnAnchor, concluded: bool
) -> list[ThreadMessage]:
    """Those of a thread's messages that answer `asked`; none rather than an older turn's.

    Where our human message is gone because a summary took its place (a hidden human message), what
    follows the summary is ours, provided that the run `concluded`.
    """
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].kind is MessageKind.HUMAN and messages[index].id == asked.id:
            return messages[index + 1 :]
    visible = [i for i, m in enumerate(messages) if m.kind is MessageKind.HUMAN and not m.hidden]
    last = visible[-1] if visible else -1
    if asked.resumed:
        if asked.before:
            return [m for m in messages if m.id not in asked.before]
        return messages[last + 1 :]
    if visible:
        same = asked.text and asked.text in text_of(messages[last].content)
        return messages[last + 1 :] if same else []
    hidden = [i for i, m in enumerate(messages) if m.kind is MessageKind.HUMAN]
    return messages[hidden[-1] + 1 :] if hidden and concluded else []


def answer_from_values(values: Json, asked: TurnAnchor, concluded: bool) -> FinalAnswer:
    """The answer to `asked` in a thread's values."""
    if not isinstance(values, dict):
        return FinalAnswer()
    if "messages" not in values:
        return answer_from_fields(values)
    messages, _ = parse_messages(values["messages"])
    return compose_answer(messages_of_turn(messages, asked, concluded), concluded)


def ends_with_answer(values: Json, asked: TurnAnchor) -> bool:
    """Whether a thread's values end with the assistant's answer to `asked`, and it calls for nothing more."""
    raw = values.get("messages") if isinstance(values, dict) else None
    messages = messages_of_turn(parse_messages(raw)[0], asked, concluded=True) if raw else []
    return bool(messages) and messages[-1].kind is MessageKind.ASSISTANT and not messages[-1].calls
