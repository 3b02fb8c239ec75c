"""The platforms that are simulated, found by their folders.

`parley/simulator/<platform>/` exports one context manager, `<Platform>Simulator` (any capitals), and has a
`cli.py` with `running(port) -> AbstractContextManager[str]`: the simulator peopled for a first try, and how
to use it; and an `operator.py` with `<Platform>Operator(simulator)`, who does the walk of `parley check
--live` there.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, cast

from parley.simulator.kit.operator import SimulatedOperator

_HERE = Path(__file__).parent


def platforms() -> tuple[str, ...]:
    """Return their names, in alphabetical order; none is imported for it."""
    return tuple(sorted(file.parent.name for file in _HERE.glob("*/cli.py")))


def running(platform: str, port: int = 0) -> AbstractContextManager[str]:
    """Return a platform for somebody at a terminal: on 127.0.0.1 while entered, giving what to tell them."""
    module = importlib.import_module(f"parley.simulator.{platform}.cli")
    return cast("AbstractContextManager[str]", module.running(port))


def simulator_class(platform: str) -> type[AbstractContextManager[Any]]:
    """Return the class of a platform's simulator. Raises LookupError where there is none."""
    if platform not in platforms():
        raise LookupError(f"no platform is called {platform!r}; there are: {', '.join(platforms())}")
    module = importlib.import_module(f"parley.simulator.{platform}")
    names = [name for name in vars(module) if name.lower() == f"{platform}simulator"]
    return cast("type[AbstractContextManager[Any]]", getattr(module, names[0]))


@contextmanager
def operating(platform: str, clock: Callable[[], float] = time.monotonic) -> Iterator[SimulatedOperator]:
    """Run a platform while entered, and give somebody who does there what the walk asks for.

    `clock` counts the monotonic seconds of rate limits.
    """
    module = importlib.import_module(f"parley.simulator.{platform}.operator")
    names = [name for name in vars(module) if name.lower() == f"{platform}operator"]
    kind: Callable[..., AbstractContextManager[Any]] = simulator_class(platform)
    with kind(clock=clock) as simulator:
        yield cast("SimulatedOperator", getattr(module, names[0])(simulator))
