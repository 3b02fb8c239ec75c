"""A run's stream, event by event: text so far, steps, interrupts, answer (pure).

Nothing but assistant messages of the root graph becomes text, whatever a server sends. Whether a message
adds to the one before or replaces it is told by the event and the message's type, never by its text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from parley.agent.hitl.interrupts import Interrupt, parse_interrupts
from parley.agent.stream.answer_collector import AnswerCollector
from parley.agent.stream.content_text import text_of
from parley.agent.stream.event_ids import FROM_START, EventIds
from parley.agent.stream.final_answer import FinalAnswer, TurnAnchor, says_json
from parley.agent.stream.graph_shape import GraphShape
from parley.agent.stream.messages import MessageKind, ThreadMessage, decode_json_text, parse_message
from parley.agent.stream.node_voices import Drafts
from parley.agent.stream.steps import Steps
from parley.agent.stream.text_buffer import WRITER, TextBuffer
from parley.agent.stream.thread_values import ThreadValues
from parley.agent.stream.token_usage import TokenMeter
from parley.agent.stream.writer.writer_events import WriterEvents
from parley.agent.transport.decoding import string
from parley.core.model.types import Json

_UNUSUAL = ("tool_call_chunks", "additional_kwargs", "tool_calls", "role", "kwargs", "usage_metadata")
_TELLING = ("usage_metadata", "response_metadata")
_SILENT_TAGS = ("nostream", "langsmith:nostream")


class RunTranscript:
    """What is known of one run from its stream.

    `whole` is false once events may be missing: the answer is then read from the thread. `over` means that
    the server said so, with `status`. `error` is for the log, `meter` has the tokens it took, `answer` what
    its state says, `shape` is that of its graph.
    """

    def __init__(
        self,
        asked: TurnAnchor,
        whole: bool = True,
        language: str = "en",
        shape: GraphShape | None = None,
        thoughts: bool = False,
    ) -> None:
        self.asked = asked
        self.shape = shape or GraphShape()
        self.whole = whole
        self._language, self._thoughts = language, thoughts
        self.run_id = ""
        self.over = False
        self.status = ""
        self.error = ""
        self._begun = False
        self._ids = EventIds()
        self._clear()

    def _clear(self) -> None:
        self.steps = Steps(self._language, self._thoughts)
        self.meter = TokenMeter()
        self.interrupts: dict[str, Interrupt] = {}
        self.paused = False
        self._speech = TextBuffer()
        self._drafts = Drafts(self.shape.voices)
        self._writer = WriterEvents()
        self._thinks = False
        self._node: Json = None
        self._task: Json = None
        self.answer = AnswerCollector(self.asked, self.shape.answer)

    def apply(self, event: str, data: Json, event_id: str | None) -> bool:
        """Take an event in; True when there is something new to show."""
        if event_id and not self._ids.is_new(event_id):
            return False
        # An event of a subgraph carries a namespace after "|", so it has no handler.
        if (handler := self._HANDLERS.get(event)) is None:
            return False
        return handler(self, decode_json_text(data) if type(data) is str else data)

    def rejoin(self) -> str:
        """Prepare to join the run's stream again; returns the last event id to join it with."""
        self.whole = self.over = False
        if self._ids.rejoin():
            return self._ids.last
        if self._ids.last:
            self._clear()
            self._ids.last = ""
        return FROM_START

    def conclude(self, values: Json) -> None:
        """Take what the thread holds after the run, as the server told whoever waited for its end.

        Where it is not plainly the answer it does not count as whole: not every server says there that the
        run failed, or that it asks.
        """
        self._clear()
        thread = ThreadValues(values, self.asked)
        self._read(thread)
        if isinstance(values, dict) and "__error__" in values:
            self._on_error(values["__error__"])
        self.whole = not self.paused and thread.ends_with_answer()

    def text(self) -> str:
        """The text so far. Provisional: a model's words are streamed even if the graph discards them."""
        text, thinks = self._speech.text(self._hides)
        if thinks is not self._thinks:
            self._thinks = thinks
            self.steps.thinking(thinks)
        return text

    def all_text(self) -> str:
        """All that was said, also what no node returned: for a graph whose answer is found nowhere else."""
        return self._speech.text(lambda *_: False)[0]

    def _hides(self, message_id: str, text: str) -> bool:
        return (self.shape.structured and says_json(text)) or self._drafts.holds(message_id, len(text))

    def lacks_files(self) -> bool:
        """Whether there are files of which the stream did not tell if this run wrote them."""
        return self.answer.lacks_files()

    def final(self, concluded: bool) -> FinalAnswer:
        """The answer as the graph's state has it; `concluded` when the run ended by itself."""
        return self.answer.final(concluded)

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
        if message is None:
            return False
        if message.kind is MessageKind.ASSISTANT:
            self._drafts.heard(message.id, string(self._node), string(self._task))
        return self._heard(message, message.chunk)

    def _plain_chunk(self, raw: dict[str, Json]) -> bool:
        """The short way of nearly every event: a piece of text of the message that speaks already."""
        content = raw.get("content")
        if type(content) is not str or not content or (self.steps.reasoning and not self._thinks):
            return False
        for unusual in _UNUSUAL:
            if raw.get(unusual):
                return False
        return self._speech.goes_on(raw.get("id"), content)

    def _overhear(self, raw: Json) -> None:
        """A message that is not for people has its price too."""
        tells = type(raw) is dict and any(map(raw.get, _TELLING))
        if tells and (message := parse_message(raw)):
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
        self._task = place
        node = meta.get("langgraph_node")
        if node != self._node:
            self._node = node
            self.steps.node(string(node))
        return True

    def _on_whole(self, data: Json) -> bool:
        raws = data if isinstance(data, list) else [data]
        return sum(self._heard(message, append=False) for message in map(parse_message, raws) if message) > 0

    def _heard(self, message: ThreadMessage, append: bool) -> bool:
        self.meter.heard(message, append)
        if message.kind is MessageKind.TOOL:
            self.steps.thinking(False)
            self.steps.result(message.call_id, message.name, message.failed)
            return True
        if message.kind is not MessageKind.ASSISTANT or message.hidden:
            return False
        text = text_of(message.content)
        self._note_steps(message, bool(text), append)
        if text and not append:
            self._speech.retract(WRITER)  # The message says what its graph's writer said before.
        self._speech.say(message.id, text, append)
        return True

    def _note_steps(self, message: ThreadMessage, talks: bool, append: bool) -> None:
        for call in message.calls:
            self.steps.call(call.id or f"{message.id}:{call.name}", call.name)
        self.steps.end(*message.ended)
        self.steps.thought(message.id, message.thoughts, append)
        if (talks and not self._thinks) or message.calls:
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
                    self._update(node, each)
        return True

    def _on_interrupt(self, raw: Json) -> None:
        self.paused = True
        self.interrupts.update((each.id, each) for each in parse_interrupts(raw))

    def _update(self, node: str, update: Json) -> None:
        self.steps.todos(update)
        added = self.answer.update(update, self._speech)
        kept = () if self.shape.answer else frozenset(message.id for message in added)
        self._drafts.settle(node, kept, lambda message: self._returned(update, message))
        for message in added:
            if message.kind is MessageKind.REMOVAL:
                self._speech.retract(message.id)
            elif message.id or message.kind is MessageKind.TOOL:
                self._heard(message, append=False)

    def _returned(self, update: Json, message: str) -> bool | None:
        text = self._speech.of(message).strip()
        return self.answer.says(update, text) if text else None

    def _on_values(self, data: Json) -> bool:
        return self._read(ThreadValues(data, self.asked))

    def _read(self, thread: ThreadValues) -> bool:
        asking = thread.values.get("__interrupt__") if isinstance(thread.values, dict) else None
        if asking is not None:
            self._on_interrupt(asking)
        if self.answer.values(thread):
            self.meter.read(thread)
        return asking is not None

    def _on_custom(self, data: Json) -> bool:
        said = self._writer.read(data)
        if said.restated:
            self.steps.no_progress()
        if said.text:
            self._speech.say(WRITER, said.text, append=True)
        self.steps.progress(said.progress)
        noted = said.step is not None and self.steps.note(said.step)
        return bool(said.progress or said.text or noted)

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
        told = data if isinstance(data, dict) else {"message": data}
        said = map(string, (told.get("error") or told.get("name"), told.get("message")))
        self.error = ": ".join(filter(None, said)) or "an error without a description"
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
