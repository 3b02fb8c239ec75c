"""The steps of a run: what an agent does besides talking."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from parley.agent.stream.writer.step_notes import StepNote
from parley.agent.transport.decoding import string
from parley.core.model.types import Json, Step, StepStatus
from parley.core.texts import Sentence, say

_TITLE = 80
_THINKING = "thinking"
_MOST_THOUGHTS = 4_000
"""Characters; of longer thoughts the beginning is shown, which only ever grows."""
_PROGRESS = "progress"
_TODO = "todo:"
_WRITE_TODOS, _TODOS = "write_todos", "todos"
"""LangChain's tool for a list of tasks, and where the list stands in the state."""
_MOST_TODOS = 30
_TODO_STATES = {
    "pending": StepStatus.PENDING,
    "in_progress": StepStatus.RUNNING,
    "completed": StepStatus.DONE,
}
_MOST_NOTED = 100
"""An agent may name no more steps of its own than make so many in all."""
PLUMBING = frozenset(
    {
        *("agent", "model", "tools", "tool", "llm", "chatbot", "chat", "call_model", "call_llm"),
        *("model_request", "tool_node", "generate_structured_response", "pre_model_hook", "post_model_hook"),
    }
)
"""Node names of nearly every agent; they say nothing to a person."""


@lru_cache(maxsize=1024)
def title(name: str, language: str = "en") -> str:
    """A tool's or node's name as a person would write it: `get_weather`, `getWeather` -> "Get weather".

    Only what has no name is called something in `language`.
    """
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[\s_\-.:/]+", " ", name).split()
    spelled = " ".join(word if word.isupper() else word.lower() for word in words)
    return one_line(spelled[:1].upper() + spelled[1:]) or say(language, Sentence.STEP_TOOL)


def one_line(text: str) -> str:
    """`text` on one line of bounded length."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _TITLE else flat[: _TITLE - 1] + "…"


class Steps:
    """Steps in the order they began, named in `language`; `reasoning` while the model thinks.

    With `thoughts` its step has what it says meanwhile.
    """

    def __init__(self, language: str, thoughts: bool = False) -> None:
        self._language = language
        self._thoughts: dict[str, str] | None = {} if thoughts else None
        self._steps: dict[str, Step] = {}
        self._nodes: dict[str, Step] = {}
        self._todos: tuple[Step, ...] = ()
        self._todo_calls: set[str] = set()
        self._todo_results: dict[str, Step] = {}
        self._shown: tuple[Step, ...] | None = ()
        self.reasoning = False

    def call(self, call_id: str, name: str) -> None:
        """A tool was asked for.

        What writes the list of tasks is no step: the list takes its place, and Slack takes no card back.
        """
        if name == _WRITE_TODOS:
            self._todo_calls.add(call_id)
        elif call_id not in self._steps:
            self._put(Step(call_id, title(name, self._language), StepStatus.RUNNING))

    def result(self, call_id: str, name: str, failed: bool) -> None:
        """A tool is done.

        The list may come after the result of what wrote it: whether there is one is known at the end.
        """
        if call_id in self._todo_calls and not failed:
            self._todo_results[call_id] = Step(call_id, title(name, self._language), StepStatus.DONE)
            return
        before = self._steps.get(call_id)
        step = before or Step(call_id or f"tool:{name}", title(name, self._language), StepStatus.RUNNING)
        self._put(replace(step, status=StepStatus.FAILED if failed else StepStatus.DONE))

    def end(self, *call_ids: str) -> None:
        """Tools that the model's provider runs are done."""
        for call_id in call_ids:
            if before := self._steps.get(call_id):
                self._put(replace(before, status=StepStatus.DONE))

    def thinking(self, on: bool) -> None:
        """The model reasons, or went on to something else."""
        if on is not self.reasoning:
            self.reasoning = on
            self._put_thinking()

    def thought(self, message_id: str, words: str, append: bool) -> None:
        """Add to what the model said in a message while it thought, or replace it as a whole."""
        if self._thoughts is None or not words:
            return
        before = self._thoughts.get(message_id, "") if append else ""
        self._thoughts[message_id] = (before + words[: _MOST_THOUGHTS + 1])[: _MOST_THOUGHTS + 1]
        self._put_thinking()

    def _put_thinking(self) -> None:
        words = "\n\n".join(filter(None, map(str.strip, (self._thoughts or {}).values())))
        self._put(
            Step(
                _THINKING,
                say(self._language, Sentence.STEP_THINKING),
                StepStatus.RUNNING if self.reasoning else StepStatus.DONE,
                output=words if len(words) <= _MOST_THOUGHTS else f"{words[: _MOST_THOUGHTS - 1]}…",
            )
        )

    def progress(self, text: str) -> None:
        """The graph itself says what it does; each line replaces the one before."""
        if line := one_line(text):
            self._put(Step(_PROGRESS, line, StepStatus.RUNNING))

    def note(self, said: StepNote) -> bool:
        """Add what the agent says of a tool call, or of a step of its own; tell whether it counts."""
        before = self._steps.get(said.id)
        if before is None and (not said.title or len(self._steps) >= _MOST_NOTED):
            return False
        self._put(said.added_to(before or Step(said.id, said.title, StepStatus.RUNNING)))
        return True

    def todos(self, update: Json) -> None:
        """Show the agent's list of tasks, as LangChain's middleware keeps it, where an update has it.

        It takes the place of the steps that wrote it, and stands below all others.
        """
        if not isinstance(update, dict) or _TODOS not in update:
            return
        listed = update[_TODOS]
        entries = listed[:_MOST_TODOS] if isinstance(listed, list) else []
        found = [
            Step(f"{_TODO}{at}", words, status)
            for at, entry in enumerate(entries)
            if isinstance(entry, dict)
            and (words := one_line(string(entry.get("content"))))
            and (status := _TODO_STATES.get(string(entry.get("status"))))
        ]
        self._todos = tuple(found)
        for call_id in self._todo_calls if found else ():
            self._steps.pop(call_id, None)
        self._shown = None

    def no_progress(self) -> None:
        """What was taken for progress was none."""
        if self._steps.pop(_PROGRESS, None):
            self._shown = None

    def node(self, name: str) -> None:
        """A node of the graph ran. Nodes are shown once two of them have a name worth reading."""
        if name in self._nodes or name.lower() in PLUMBING or "." in name or name.startswith("__"):
            return
        step = Step(f"node:{name}", title(name, self._language), StepStatus.DONE)
        self._nodes[name] = step
        if len(self._nodes) == 2:
            self._steps.update((each.id, each) for each in self._nodes.values())
        elif len(self._nodes) > 2:
            self._steps[step.id] = step
        self._shown = None

    def _put(self, step: Step) -> None:
        if self._steps.get(step.id) != step:
            self._steps[step.id] = step
            self._shown = None

    def shown(self) -> tuple[Step, ...]:
        """All steps as they are now."""
        if self._shown is None:
            self._shown = (*self._steps.values(), *self._todos)
        return self._shown

    def settled(self, status: StepStatus) -> tuple[Step, ...]:
        """All steps at the end of a run, with `status` for those that still run.

        A task that the agent did not call completed is not done.
        """
        return tuple(
            replace(step, status=StepStatus.PENDING if step.id.startswith(_TODO) else status)
            if step.status is StepStatus.RUNNING
            else step
            for step in self._in_the_end()
        )

    def finished(self) -> tuple[Step, ...]:
        """Only the steps that have ended."""
        ended = (StepStatus.DONE, StepStatus.FAILED)
        return tuple(step for step in self._in_the_end() if step.status in ended)

    def _in_the_end(self) -> tuple[Step, ...]:
        """All steps, among them tools that are called like what writes a list, where none came."""
        for step in self._todo_results.values() if not self._todos else ():
            self._put(step)
        return self.shown()
