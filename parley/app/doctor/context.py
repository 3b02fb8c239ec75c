"""What every probe is given."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from parley.app.settings.load import LoadedSettings
from parley.core.model.types import Json
from parley.core.ports.health import HealthReport


@dataclass(frozen=True, slots=True)
class RunningState:
    """What a Parley that runs with these settings says of itself.

    `ready` is "" where it takes messages, else why not. `metrics` and `log` are what it has of both.
    """

    reports: Mapping[str, HealthReport] = field(default_factory=dict)
    ready: str = ""
    metrics: str = ""
    log: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True)
class DoctorContext:
    """The settings, the Parley that runs with them (None where none answers), and the clock of this machine.

    `say` tells what is being done, while it takes time.
    """

    loaded: LoadedSettings
    running: RunningState | None = None
    clock: Callable[[], float] = time.time
    say: Callable[[str], None] = lambda line: None
