"""A small server of the LangGraph protocol on loopback, which plays scripts and breaks on request."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from parley.core.model.types import Json
from parley.simulator.kit import http_server as loopback

Frame = tuple[str, Json]
GATE: Frame = ("gate", None)
"""In a script: wait for `FakeServer.gate`."""


@dataclass
class Script:
    """What a run does: its events, its status at the end, and the state it leaves on its thread.

    Who joins it is told the thread's values in the end, and what is `beside` them.
    """

    frames: Sequence[Frame] = ()
    status: str = "success"
    state: dict[str, Any] = field(default_factory=dict)
    end: bool = True
    ids: bool = True
    same_id: bool = False
    beside: dict[str, Any] = field(default_factory=dict)


@dataclass
class Run:
    id: str
    thread: str
    body: dict[str, Any]
    script: Script
    status: str = "running"
    log: list[tuple[str, str, Json]] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def over(self) -> bool:
        return self.status != "running"


class FakeServer:
    """`cuts`: after how many events each next stream connection is broken; `refusals`: (path end, status)
    pairs, each answered once instead of the real thing; `silent_posts`: runs made whose answer is lost;
    without `replays` who joins a run hears only what is still to come; `threads_first` says that runs are
    made on existing threads only."""

    def __init__(self) -> None:
        self.scripts: list[Script] = []
        self.cuts: list[int] = []
        self.listed: list[dict[str, Any]] = [{"assistant_id": "x", "graph_id": "agent", "name": "agent"}]
        self.refusals: list[tuple[str, int]] = []
        self.silent_posts = 0
        self.joinable = True
        self.replays = True
        self.threads_first = False
        self.joined = asyncio.Event()
        self.gate = asyncio.Event()
        self.waiting = asyncio.Event()
        self.threads: dict[str, dict[str, Any]] = {}
        self.runs: dict[str, Run] = {}
        self.requests: list[tuple[str, str, dict[str, str], Any]] = []
        self.url = ""
        self._tasks: set[asyncio.Task[None]] = set()

    def asked(self, method: str, end: str) -> int:
        """How many requests had this method and end of path."""
        return sum(m == method and path.endswith(end) for m, path, _, _ in self.requests)

    def bodies(self, end: str) -> list[Any]:
        """The bodies of the POST requests with this end of path."""
        return [body for m, path, _, body in self.requests if m == "POST" and path.endswith(end)]

    def app(self) -> web.Application:
        app = web.Application(middlewares=[self._middleware])
        app.add_routes(
            [
                web.get("/ok", self._ok),
                web.post("/assistants/search", self._assistants),
                web.get("/api/models", self._models),
                web.post("/threads", self._create_thread),
                web.get("/threads/{t}", self._get_thread),
                web.get("/threads/{t}/state", self._get_state),
                web.post("/threads/{t}/runs/stream", self._stream),
                web.post("/threads/{t}/runs", self._create_run),
                web.get("/threads/{t}/runs", self._list_runs),
                web.get("/threads/{t}/runs/{r}", self._get_run),
                web.get("/threads/{t}/runs/{r}/stream", self._join_stream),
                web.get("/threads/{t}/runs/{r}/join", self._join),
                web.post("/threads/{t}/runs/{r}/cancel", self._cancel),
            ]
        )
        return app

    @web.middleware
    async def _middleware(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        body = await request.json() if request.can_read_body else None
        self.requests.append((request.method, request.path, dict(request.headers), body))
        for refusal in self.refusals:
            if request.path.endswith(refusal[0]):
                self.refusals.remove(refusal)
                return web.json_response({"detail": "SECRET of the server"}, status=refusal[1])
        return await handler(request)

    async def _ok(self, _: web.Request) -> web.Response:
        return web.json_response({"ok": True})

    async def _models(self, _: web.Request) -> web.Response:
        return web.json_response({"models": [{"name": "small"}, {"id": "large"}]})

    async def _assistants(self, request: web.Request) -> web.Response:
        asked = await request.json()
        wanted = {key: asked[key] for key in ("graph_id", "name") if asked.get(key)}
        found = [each for each in self.listed if wanted.items() <= each.items()]
        start = asked.get("offset", 0)
        return web.json_response(found[start : start + asked.get("limit", 10)])

    async def _create_thread(self, request: web.Request) -> web.Response:
        thread = (await request.json())["thread_id"]
        self.threads.setdefault(thread, {})
        return web.json_response({"thread_id": thread})

    def _thread(self, request: web.Request) -> dict[str, Any]:
        thread = self.threads.get(request.match_info["t"])
        if thread is None:
            raise web.HTTPNotFound(text="Thread or assistant not found.")
        return thread

    async def _get_thread(self, request: web.Request) -> web.Response:
        self._thread(request)
        return web.json_response({"thread_id": request.match_info["t"], "status": "idle"})

    async def _get_state(self, request: web.Request) -> web.Response:
        return web.json_response({"values": {}, "next": [], "tasks": [], **self._thread(request)})

    async def _new_run(self, request: web.Request) -> Run:
        thread, order = request.match_info["t"], await request.json()
        if order.get("if_not_exists") == "create" and not self.threads_first:
            self.threads.setdefault(thread, {})
        self._thread(request)
        if any(run.thread == thread and not run.over for run in self.runs.values()):
            raise web.HTTPConflict
        run = Run(f"run-{len(self.runs) + 1}", thread, order, self.scripts.pop(0))
        self.runs[run.id] = run
        task = asyncio.create_task(self._play(run))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return run

    async def _play(self, run: Run) -> None:
        self._say(run, "metadata", {"run_id": run.id, "attempt": 1})
        for event, data in run.script.frames:
            if event == "gate":
                self.waiting.set()
                await self.gate.wait()
            elif not run.over:
                self._say(run, event, data)
        if not run.over:
            self.finish(run, run.script.status)

    def _say(self, run: Run, event: str, data: Json) -> None:
        number = 1 if run.script.same_id else len(run.log) + 1
        run.log.append((str(number) if run.script.ids else "", event, data))
        run.news.set()

    def finish(self, run: Run, status: str) -> None:
        if run.script.end:
            self._say(run, "end", {"status": status})
        run.status = status
        self.threads.setdefault(run.thread, {}).update(run.script.state)
        run.news.set()

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        run = await self._new_run(request)
        if self.silent_posts:
            self.silent_posts -= 1
            assert request.transport
            request.transport.abort()
            return web.Response()
        where = f"/threads/{run.thread}/runs/{run.id}"
        headers = {"Content-Location": where, "Location": f"{where}/stream"}
        return await self._send(request, run, 0, headers)

    async def _join_stream(self, request: web.Request) -> web.StreamResponse:
        run = self._run(request)
        if not self.joinable:
            raise web.HTTPNotFound
        self.joined.set()
        if not self.replays:
            return await self._send(request, run, len(run.log), {})
        last = int(request.headers.get("Last-Event-ID", "0"))
        return await self._send(request, run, len([e for e in run.log if int(e[0] or 0) <= last]), {})

    async def _send(
        self, request: web.Request, run: Run, start: int, headers: dict[str, str]
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", **headers})
        await response.prepare(request)
        cut = self.cuts.pop(0) if self.cuts else None
        at, sent = start, 0
        while True:
            while at < len(run.log):
                if cut is not None and sent >= cut:
                    assert request.transport
                    request.transport.abort()
                    return response
                event_id, event, data = run.log[at]
                tail = f"id: {event_id}\r\n" if event_id else ""
                await response.write(f"event: {event}\r\ndata: {json.dumps(data)}\r\n{tail}\r\n".encode())
                at, sent = at + 1, sent + 1
            if run.over:
                return response
            run.news.clear()
            await run.news.wait()

    def _run(self, request: web.Request) -> Run:
        run = self.runs.get(request.match_info["r"])
        if run is None:
            raise web.HTTPNotFound
        return run

    async def _create_run(self, request: web.Request) -> web.Response:
        run = await self._new_run(request)
        return web.json_response({"run_id": run.id, "status": "pending"})

    async def _list_runs(self, request: web.Request) -> web.Response:
        runs = [run for run in self.runs.values() if run.thread == request.match_info["t"]]
        return web.json_response(
            [{"run_id": run.id, "status": run.status, "metadata": run.body["metadata"]} for run in runs]
        )

    async def _get_run(self, request: web.Request) -> web.Response:
        run = self._run(request)
        return web.json_response({"run_id": run.id, "status": run.status})

    async def _join(self, request: web.Request) -> web.Response:
        run = self._run(request)
        if not self.joinable:
            raise web.HTTPNotFound
        while not run.over:
            run.news.clear()
            await run.news.wait()
        values = self.threads[run.thread].get("values", {})
        return web.json_response({**values, **run.script.beside})

    async def _cancel(self, request: web.Request) -> web.Response:
        run = self._run(request)
        if run.over:
            raise web.HTTPNotFound
        run.script.end = False
        self.finish(run, "interrupted")
        return web.json_response({})

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@asynccontextmanager
async def serving(server: FakeServer) -> AsyncIterator[FakeServer]:
    """`server` on a free port of loopback."""
    async with loopback.serving(server.app()) as port:
        server.url = f"http://127.0.0.1:{port}"
        try:
            yield server
        finally:
            await server.close()
