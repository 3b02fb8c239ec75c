"""Rows about states of every shape, contexts, factories and stores."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from parley.core.model.types import Outcome
from tests.agents.rows import Row, Turn

_FACT = "<memory>\nFacts:\n- I love pizza\n</memory>"

_UNTOLD = Turn("hello", "asked=hello pizza=False", memory=_FACT)
"""On Python 3.11 both other servers cannot tell the schema of a `typing.TypedDict`."""
_UNSCORED = (Turn("one", "noted 1 scored=False"), Turn("two", "noted 2 scored=False"))
_NO_FACTORY = Turn(outcome=Outcome.FAILED, error="TypeError")
"""Aegra 0.6 calls a factory with nothing, and enters no context manager."""

ROWS: Sequence[Row] = (
    Row("shapes.plain", (Turn("why?", "question=why? docs=2"),)),
    Row(
        "shapes.plain",
        (Turn("why?", "question=Ada: why? docs=2"),),
        "by settings",
        {"input": {"question": "{name}: {text}"}, "output": "answer"},
    ),
    Row("shapes.topic_report", (Turn("rain", "# rain\n\nAll about it."),)),
    Row("shapes.final_report", (Turn("rain", "Report on rain"),)),
    Row(
        "shapes.pydantic_state",
        (Turn("hello", "You said: hello", grows=True), Turn("again", "You said: again")),
    ),
    Row("shapes.needs_context", (Turn("hello", "user_id=web_3aada"),)),
    Row("shapes.needs_context", (Turn("hello", "user_id=x"),), "given", {"context": {"user_id": "x"}}),
    Row("shapes.typed_context", (Turn("hello", "tone=None"),)),
    Row("shapes.typed_context", (Turn("hello", "tone=kind"),), "given", {"context": {"tone": "kind"}}),
    Row("shapes.remembers", (Turn("hello", "asked=hello pizza=True", memory=_FACT),)),
    Row(
        "shapes.remembers_dict",
        (Turn("hello", "asked=hello pizza=True", memory=_FACT),),
        cannot={} if sys.version_info >= (3, 12) else {"official": (_UNTOLD,), "aegra": (_UNTOLD,)},
    ),
    Row("shapes.content_as_str", (Turn("hello", "You asked: hello"),)),
    Row("shapes.content_as_str", (Turn("hello", "You asked: hello", memory=_FACT),), "with memory"),
    Row("shapes.functional_dict", (Turn("hello", "functional: hello"),)),
    Row("shapes.functional_dict", (Turn("hello", "functional: hello", memory=_FACT),), "with memory"),
    Row("shapes.functional_str", (Turn("hello", "only words: hello"),)),
    Row("factories.of_config", (Turn("hello", "made for a dict"),), cannot={"aegra": (_NO_FACTORY,)}),
    Row("factories.of_context", (Turn("hello", "open: connection"),), cannot={"aegra": (_NO_FACTORY,)}),
    Row("factories.of_runtime", (Turn("hello", "made for threads"),), cannot={"aegra": (_NO_FACTORY,)}),
    Row("factories.of_tool_server", (Turn("2 and 3?", "The sum is 5."),), cannot={"aegra": (_NO_FACTORY,)}),
    Row(
        "people.notes",
        (Turn("one", "noted 1 scored=True"), Turn("two", "noted 2 scored=True")),
        cannot={"aegra": _UNSCORED},
        without_vectors=_UNSCORED,
    ),
    Row("people.whoami", (Turn("hello", "person=web:ada name=Ada platform=web..."),)),
    Row("failing.raises", (Turn(outcome=Outcome.FAILED, error="hunter2"),)),
    Row("failing.key_error", (Turn(outcome=Outcome.FAILED, error="KeyError"),)),
    Row("failing.rate_limit", (Turn(outcome=Outcome.FAILED, error="RateLimitError"),)),
    Row("failing.refused_key", (Turn(outcome=Outcome.FAILED, error="AuthenticationError"),)),
    Row("failing.context_overflow", (Turn(outcome=Outcome.FAILED, error="ContextOverflow"),)),
    Row(
        "failing.recursion",
        (Turn(outcome=Outcome.FAILED, error="GraphRecursionError"),),
        session={"config": {"recursion_limit": 5}},
    ),
    Row("failing.sleeps", (Turn("hello", "I slept well."),)),
)
