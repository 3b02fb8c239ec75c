"""An agent on loopback that says again what it was told, and then words, one every now and then.

`python -m tests.soak.echo_agent TOKENS INTERVAL` prints its address. It speaks as much of the LangGraph
protocol as Parley asks for while nothing breaks: threads, runs that stream with the usual 1.3 kB of metadata
for each token, their status, and states.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
import uuid
from dataclasses import dataclass

import uvloop
from aiohttp import web

from tests.chaos.planning.plan import ID
from tests.soak.scale import ELSEWHERE

END = "over"
"""The last word of every answer."""
_META = {f"langgraph_{number:02}": "0c4a6a3f-5ef2-cb86-74c7-0d1f3a3a8a51" for number in range(22)}


@dataclass
class Run:
    """A run, its answer's words, and whether it is over."""

    id: str
    thread: str
    asked: list[object]
    words: tuple[str, ...]
    status: str = "running"

    @property
    def message(self) -> dict[str, object]:
        """The answer in full."""
        return {"type": "ai", "content": "".join(self.words), "id": f"lc_run--{self.id}"}


class Agent:
    """Answers of so many tokens, `interval` seconds apart."""

    def __init__(self, tokens: int, interval: float) -> None:
        self._tokens = tokens
        self._interval = interval
        self._runs: dict[str, Run] = {}
        self._latest: dict[str, Run] = {}

    def app(self) -> web.Application:
        """The routes."""
        app = web.Application()
        app.router.add_get("/ok", self._ok)
        app.router.add_post("/threads", self._ok)
        app.router.add_get("/threads/{thread}", self._ok)
        app.router.add_get("/threads/{thread}/state", self._state)
        app.router.add_post("/threads/{thread}/runs/stream", self._stream)
        app.router.add_get("/threads/{thread}/runs", self._list)
        app.router.add_get("/threads/{thread}/runs/{run}", self._status)
        return app

    async def _ok(self, request: web.Request) -> web.Response:
        body = await request.json() if request.can_read_body else {}
        return web.json_response({"ok": True, "thread_id": body.get("thread_id")})

    async def _state(self, request: web.Request) -> web.Response:
        run = self._latest.get(request.match_info["thread"])
        messages = [] if run is None else [*run.asked, run.message]
        content = {"values": {"messages": messages}, "next": [], "tasks": [], "interrupts": []}
        return web.json_response(content)

    async def _list(self, request: web.Request) -> web.Response:
        return web.json_response([])

    async def _status(self, request: web.Request) -> web.Response:
        return web.json_response(self._record(self._runs[request.match_info["run"]]))

    @staticmethod
    def _record(run: Run) -> dict[str, object]:
        return {"run_id": run.id, "thread_id": run.thread, "status": run.status, "metadata": {}}

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        thread, order = request.match_info["thread"], await request.json()
        asked = (order.get("input") or {}).get("messages", [])
        said = ID.findall(json.dumps(asked[-1]["content"]))[-1]
        words = (f"{said} ", *(f"word {number} " for number in range(1, self._tokens - 1)), END)
        run = Run(str(uuid.uuid4()), thread, asked, words)
        self._runs[run.id] = self._latest[thread] = run
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        response.headers["content-location"] = f"/threads/{thread}/runs/{run.id}"
        await response.prepare(request)
        await response.write(_frame("metadata", {"run_id": run.id, "attempt": 1}, 1))
        began = time.monotonic()
        for number, word in enumerate(run.words):
            await asyncio.sleep(began + (number + 1) * self._interval - time.monotonic())
            await response.write(_token(run, word, number + 2))
        run.status = "success"
        await response.write(_frame("updates", {"model": {"messages": [run.message]}}, len(words) + 2))
        await response.write(_frame("end", {"status": "success"}, len(words) + 3))
        return response


def _token(run: Run, word: str, number: int) -> bytes:
    chunk = {"type": "AIMessageChunk", "content": word, "id": f"lc_run--{run.id}", "tool_calls": []}
    meta = {**_META, "langgraph_node": "model", "langgraph_step": 1, "thread_id": run.thread}
    return _frame("messages", [chunk, meta], number)


def _frame(event: str, data: object, number: int) -> bytes:
    return f"event: {event}\r\ndata: {json.dumps(data)}\r\nid: {number}\r\n\r\n".encode()


async def serve(tokens: int, interval: float) -> None:
    """Serve on a free port of loopback, and say where."""
    runner = web.AppRunner(Agent(tokens, interval).app(), access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, backlog=4096).start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    os.nice(ELSEWHERE)
    uvloop.run(serve(int(sys.argv[1]), float(sys.argv[2])))
