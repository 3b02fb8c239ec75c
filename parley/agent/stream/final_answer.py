"""Which of a run's messages are its answer (pure)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from parley.agent.stream.content_text import cite_sources, text_of
from parley.agent.stream.messages import MessageKind, ThreadMessage, parse_message
from parley.agent.stream.readable import render_value
from parley.agent.stream.thoughts import split_thoughts
from parley.core.model.types import Json

ANSWER_FIELDS = (
    *("answer", "final_answer", "output", "response", "final_response", "result", "final", "reply"),
    *("report", "final_report", "generation", "text"),
)
"""Where graphs that say nothing in messages put their answer, most telling name first."""

STRUCTURED = "structured_response"
"""Where LangChain's agents put an answer of a given form, beside messages that say the same."""

FILES, ARTIFACTS = "files", "artifacts"
"""State keys of deepagents, with files by path, and of DeerFlow, with paths on its server."""

MESSAGE_SEPARATOR = "\n\n"
_ALL = "__remove_all__"
_JSON_BEGINS = ("{", "[", "```")


@dataclass(frozen=True, slots=True)
class FinalAnswer:
    """A run's answer: its text, and the messages' contents, where files may be found.

    The first `preamble` characters of the text were said before the last tool call. `written` are the files
    that it left in its state, by path; `presented` the paths of those that it keeps elsewhere and shows.
    """

    text: str = ""
    contents: tuple[Json, ...] = ()
    preamble: int = 0
    written: Mapping[str, Json] = field(default_factory=dict)
    presented: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnAnchor:
    """What a turn asked, by which its answer is told from older ones.

    `id` and `text` are those of the human message. A turn that resumes an interrupted thread adds no
    human message: `resumed` says so, and `before` holds the ids of the messages that were there already.
    `delivered` has the files that came before its question.
    """

    id: str
    text: str
    resumed: bool = False
    before: frozenset[str] = frozenset()
    delivered: FinalAnswer = FinalAnswer()


def compose_answer(
    messages: Sequence[ThreadMessage], concluded: bool, structured: Json = None
) -> FinalAnswer:
    """The answer that `messages`, all of one turn, make: every assistant text, in order.

    A run that `concluded` with a tool's result gave that result as its answer (LangChain's return_direct,
    and tools that end the turn with a question); no other tool text is ever used. Messages that say in JSON
    what the run gave as its `structured` answer leave their place to it.
    """
    spoken = [m for m in messages if m.kind is MessageKind.ASSISTANT and not m.hidden]
    if structured is not None:
        spoken = [m for m in spoken if not says_json(text_of(m.content))]
    texts = [_spoken_text(m.content) for m in spoken]
    before = _joined(texts[: _count_before_call(spoken)])
    last = messages[-1] if messages else None
    if structured is not None:
        texts.append(render_value(structured))
    elif concluded and last and last.kind is MessageKind.TOOL and not (last.failed or last.hidden):
        texts.append(text_of(last.content))
    text = _joined(texts)
    return FinalAnswer(
        text,
        tuple(_contents(messages)),
        preamble=min(len(text), len(before) + len(MESSAGE_SEPARATOR)) if before else 0,
        presented=tuple(path for m in spoken for path in m.presented),
    )


def _count_before_call(spoken: Sequence[ThreadMessage]) -> int:
    """How many of the messages come up to the last one that calls a tool."""
    return max((index for index, message in enumerate(spoken, 1) if message.calls), default=0)


def _joined(texts: Iterable[str]) -> str:
    return MESSAGE_SEPARATOR.join(text for text in texts if text.strip())


def says_json(text: str) -> bool:
    """Whether a text looks like nothing but JSON."""
    return text.lstrip().startswith(_JSON_BEGINS)


def _spoken_text(content: Json) -> str:
    shown, _ = split_thoughts(text_of(content), ended=True)
    return cite_sources(shown, content)


def _contents(messages: Sequence[ThreadMessage]) -> Iterable[Json]:
    """Where files may be found: what the assistant says, and what tools return."""
    for message in messages:
        if message.kind in (MessageKind.ASSISTANT, MessageKind.TOOL) and not message.hidden:
            if isinstance(message.content, list):
                yield message.content
            if message.artifact is not None:
                yield message.artifact if isinstance(message.artifact, list) else [message.artifact]


def answer_from_fields(values: Mapping[str, Json]) -> FinalAnswer:
    """The answer of a graph that says nothing in messages."""
    for name in ANSWER_FIELDS:
        value = values.get(name)
        if isinstance(value, str) and value.strip():
            return FinalAnswer(split_thoughts(value, ended=True)[0])
    return FinalAnswer(render_value(values[STRUCTURED]) if values.get(STRUCTURED) else "")


def value_at(values: Json, path: str) -> Json:
    """What stands in a state under a key, or a path with dots."""
    if isinstance(values, dict) and path in values:
        return values[path]
    for key in path.split("."):
        values = values.get(key) if isinstance(values, dict) else None
    return values


def answer_at(values: Json, path: str) -> str:
    """The answer under a path as text; "" without a path or a value."""
    value = value_at(values, path) if path else None
    if isinstance(value, dict) and (message := parse_message(value)) is not None:
        return _spoken_text(message.content)
    if isinstance(value, str):
        return split_thoughts(value, ended=True)[0]
    return "" if value in (None, [], {}) else render_value(value)


def list_messages(raw: Json) -> tuple[list[Json], bool]:
    """The messages of a state or an update as they came, and whether they take the place of its history."""
    rewrites = False
    if isinstance(raw, dict) and isinstance(raw.get("value"), list):
        raw, rewrites = raw["value"], True
    if not isinstance(raw, list) or (len(raw) == 2 and all(isinstance(part, str) for part in raw)):
        raw = [raw]
    return raw, rewrites


def parse_messages(raw: Json) -> tuple[list[ThreadMessage], bool]:
    """The messages of a state or an update, and whether they rewrite the history instead of adding to it."""
    raws, rewrites = list_messages(raw)
    messages = [message for message in map(parse_message, raws) if message]
    rewrites = rewrites or any(m.kind is MessageKind.REMOVAL and m.id == _ALL for m in messages)
    return messages, rewrites


def messages_added(
    messages: list[ThreadMessage], rewrites: bool, asked: TurnAnchor, known: Container[str]
) -> list[ThreadMessage]:
    """Those of an update's messages that this turn says.

    Nodes may send back old messages: the whole history, or what a summary kept of it. Then only what
    follows our human message counts, or else what follows the last human message of an update that adds. Of
    a history that is written anew only those count that were heard in this run before (`known`): servers
    tell every message once, when it is new.
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


def new_answer_from_values(values: Json, before: Json, output: str = "") -> FinalAnswer:
    """The answer of a run that left nothing after our message: what its thread did not have `before`.

    Its graph rewrote the messages, ours among them, or answers in a field beside them.
    """
    if not isinstance(values, dict):
        return FinalAnswer()
    before = before if isinstance(before, dict) else {}
    old = {m.id for m in parse_messages(before.get("messages"))[0]}
    messages = [m for m in parse_messages(values.get("messages"))[0] if m.id not in old]
    composed = compose_answer(messages, concluded=True)
    fields = {key: value for key, value in values.items() if before.get(key) != value}
    text = answer_at(fields, output) or composed.text or answer_from_fields(fields).text
    return with_text(composed, text)


def with_text(answer: FinalAnswer, text: str) -> FinalAnswer:
    """`answer` with another text, of which nothing is known to come before a tool call."""
    return answer if text == answer.text else replace(answer, text=text, preamble=0)


def keeps_files(values: Json) -> bool:
    """Whether a state has files, or the paths of such."""
    return isinstance(values, dict) and bool(values.get(FILES) or values.get(ARTIFACTS))


def with_new_files(answer: FinalAnswer, values: Json, before: Json) -> FinalAnswer:
    """`answer` with the files that a state has, and had not `before`."""
    now, old = value_at(values, FILES), value_at(before, FILES)
    old = old if isinstance(old, dict) else {}
    written = (
        {path: file for path, file in now.items() if old.get(path) != file} if isinstance(now, dict) else {}
    )
    paths, known = value_at(values, ARTIFACTS), value_at(before, ARTIFACTS)
    presented = dict.fromkeys(answer.presented)
    for path in paths if isinstance(paths, list) else ():
        if isinstance(path, str) and not (isinstance(known, list) and path in known):
            presented[path] = None
    return replace(answer, written={**written, **answer.written}, presented=tuple(presented))


def without_delivered(answer: FinalAnswer, asked: TurnAnchor) -> FinalAnswer:
    """`answer` without the files that came before the question, unless they have changed since."""
    if not answer.written and not answer.presented:
        return answer
    before = asked.delivered
    written = {path: file for path, file in answer.written.items() if before.written.get(path) != file}
    presented = tuple(path for path in answer.presented if path not in before.presented)
    return replace(answer, written=written, presented=presented)
