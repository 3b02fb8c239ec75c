"""What channels say over their wires in these tests is collected with --wire, as in the contract suite."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.kit.checkout import name
from tests.kit.wire_shapes import collecting_shapes
from tests.suites.definitions import WIRE_UNITS


@pytest.fixture(autouse=True)
def _collecting_shapes(request: pytest.FixtureRequest, wire_folder: str) -> Iterator[None]:
    platform = request.path.relative_to(Path(__file__).parent).parts[0]
    heard = wire_folder and name(request.path) in WIRE_UNITS
    strange = request.node.get_closest_marker("strange") is not None
    with collecting_shapes(wire_folder, platform) if heard and not strange else nullcontext():
        yield
