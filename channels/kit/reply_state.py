"""What a reply notes about itself, so that whoever goes on with it after a crash doubles nothing."""

from __future__ import annotations

import json
import logging
from abc import abstractmethod
from typing import Any, ClassVar, Self

from parley.channels.kit.fields import MALFORMED

log = logging.getLogger(__name__)


class ReplyState:
    """A value that outlives the process as a short text, whose keys are on disk: they stay as they are."""

    __slots__ = ()
    channel: ClassVar[str]

    @abstractmethod
    def dump(self) -> str:
        """Return it as a short text."""

    @classmethod
    @abstractmethod
    def parse(cls, noted: Any) -> Self:  # noqa: ANN401 - whatever JSON stands on disk
        """Return what `dump` noted. Raises one of MALFORMED for anything else."""

    @classmethod
    def load(cls, text: str) -> Self:
        """Return the inverse of `dump`; an empty state for a text that is none."""
        if not text:
            return cls()
        try:
            return cls.parse(json.loads(text))
        except MALFORMED:
            log.warning("%s: a reply's handle is unreadable; it is sent anew", cls.channel)
            return cls()
