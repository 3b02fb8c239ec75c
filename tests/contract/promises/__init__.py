"""Everything that a channel promises, in one table."""

from __future__ import annotations

from tests.contract.promise import Promise, promises_in
from tests.contract.promises import (
    commands,
    crash,
    delivery,
    files,
    groups,
    hostile,
    identity,
    inbound,
    lifecycle,
    streaming,
    text,
    thread_context,
    voice,
)
from tests.contract.promises.buttons import feedback, questions, suggestions
from tests.contract.promises.memory import team, tools

_MODULES = (
    *(inbound, groups, identity, thread_context, streaming, text, files, voice),
    *(commands, team, tools, delivery, questions, feedback, suggestions, crash, hostile, lifecycle),
)
_ALL = [promise for module in _MODULES for promise in promises_in(module)]
PROMISES: dict[str, Promise] = {promise.name: promise for promise in _ALL}
assert len(PROMISES) == len(_ALL), "two promises have one name"
