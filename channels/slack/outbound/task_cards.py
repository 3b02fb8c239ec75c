"""The task cards of one growing message: what of the steps is new, within the room that cards have. Pure.

Slack replaces a card's title, status and sources, and appends to its details and output.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from parley.channels.kit.text import byte_length, end_within
from parley.channels.slack.formatting import MAX_CARDS_BYTES, escape_mentions
from parley.core.model.types import Json, JsonObject, Step, StepStatus
from parley.core.texts import Sentence, language_of, say

PLAN = "plan"
"""Slack's name for cards that stand together, under a title."""
MOST_CARDS = 50
MOST_TITLE = 250
"""Bytes of one title, of details and of output. Slack documents 256 characters."""
_LAST = "parley_latest"
"""The id of the card that shows the latest of the steps for which there is no room."""
_STATES = {
    StepStatus.PENDING: "pending",
    StepStatus.RUNNING: "in_progress",
    StepStatus.DONE: "complete",
    StepStatus.FAILED: "error",
}
_WORDS_WEIGHT = 2
"""Slack counts details and output twice: openclaw/openclaw#143882. So do we count sources."""


@dataclass(frozen=True, slots=True)
class _Card:
    """What a card shows, and the step that it was made of last."""

    step: Step
    details: str = ""
    output: str = ""


@dataclass(frozen=True, slots=True)
class _Told:
    """What was told of the steps: their states in any message, the rest in this one."""

    states: dict[str, tuple[str, Step]]
    cards: dict[str, _Card]
    used: int = 0
    title: str = ""


class TaskCards:
    """Which cards a message shows. A step keeps its card; those beyond the room share the last one.

    With `plan` the cards stand together under a title: the latest step's, and in the end what `plan` says of
    so many steps.
    """

    def __init__(self, plan: Callable[[int], str] | None = None) -> None:
        self._plan = plan
        self._told = _Told({}, {})
        self._before = self._told

    def begin_message(self) -> None:
        """Go on in a new message, which repeats no card that has not changed."""
        self._told = _Told(self._told.states, {}, MOST_TITLE if self._plan else 0)

    def updates(self, steps: Sequence[Step], *, closed: bool) -> list[JsonObject]:
        """Return chunks for what changed; in a `closed` message nothing is left running."""
        self._before = self._told
        self._told = replace(self._told, states=dict(self._told.states), cards=dict(self._told.cards))
        chunks: dict[str, JsonObject] = {}
        for step in steps:
            running = closed and step.status is StepStatus.RUNNING
            state = "complete" if running else _STATES[step.status]
            if self._told.states.get(step.id) == (state, step):
                continue
            self._told.states[step.id] = (state, step)
            chunk = self._card(step, state)
            chunks[str(chunk["id"])] = chunk
        there = {step.id for step in steps}
        for gone in [card.step for name, card in self._told.cards.items() if name not in there]:
            # No card can be taken away; it must not look as if it went on.
            if self._told.states[gone.id][0] == _STATES[StepStatus.RUNNING]:
                ended = replace(gone, status=StepStatus.DONE)
                self._told.states[gone.id] = (_STATES[ended.status], ended)
                chunks[gone.id] = self._card(ended, _STATES[ended.status])
        return [*self._plan_updates(steps, closed=closed), *chunks.values()]

    def take_back(self) -> None:
        """Tell the latest updates again: they did not arrive."""
        self._told = self._before

    def _plan_updates(self, steps: Sequence[Step], *, closed: bool) -> list[JsonObject]:
        """Return a chunk for another title, where there are cards that it can stand above."""
        if self._plan is None or not self._told.cards or not steps:
            return []
        begun = [step for step in steps if step.status is not StepStatus.PENDING] or steps
        title = _cut(self._plan(len(steps))) if closed else _cut(begun[-1].title)
        if title == self._told.title:
            return []
        self._told = replace(self._told, title=title)
        return [{"type": "plan_update", "title": title}]

    def _card(self, step: Step, state: str) -> JsonObject:
        """Return the chunk that makes a step's card show it, or the shared one its title."""
        chunk = {"type": "task_update", "id": step.id, "title": _cut(step.title), "status": state}
        shown = self._told.cards.get(step.id)
        if shown is None:
            if len(self._told.cards) + 1 >= MOST_CARDS or not self._takes(byte_length(chunk["title"])):
                return chunk | {"id": _LAST}
            shown = _Card(Step(step.id, "", step.status))
        before = shown.step
        details = self._extended(shown.details, before.details, step.details)
        output = self._extended(shown.output, before.output, step.output)
        self._told.cards[step.id] = _Card(step, details, output)
        more: dict[str, Json] = {
            "details": details[len(shown.details) :],
            "output": output[len(shown.output) :],
            "sources": self._sources(step) if step.sources != before.sources else [],
        }
        return chunk | {key: value for key, value in more.items() if value}

    def _extended(self, shown: str, before: str, words: str) -> str:
        """Return what a card shows from now on: other words than before stand under them."""
        if words == before:
            return shown
        more = words[len(before) :] if words.startswith(before) else f"\n{words}"
        longer = _cut(shown + escape_mentions(more))
        return longer if self._takes(byte_length(longer[len(shown) :]) * _WORDS_WEIGHT) else shown

    def _sources(self, step: Step) -> list[Json]:
        """Return a step's sources, as many as there is room for."""
        return [
            {"type": "url", "url": each.url, "text": _cut(each.title)}
            for each in step.sources
            if self._takes((byte_length(each.url) + byte_length(_cut(each.title))) * _WORDS_WEIGHT)
        ]

    def _takes(self, size: int) -> bool:
        """Take so many bytes of the room, if a title more fits in then; tell whether they were there."""
        if self._told.used + size + MOST_TITLE > MAX_CARDS_BYTES:
            return False
        self._told = replace(self._told, used=self._told.used + size)
        return True


def plan_title(language: str) -> Callable[[int], str]:
    """Return what a plan of so many steps is called in the end."""
    return lambda count: say(language_of(language), Sentence.STEPS_DONE, count=count)


def _cut(text: str) -> str:
    return text[: end_within(text, 0, MOST_TITLE, byte_length)] if text else ""
