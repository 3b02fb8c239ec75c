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
    intake,
    life,
    questions,
    stream,
    text,
)

PROMISES: dict[str, Promise] = {
    promise.name: promise
    for module in (intake, groups, stream, text, files, commands, delivery, questions, crash, hostile, life)
    for promise in promises_in(module)
}
