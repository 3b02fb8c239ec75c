"""Strict YAML loading: no aliases, limited nesting and size."""

from __future__ import annotations

import yaml

from parley.core.model.types import Json

_MOST_CHARS = 200_000


class _PlainLoader(yaml.SafeLoader):
    """Refuses aliases: a few of them expand to more values than fit in memory."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]  # PyYAML's
            raise yaml.MarkedYAMLError(
                problem="aliases (*name) are not read; write the value out", problem_mark=mark
            )
        return super().compose_node(parent, index)


def read_yaml(text: str) -> Json:
    """Parse a document. Raises yaml.YAMLError."""
    if len(text) > _MOST_CHARS:
        raise yaml.YAMLError(f"{len(text):,} characters; {_MOST_CHARS:,} are read at most")
    try:
        value: Json = yaml.load(text, Loader=_PlainLoader)  # noqa: S506 - a SafeLoader
    except RecursionError as error:
        raise yaml.YAMLError("nested too deeply") from error
    return value
