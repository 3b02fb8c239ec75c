"""Each attack is made on each way in which commands are isolated."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from parley.server.sandbox.isolation.interface import Isolation
from parley.server.workspace.entries import WorkspaceLimits
from parley.server.workspace.workspaces import Workspaces
from tests.attacks.sandbox.bench import Bench
from tests.kit.product.sandbox import ISOLATIONS, skip_without_sandbox


@pytest.fixture(params=ISOLATIONS, ids=lambda each: each.name)
def isolation(request: pytest.FixtureRequest) -> Isolation:
    """Each way in which commands are isolated."""
    found: Isolation = request.param
    skip_without_sandbox(found)
    return found


@pytest.fixture
def bench(tmp_path: Path, isolation: Isolation) -> Bench:
    spaces = Workspaces(tmp_path / "spaces", WorkspaceLimits(size=2_000_000, files=50, file=500_000))
    return Bench(isolation, spaces, spaces.of(str(uuid4())))
