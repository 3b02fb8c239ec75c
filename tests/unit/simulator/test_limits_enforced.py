"""Each simulated platform takes what its documents allow, and nothing above it."""

from __future__ import annotations

from contextlib import ExitStack

import aiohttp
import pytest

from parley.simulator.kit.limits import load_limits
from tests.unit.simulator.limit_probes import OPEN, PROBES

_AWAITED = {
    ("slack", "update_text"),
    ("slack", "blocks_text"),
    ("slack", "block_id"),
}
"""What a simulator does not keep yet."""
_CASES = [
    (platform, row)
    for platform, probes in PROBES.items()
    for row in probes
    if (platform, row) not in _AWAITED
]


@pytest.mark.parametrize(("platform", "row"), _CASES, ids=[".".join(case) for case in _CASES])
async def test_a_limit_is_kept(platform, row):
    most = load_limits(platform)[row].whole
    with ExitStack() as stack:
        async with aiohttp.ClientSession() as http:
            on = await OPEN[platform](stack, http)
            assert await PROBES[platform][row](on, most), "what is allowed is refused"
            assert not await PROBES[platform][row](on, most + 1), "what is forbidden is taken"
