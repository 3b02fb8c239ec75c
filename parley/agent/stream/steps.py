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
_PROGRESS = "progress"
_MOST_NOTED = 100
"""An agent may name no more steps of its own than make so many in all."""
_PLANS, _PLAN = "write_todos", "todos"
"""LangChain's tool for a plan, and where it stands in the state. The plan is shown, not its tool."""
_PLANNED = {"completed": StepStatus.DONE, "in_progress": StepStatus.RUNNING}
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
    """Steps in the order they began, named in `language`; `reasoning` while the model thinks."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._steps: dict[str, Step] = {}
        self._nodes: dict[str, Step] = {}
        self._shown: tuple[Step, ...] | None = ()
        self.reasoning = False

    def call(self, call_id: str, name: str) -> None:
        """A tool was asked for."""
        if call_id not in self._steps and name != _PLANS:
            self._put(Step(call_id, title(name, self._language), StepStatus.RUNNING))

    def result(self, call_id: str, name: str, failed: bool) -> None:
        """A tool is done."""
        before = self._steps.get(call_id)
        if before is None and name == _PLANS:
            return
        step = before or Step(call_id or f"tool:{name}", title(name, self._language), StepStatus.RUNNING)
        self._put(replace(step, status=StepStatus.FAILED if failed else StepStatus.DONE))

    def end(self, *call_ids: str) -> None:
        """Tools that the model's provider runs are done."""
        for call_id in call_ids:
            if before := self._steps.get(call_id):
                self._put(replace(before, status=StepStatus.DONE))

    def plan(self, update: Json) -> None:
        """Show what an agent does of its plan, where a node wrote one in place of the one before."""
        if not isinstance(update, dict) or not isinstance(todos := update.get(_PLAN), list):
            return
        for planned in [each for each in self._steps if each.startswith(f"{_PLAN}:")]:
            del self._steps[planned]
        self._shown = None
        for todo in todos[:_MOST_NOTED]:
            if isinstance(todo, dict) and (status := _PLANNED.get(string(todo.get("status")))):
                words = one_line(string(todo.get("content")))
                if words:
                    self._put(Step(f"{_PLAN}:{words}", words, status))

    def thinking(self, on: bool) -> None:
        """The model reasons, or went on to something else."""
        if on is not self.reasoning:
            self.reasoning = on
            words = say(self._language, Sentence.STEP_THINKING)
            self._put(Step(_THINKING, words, StepStatus.RUNNING if on else StepStatus.DONE))

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
            self._shown = tuple(self._steps.values())
        return self._shown

    def settled(self, status: StepStatus) -> tuple[Step, ...]:
        """All steps at the end of a run, with `status` for those that still run."""
        return tuple(
            replace(step, status=status) if step.status is StepStatus.RUNNING else step
            for step in self.shown()
        )

    def finished(self) -> tuple[Step, ...]:
        """Only the steps that have ended."""
        return tuple(step for step in self.shown() if step.status is not StepStatus.RUNNING)
