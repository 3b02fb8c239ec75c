"""A run's answer as it comes to be in the graph's state (pure)."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from parley.agent.stream.content_text import text_of
from parley.agent.stream.final_answer import (
    ANSWER_FIELDS,
    ARTIFACTS,
    FILES,
    STRUCTURED,
    FinalAnswer,
    TurnAnchor,
    answer_at,
    answer_from_fields,
    compose_answer,
    keeps_files,
    messages_added,
    parse_messages,
    value_at,
    with_text,
)
from parley.agent.stream.messages import MessageKind, ThreadMessage, decode_json_text
from parley.agent.stream.steps import one_line
from parley.agent.stream.thread_values import ThreadValues
from parley.core.model.command_syntax import is_command
from parley.core.model.questions import LONGEST_SUGGESTION, MOST_SUGGESTIONS
from parley.core.model.sanitize import sanitize_text
from parley.core.model.types import Json

_FIELDS = frozenset({*ANSWER_FIELDS, STRUCTURED})
"""Where a state has an answer beside its messages."""
_TITLE, _SUGGESTIONS = "title", "suggestions"
_MOST_READ = 300
"""Suggestions that are looked at, and characters of one."""


class AnswerCollector:
    """Collects what a run's nodes return. `output` is the path of the answer, where one is known.

    `title` is what the state calls the conversation, as the built-in agent and DeerFlow do; `suggestions` are
    what it has under that name: texts of what the person may ask next.
    """

    def __init__(self, asked: TurnAnchor, output: str) -> None:
        self._asked = asked
        self._output = output
        self._kept: dict[str, ThreadMessage] = {}
        self._nameless = 0
        self._has_messages = False
        self._fields: dict[str, Json] = {}
        self._thread: ThreadValues | None = None
        self._written: dict[str, Json] = {}
        self._presented: dict[str, None] = {}
        self.title = ""
        self.suggestions: tuple[str, ...] = ()

    def update(self, update: Json, heard: Container[str]) -> list[ThreadMessage]:
        """Take what a node returned; return the messages that it adds or removes.

        `heard` has the ids of the messages that the stream has told of.
        """
        if isinstance(update, str):
            # A function's result, or that of one of its tasks.
            self._thread = ThreadValues(update, self._asked)
            return []
        if not isinstance(update, dict):
            return []
        if self._thread is not None and isinstance(self._thread.values, str):
            self._thread = None
        self._take_fields(update)
        if "messages" not in update:
            return []
        self._has_messages = True
        messages, rewrites = parse_messages(decode_json_text(update["messages"]))
        known = _Either(self._kept, heard)
        added = messages_added(messages, rewrites, self._asked, known)
        if rewrites and any(m.kind is MessageKind.ASSISTANT and m.id not in self._kept for m in added):
            # Not a summary of what was said, but something else in its place.
            stay = {m.id for m in messages}
            added += [_removal(each) for each in self._kept if each not in stay]
        return [self._keep(message) for message in added]

    def take_extras(self, values: Json) -> None:
        """Take the title and the suggestions that values or an update have."""
        if not isinstance(values, dict):
            return
        if isinstance(title := values.get(_TITLE), str):
            self.title = one_line(title)
        if isinstance(suggested := values.get(_SUGGESTIONS), list):
            self.suggestions = _suggestions(suggested)

    def _take_fields(self, update: dict[str, Json]) -> None:
        self.take_extras(update)
        for name in _FIELDS & update.keys():
            self._fields[name] = update[name]
        if self._output and (root := self._output.split(".")[0]) in update:
            self._fields[root] = update[root]
        if isinstance(files := update.get(FILES), dict):
            self._written.update(files)
        if isinstance(paths := update.get(ARTIFACTS), list):
            self._presented.update((path, None) for path in paths if isinstance(path, str))

    def _keep(self, message: ThreadMessage) -> ThreadMessage:
        if message.kind is MessageKind.REMOVAL:
            self._kept.pop(message.id, None)
        elif message.kind in (MessageKind.ASSISTANT, MessageKind.TOOL):
            self._nameless += not message.id
            self._kept[message.id or f"nameless {self._nameless}"] = message
        return message

    def values(self, thread: ThreadValues) -> bool:
        """Take a thread's values; False where they have no answer."""
        values = thread.values
        self.take_extras(values)
        if isinstance(values, dict):
            known = "messages" in values or not _FIELDS.isdisjoint(values)
            if not known and value_at(values, self._output) is None:
                return False
        elif not isinstance(values, str):
            return False
        self._thread = thread
        return True

    def says(self, update: Json, text: str) -> bool:
        """Whether a node's update has `text` as an answer."""
        if isinstance(update, str):
            return text in update
        if not isinstance(update, dict):
            return False
        if self._output:
            return text in answer_at(update, self._output)
        found = [update.get(name) for name in ANSWER_FIELDS]
        found += [text_of(m.content) for m in parse_messages(update.get("messages"))[0]]
        return any(isinstance(each, str) and text in each for each in found)

    def lacks_files(self) -> bool:
        """Whether there are files of which it is not known if this run wrote them."""
        return not self._has_messages and self._thread is not None and keeps_files(self._thread.values)

    def final(self, concluded: bool) -> FinalAnswer:
        """The answer; `concluded` when the run ended by itself."""
        if self._has_messages:
            kept = list(self._kept.values())
            answer = compose_answer(kept, concluded, self._fields.get(STRUCTURED) if concluded else None)
        elif self._thread is not None:
            answer = self._thread.answer(concluded, self._output)
        else:
            answer = FinalAnswer()
        text = answer_at(self._fields, self._output) or answer.text or answer_from_fields(self._fields).text
        answer = with_text(answer, text)
        if not self._written and not self._presented:
            return answer
        presented = dict.fromkeys((*answer.presented, *self._presented))
        return replace(answer, written=self._written, presented=tuple(presented))


def _suggestions(found: list[Json]) -> tuple[str, ...]:
    """Return the first of the texts that fit on buttons; one that is cut would say something else."""
    short = (each for each in found[:_MOST_READ] if isinstance(each, str) and len(each) <= _MOST_READ)
    texts = (" ".join(sanitize_text(each).split()) for each in short)
    # A press is to ask something: a command would do more than its button shows.
    fitting = (text for text in texts if 0 < len(text) <= LONGEST_SUGGESTION and not is_command(text))
    return tuple(dict.fromkeys(fitting))[:MOST_SUGGESTIONS]


def _removal(message_id: str) -> ThreadMessage:
    return ThreadMessage(MessageKind.REMOVAL, message_id, chunk=False, content="")


class _Either:
    def __init__(self, *parts: Container[str]) -> None:
        self._parts = parts

    def __contains__(self, name: object) -> bool:
        return any(name in part for part in self._parts)
