"""A machine that is too busy is seen, and told from what was done on purpose."""

from __future__ import annotations

import asyncio
import time

import httpx
from aiohttp import web

from parley.simulator.kit.http_server import serving
from tests.chaos.accounting.overlaps import Span
from tests.chaos.accounting.stalls import StallWatch
from tests.chaos.planning.process_faults import LEASE
from tests.kit.waiting import until


async def test_a_node_that_answers_late_is_noted() -> None:
    watch = StallWatch()

    async def livez(_: web.Request) -> web.Response:
        await asyncio.sleep(LEASE / 3)
        return web.Response()

    app = web.Application()
    app.router.add_get("/livez", livez)
    async with serving(app) as port, httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
        task = asyncio.create_task(watch.watch("a", client))
        await until(lambda: watch.spans, "a stall")
        task.cancel()
    assert watch.spans[0].node == "a"
    assert watch.spans[0].ended - watch.spans[0].began >= LEASE / 3


async def test_all_nodes_are_late_where_this_process_stands_still() -> None:
    watch = StallWatch()
    task = asyncio.create_task(watch.watch_here())
    await asyncio.sleep(0)
    began = time.monotonic()
    time.sleep(LEASE / 3)  # noqa: ASYNC251 - what is tested
    await until(lambda: watch.spans, "a stall")
    task.cancel()
    assert watch.spans[0].node == ""
    assert watch.spans[0].ended > began + LEASE / 4
    assert watch.unplanned([]) == 0


def test_what_was_done_on_purpose_is_not_counted() -> None:
    watch = StallWatch([Span("a", 10, 12), Span("b", 10, 12), Span("b", 20, 22)])
    assert watch.unplanned([]) == 3
    assert watch.unplanned([Span("a", 11, 11.5), Span("a", 20, 30)]) == 2
    assert watch.unplanned([Span("", 12, 13)]) == 1
