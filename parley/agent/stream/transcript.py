"""A run's stream, event by event: text so far, steps, interrupts, answer (pure).

Nothing but assistant messages of the root graph becomes text, whatever a server sends. Whether a message
adds to the one before or replaces it is told by the event and the message's type, never by its text.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import ClassVar

from parley.agent.hitl.interrupts import Interrupt, parse_interrupts
from parley.agent.stream.final_answer import (
    ANSWER_FIELDS,
    FinalAnswer,
    TurnAnchor,
    answer_from_fields,
    answer_from_values,
    compose_answer,
    ends_with_answer,
    messages_added,
    parse_messages,
)
from parley.agent.stream.messages import MessageKind, ThreadMessage, decode_json_text, parse_message, text_of
from parley.agent.stream.steps import Steps
from parley.agent.stream.text_buffer import TextBuffer
from parley.agent.stream.token_usage import TokenMeter
from parley.agent.transport.decoding import string
from parley.core.model.types import Json

FROM_START = "-1"
"""As a last event id: every event is newer."""

_RECENT = 512
_UNUSUAL = ("tool_call_chunks", "additional_kwargs", "tool_calls", "role", "kwargs", "usage_metadata")
_TELLING = ("usage_metadata", "response_metadata")
_SILENT_TAGS = ("nostream", "langsmith:nostream")


class RunTranscript:
    """What is known of one run from its stream.

    `whole` is false once events may be missing: the answer is then read from the thread. `over` means that
    the server said so, with `status`. `error` is for the log, `meter` has the tokens it took.
    """

    def __init__(self, asked: TurnAnchor, whole: bool = True, language: str = "en") -> None:
        self.asked = asked
        self.whole = whole
        self._language = language
        self.run_id = ""
        self.last_event = ""
        self.over = False
        self.status = ""
        self.error = ""
        self._begun = False
        self._ids_repeat = False
        self._recent: deque[str] = deque(maxlen=_RECENT)
        self._replayed: frozenset[str] = frozenset()
        self._clear()

    def _clear(self) -> None:
        self.steps = Steps(self._language)
        self.meter = TokenMeter()
        self.interrupts: dict[str, Interrupt] = {}
        self.paused = False
        self._speech = TextBuffer()
        self._node: Json = None
        self._kept: dict[str, ThreadMessage] = {}
        self._has_messages = False
        self._fields: dict[str, Json] = {}
        self._values: Json = None

    def apply(self, event: str, data: Json, event_id: str | None) -> bool:
        """Take an event in; True when there is something new to show."""
        if event_id:
            if event_id in self._replayed:
                return False
            self._ids_repeat = self._ids_repeat or event_id == self.last_event
            self.last_event = event_id
            self._recent.append(event_id)
        # An event of a subgraph carries a namespace after "|", so it has no handler.
        if (handler := self._HANDLERS.get(event)) is None:
            return False
        return handler(self, decode_json_text(data) if type(data) is str else data)

    def rejoin(self) -> str:
        """Prepare to join the run's stream again; returns the last event id to join it with.

        Where a server's ids repeat (the official one's are milliseconds), nothing can be resumed exactly:
        everything is heard again from the start.
        """
        self.whole = False
        self.over = False
        if not self.last_event or self._ids_repeat:
            self._replayed = frozenset()
            self._recent.clear()
            if self.last_event:
                self._clear()
                self.last_event = ""
            return FROM_START
        self._replayed = frozenset(self._recent)
        return self.last_event

    def conclude(self, values: Json) -> None:
        """Take what the thread holds after the run, as the server told whoever waited for its end.

        Where it is not plainly the answer it does not count as whole: not every server says there that the
        run failed, or that it asks.
        """
        self._clear()
        self._on_values(values)
        if isinstance(values, dict) and "__error__" in values:
            self._on_error(values["__error__"])
        self.whole = not self.paused and ends_with_answer(values, self.asked)

    def text(self) -> str:
        """The text so far. Provisional: a model's words are streamed even if the graph discards them."""
        return self._speech.text()

    def final(self, concluded: bool) -> FinalAnswer:
        """The answer as the graph's state has it; `concluded` when the run ended by itself."""
        if self._has_messages:
            return compose_answer(list(self._kept.values()), concluded)
        if self._values is not None:
            return answer_from_values(self._values, self.asked, concluded)
        return answer_from_fields(self._fields)

    def _on_message(self, data: Json) -> bool:
        if type(data) is not list or not data:
            return False
        meta = data[1] if len(data) > 1 else None
        raw = data[0]
        if type(meta) is dict and not self._audible(meta):
            self._overhear(raw)
            return False
        if type(raw) is dict and raw.get("type") == "AIMessageChunk" and self._plain_chunk(raw):
            return True
        message = parse_message(raw)
        return self._heard(message, message.chunk) if message else False

    def _plain_chunk(self, raw: dict[str, Json]) -> bool:
        """The short way of nearly every event: a piece of text of the message that speaks already."""
        content = raw.get("content")
        if type(content) is not str or not content or self.steps.reasoning:
            return False
        for unusual in _UNUSUAL:
            if raw.get(unusual):
                return False
        return self._speech.goes_on(raw.get("id"), content)

    def _overhear(self, raw: Json) -> None:
        """A message that is not for people has its price too."""
        if (
            type(raw) is dict
            and any(raw.get(telling) for telling in _TELLING)
            and (message := parse_message(raw))
        ):
            self.meter.heard(message, message.chunk)

    def _audible(self, meta: dict[str, Json]) -> bool:
        """Whether an event's metadata puts it in the root graph and lets it be shown."""
        place = meta.get("langgraph_checkpoint_ns") or meta.get("checkpoint_ns")
        if type(place) is str and "|" in place:
            return False
        if "lc_internal_call" in meta or "lc_source" in meta:
            return False  # LangChain's middleware talks to a model for itself, to summarise for instance.
        tags = meta.get("tags")
        if tags and type(tags) is list and any(tag in tags for tag in _SILENT_TAGS):
            return False
        node = meta.get("langgraph_node")
        if node != self._node:
            self._node = node
            self.steps.node(string(node))
        return True

    def _on_whole(self, data: Json) -> bool:
        raws = data if isinstance(data, list) else [data]
        heard = [self._heard(message, append=False) for message in map(parse_message, raws) if message]
        return any(heard)

    def _heard(self, message: ThreadMessage, append: bool) -> bool:
        self.meter.heard(message, append)
        if message.kind is MessageKind.TOOL:
            self.steps.thinking(False)
            self.steps.result(message.call_id, message.name, message.failed)
            return True
        if message.kind is not MessageKind.ASSISTANT or message.hidden:
            return False
        text = text_of(message.content)
        self._note_steps(message, bool(text))
        self._speech.say(message.id, text, append)
        return True

    def _note_steps(self, message: ThreadMessage, talks: bool) -> None:
        for call in message.calls:
            self.steps.call(call.id or f"{message.id}:{call.name}", call.name)
        if talks or message.calls:
            self.steps.thinking(False)
        elif message.thinking:
            self.steps.thinking(True)

    def _on_updates(self, data: Json) -> bool:
        if not isinstance(data, dict):
            return False
        for node, update in data.items():
            if node == "__interrupt__":
                self._on_interrupt(update)
            elif not node.startswith("__"):
                self.steps.node(node)
                for each in update if isinstance(update, list) else [update]:
                    self._update(each)
        return True

    def _on_interrupt(self, raw: Json) -> None:
        self.paused = True
        self.interrupts.update((each.id, each) for each in parse_interrupts(raw))

    def _update(self, update: Json) -> None:
        if not isinstance(update, dict):
            return
        self._fields.update((field, update[field]) for field in ANSWER_FIELDS if field in update)
        if "messages" not in update:
            return
        self._has_messages = True
        messages, rewrites = parse_messages(decode_json_text(update["messages"]))
        for message in messages_added(messages, rewrites, self.asked, self._kept):
            self._keep(message)

    def _keep(self, message: ThreadMessage) -> None:
        if message.kind is MessageKind.REMOVAL:
            self._kept.pop(message.id, None)
            self._speech.retract(message.id)
        elif message.kind in (MessageKind.ASSISTANT, MessageKind.TOOL):
            self._kept[message.id or self._speech.new_name()] = message
            if message.id or message.kind is MessageKind.TOOL:
                self._heard(message, append=False)

    def _on_values(self, data: Json) -> bool:
        if not isinstance(data, dict):
            return False
        if "__interrupt__" in data:
            self._on_interrupt(data["__interrupt__"])
        if "messages" in data or any(field in data for field in ANSWER_FIELDS):
            self._values = data
            self.meter.read(data, self.asked)
        return "__interrupt__" in data

    def _on_custom(self, data: Json) -> bool:
        if not isinstance(data, dict):
            return False
        said = string(data.get("progress")) or string(data.get("status"))
        self.steps.progress(said)
        return bool(said)

    def _on_metadata(self, data: Json) -> bool:
        if not isinstance(data, dict) or not (run_id := string(data.get("run_id"))):
            return False
        self.run_id = run_id
        if self._begun:
            # What was heard before does not count; nodes that an earlier attempt finished are not told again.
            self._clear()
            self.whole = False
        self._begun = True
        return False

    def _on_error(self, data: Json) -> bool:
        if isinstance(data, dict):
            said = (string(data.get("error") or data.get("name")), string(data.get("message")))
            self.error = ": ".join(filter(None, said))
        else:
            self.error = string(data)
        self.error = self.error or "an error without a description"
        self.over = True
        return False

    def _on_end(self, data: Json) -> bool:
        self.over = True
        if isinstance(data, dict):
            self.status = string(data.get("status"))
        return False

    def _on_gap(self, data: Json) -> bool:
        self.whole = False
        return False

    _HANDLERS: ClassVar[dict[str, Callable[[RunTranscript, Json], bool]]] = {
        "messages": _on_message,
        "messages-tuple": _on_message,
        "messages/partial": _on_whole,
        "messages/complete": _on_whole,
        "updates": _on_updates,
        "values": _on_values,
        "custom": _on_custom,
        "metadata": _on_metadata,
        "error": _on_error,
        "end": _on_end,
        "gap": _on_gap,
    }
