"""Every promise that an engine of the store keeps, whichever it is.

An engine's test module offers two fixtures and inherits `EngineSuite`: `clock`, and `open_node`, which
opens a node by name (leases of 15 s by that clock, default retention) on a named database.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from parley.store.interface import Store
from tests.kit.store.nodes import OpenNode
from tests.unit.store.engine.counters import CountPromises
from tests.unit.store.engine.crashes import CrashPromises
from tests.unit.store.engine.documents import DocumentPromises
from tests.unit.store.engine.feedback_index import FeedbackIndexPromises
from tests.unit.store.engine.fencing import FencingPromises
from tests.unit.store.engine.item_search import ArchivePromises
from tests.unit.store.engine.lanes import LanePromises
from tests.unit.store.engine.maintenance import UpkeepPromises
from tests.unit.store.engine.random_schedules import OrderPromises
from tests.unit.store.engine.simultaneous_puts import CrowdPromises
from tests.unit.store.engine.slots import SlotPromises
from tests.unit.store.engine.subject_index import SubjectIndexPromises
from tests.unit.store.engine.waiting import WaitingPromises


class EngineSuite(
    LanePromises,
    SlotPromises,
    FencingPromises,
    CrashPromises,
    DocumentPromises,
    CountPromises,
    UpkeepPromises,
    ArchivePromises,
    SubjectIndexPromises,
    FeedbackIndexPromises,
    WaitingPromises,
    OrderPromises,
    CrowdPromises,
):
    @pytest.fixture
    async def a(self, open_node: OpenNode) -> AsyncIterator[Store]:
        async with open_node("a", "main") as store:
            yield store

    @pytest.fixture
    async def b(self, open_node: OpenNode) -> AsyncIterator[Store]:
        async with open_node("b", "main") as store:
            yield store
