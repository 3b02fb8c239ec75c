"""What a row of the table says: a graph, what it is told, and what must come of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from parley.core.model.types import Outcome
from tests.kit.engine import CHOSEN


@dataclass(frozen=True)
class Turn:
    """One turn, and all that is expected of it.

    `given` are files sent with the words: their content by name. `answers` decide the questions of the turn
    before, by prompt or action. `stop` ends the run once something of it is seen.
    `text` is the final text, or how it begins when it ends with "...". `grows` asks that a part of it was
    seen before, `never` has words that must not be seen at any time. `steps` are the titles shown, in order,
    each with what its agent says of it; None: whatever there is. `files` are those that come, `questions`
    "prompt [option|option]" each. `error` stands in what the log is told.
    """

    say: str = "hello"
    text: str = ""
    outcome: Outcome = Outcome.ANSWERED
    given: Mapping[str, bytes] = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)
    memory: str = ""
    stop: bool = False
    grows: bool = False
    never: tuple[str, ...] = ()
    steps: tuple[str, ...] | None = None
    files: Mapping[str, bytes] = field(default_factory=dict)
    questions: tuple[str, ...] = ()
    error: str = ""


@dataclass(frozen=True)
class Row:
    """A graph ("module.name" in graphs/) and its turns on one thread.

    `session` has the fields of SessionSettings that are not their defaults. `cannot` has the turns that a
    server expects otherwise, because it cannot do what others do; `without_vectors` has those of ours where
    its database cannot find by meaning. `wrong` names, by server, the item of the
    issue that mends it, where the row is not right yet: it fails today, and has to be moved when it passes.
    """

    graph: str
    turns: tuple[Turn, ...]
    about: str = ""
    session: Mapping[str, Any] = field(default_factory=dict)
    cannot: Mapping[str, tuple[Turn, ...]] = field(default_factory=dict)
    without_vectors: tuple[Turn, ...] = ()
    wrong: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the row is called: the graph's name, and what it is about where a graph has several."""
        return "-".join(part for part in (self.graph.partition(".")[2], self.about) if part)

    def expected(self, server: str) -> tuple[Turn, ...]:
        """Return the turns as this server is expected to take them."""
        if server == "embedded" and self.without_vectors and CHOSEN.engine().lacks_vectors():
            return self.without_vectors
        return self.cannot.get(server, self.turns)


def everywhere(item: str) -> Mapping[str, str]:
    """Return that a row is not right on any server until an item is done."""
    return {"embedded": item, "official": item}
