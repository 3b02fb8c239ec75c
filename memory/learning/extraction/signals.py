"""Detection of corrections and approval in a person's words, in English and Chinese.

It only hints: the model is told where to look, and decides. The patterns are data, `prompts/signals.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import yaml

from parley.core.model.errors import ConfigError
from parley.memory.text.strict_yaml import read_yaml

VERSION = 1
_MOST_READ = 2_000


class FeedbackSignal(StrEnum):
    """A person's feedback on the assistant."""

    CORRECTION = "correction"
    REINFORCEMENT = "reinforcement"


@dataclass(frozen=True, slots=True)
class FeedbackSignals:
    """Compiled patterns, and hints for the model, by signal."""

    patterns: Mapping[FeedbackSignal, tuple[re.Pattern[str], ...]]
    hints: Mapping[FeedbackSignal, str]

    def detect(self, text: str) -> FeedbackSignal | None:
        """Return the signal in one turn's first 2,000 characters: a correction is never also praise."""
        text = text[:_MOST_READ]
        for signal in FeedbackSignal:
            if any(pattern.search(text) for pattern in self.patterns[signal]):
                return signal
        return None

    def hints_for(self, texts: Sequence[str]) -> str:
        """Return hints for the model about turns T1, T2, ... of these texts; empty for none."""
        noticed = [self.detect(text) for text in texts]
        lines = []
        for signal in FeedbackSignal:
            turns = ", ".join(f"T{at}" for at, each in enumerate(noticed, 1) if each is signal)
            if turns:
                lines.append(self.hints[signal].replace("{turns}", turns))
        return "\n".join(lines)


def read_signals(text: str, file: str) -> FeedbackSignals:
    """Parse signals from YAML. Raises ConfigError that names `file` and what to do."""
    try:
        tree: Any = read_yaml(text)
        if tree["version"] != VERSION:
            raise ConfigError(
                f"{file}: is for version {tree['version']}, and this Parley needs {VERSION}; "
                "take the file that comes with it and make your changes again"
            )
        patterns = {
            signal: tuple(re.compile(line, re.IGNORECASE) for line in tree[signal.value]["patterns"])
            for signal in FeedbackSignal
        }
        hints = {signal: str(tree[signal.value]["hint"]).strip() for signal in FeedbackSignal}
    except (yaml.YAMLError, re.error, KeyError, TypeError) as error:
        raise ConfigError(
            f"{file}: cannot be read ({error}); it needs version, correction and reinforcement, the latter "
            "two with a hint and a list of patterns"
        ) from error
    return FeedbackSignals(patterns, hints)
