"""A server with the routes, refusals and events of DeerFlow's gateway, which runs real graphs.

Written from its source of August 2026 (backend/app/gateway). What differs from LangGraph's own server:

- threads exist before their runs; ids are 1 to 64 letters, digits, "-" and "_";
- bodies of runs are strict, and refuse `stream_resumable`, queues and webhooks with 422;
- there is no /ok and no /info; `join` is a stream of events; the `end` event has no status, an `error` event
  a `name`; a stream whose buffer is gone says `end` at once;
- states carry neither interrupts nor their tasks' interrupts; histories have no `source`;
- the id of a thread's first human message grows by `__user`;
- files of a thread are at /api/threads/{thread}/artifacts/{path}, models at /api/models.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, cast
from uuid import uuid4

from aiohttp import web
from aiohttp.typedefs import Handler
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import ValidationError

from parley.server.graphs.registry import Graph
from parley.server.serialisation import to_json_value
from parley.simulator.kit import http_server as loopback
from tests.kit.doubles.deerflow_runs import DeerFlowRun, RunCreateRequest, describe, run_config, run_input

TOKEN = "a-token-of-the-tests"
MODELS = ("deep", "quick")

_THREAD = re.compile(r"[A-Za-z0-9_-]{1,64}")
_CONTEXT = frozenset({"model_name", "mode", "thinking_enabled", "agent_name", "user_id"})


class DeerFlowServer:
    """`graphs` by assistant; `files` are those of threads, by thread and path. `requests` are kept."""

    def __init__(self, graphs: Mapping[str, Graph]) -> None:
        saver = InMemorySaver()
        self._graphs = {name: graph.copy({"checkpointer": saver}) for name, graph in graphs.items()}
        self._first = next(iter(self._graphs.values()))
        self.threads: dict[str, str] = {}
        self.runs: dict[str, DeerFlowRun] = {}
        self.files: dict[tuple[str, str], bytes] = {}
        self.requests: list[tuple[str, str, Any]] = []
        self.url = ""

    def app(self) -> web.Application:
        app = web.Application(middlewares=[self._guard])
        threads, runs = "/api/threads/{t}", "/api/threads/{t}/runs"
        app.add_routes(
            [
                web.get("/health", self._health),
                web.get("/api/models", self._models),
                web.post("/api/assistants/search", self._search),
                web.get("/api/assistants/{a}", self._assistant),
                web.get("/api/assistants/{a}/schemas", self._schemas),
                web.post("/api/threads", self._create_thread),
                web.get(threads, self._get_thread),
                web.delete(threads, self._delete_thread),
                web.get(f"{threads}/state", self._state),
                web.post(f"{threads}/history", self._history),
                web.get(f"{threads}/artifacts/{{path:.+}}", self._artifact),
                web.post(runs, self._create_run),
                web.post(f"{runs}/stream", self._stream_run),
                web.get(runs, self._list_runs),
                web.get(f"{runs}/{{r}}", self._get_run),
                web.get(f"{runs}/{{r}}/join", self._join),
                web.get(f"{runs}/{{r}}/stream", self._join),
                web.post(f"{runs}/{{r}}/cancel", self._cancel),
            ]
        )
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        body = await request.json() if request.can_read_body else None
        self.requests.append((request.method, request.path, body))
        if request.path != "/health" and request.headers.get("X-DeerFlow-Internal-Token") != TOKEN:
            return _problem(401, {"code": "not_authenticated", "message": "Authentication required"})
        thread = request.match_info.get("t")
        if thread is not None and not _THREAD.fullmatch(thread):
            return _problem(422, "Invalid thread_id")
        try:
            return await handler(request)
        except ValidationError as error:
            return web.json_response(describe(error), status=422)

    async def _health(self, _: web.Request) -> web.Response:
        return web.json_response({"status": "healthy", "service": "deer-flow-gateway"})

    async def _models(self, _: web.Request) -> web.Response:
        models = [{"name": name, "model": f"provider/{name}", "display_name": name} for name in MODELS]
        return web.json_response({"models": models, "token_usage": {"enabled": False}})

    def _view(self, name: str) -> dict[str, Any]:
        return {"assistant_id": name, "graph_id": "lead_agent", "name": name, "config": {}, "version": 1}

    async def _search(self, request: web.Request) -> web.Response:
        query = await request.json()
        found = [self._view(name) for name in self._graphs]
        if graph := query.get("graph_id"):
            found = [each for each in found if each["graph_id"] == graph]
        if name := query.get("name"):
            found = [each for each in found if name.lower() in each["name"].lower()]
        start = query.get("offset", 0)
        return web.json_response(found[start : start + query.get("limit", 10)])

    async def _assistant(self, request: web.Request) -> web.Response:
        name = request.match_info["a"]
        return web.json_response(self._view(name)) if name in self._graphs else _absent("Assistant", name)

    async def _schemas(self, request: web.Request) -> web.Response:
        name = request.match_info["a"]
        if name not in self._graphs:
            return _absent("Assistant", name)
        parts = ("input_schema", "output_schema", "state_schema", "config_schema")
        return web.json_response({"graph_id": "lead_agent", **{part: {} for part in parts}})

    async def _create_thread(self, request: web.Request) -> web.Response:
        thread = (await request.json()).get("thread_id") or str(uuid4())
        if not _THREAD.fullmatch(thread):
            return _problem(422, "Invalid thread_id")
        self.threads.setdefault(thread, "")
        return web.json_response({"thread_id": thread, "status": "idle", "values": {}, "metadata": {}})

    async def _get_thread(self, request: web.Request) -> web.Response:
        thread = request.match_info["t"]
        if thread not in self.threads:
            return _absent("Thread", thread)
        return web.json_response({"thread_id": thread, "status": "idle", "interrupts": {}})

    async def _delete_thread(self, request: web.Request) -> web.Response:
        thread = request.match_info["t"]
        if self._active(thread):
            return _problem(409, "Thread has work in flight. Delete it after the work finishes.")
        if self.threads.pop(thread, None) is None:
            return _absent("Thread", thread)
        await self._first.checkpointer.adelete_thread(thread)  # type: ignore[union-attr]
        return web.json_response({"success": True, "message": "Deleted"})

    def _graph(self, thread: str) -> Graph:
        return self._graphs.get(self.threads.get(thread, ""), self._first)

    async def _state(self, request: web.Request) -> web.Response:
        thread = request.match_info["t"]
        if thread not in self.threads:
            return _absent("Thread", thread)
        state = await self._graph(thread).aget_state(run_config(thread))
        place = _checkpoint(state.config)
        tasks = [{"id": task.id, "name": task.name} for task in state.tasks]
        told = {"values": state.values, "next": list(state.next), "tasks": tasks, "checkpoint_id": place}
        return web.json_response(to_json_value({**told, "checkpoint": {"id": place}}))

    async def _history(self, request: web.Request) -> web.Response:
        thread, limit = request.match_info["t"], (await request.json()).get("limit", 10)
        entries: list[dict[str, Any]] = []
        async for state in self._graph(thread).aget_state_history(run_config(thread), limit=limit):
            values = {"messages": state.values.get("messages", [])} if not entries else {}
            entries.append({"checkpoint_id": _checkpoint(state.config), "values": values, "metadata": {}})
        return web.json_response(to_json_value(entries))

    async def _artifact(self, request: web.Request) -> web.Response:
        path = "/" + request.match_info["path"]
        content = self.files.get((request.match_info["t"], path))
        return _problem(404, f"Artifact not found: {path}") if content is None else web.Response(body=content)

    async def _create_run(self, request: web.Request) -> web.Response:
        run = await self._start(request)
        return run if isinstance(run, web.Response) else web.json_response(run.view())

    async def _stream_run(self, request: web.Request) -> web.StreamResponse:
        run = await self._start(request)
        if isinstance(run, web.Response):
            return run
        return await self._send(request, run, {"Content-Location": f"{request.path[:-7]}/{run.run_id}"})

    async def _start(self, request: web.Request) -> DeerFlowRun | web.Response:
        thread, order = request.match_info["t"], RunCreateRequest.model_validate(await request.json())
        if thread not in self.threads:
            return _absent("Thread", thread)
        model = (order.context or {}).get("model_name")
        if model and model not in MODELS:
            return _problem(400, f"Model {model!r} is not in the configured model allowlist")
        before = self._active(thread)
        if before and order.multitask_strategy == "reject":
            return _problem(409, f"Thread {thread} already has an active run")
        if before:
            await self._stop(before)
        run = DeerFlowRun(thread, order)
        self.runs[run.run_id] = run
        self.threads[thread] = order.assistant_id or ""
        run.task = asyncio.create_task(self._execute(run))
        return run

    async def _execute(self, run: DeerFlowRun) -> None:
        run.status = "running"
        run.say("metadata", {"run_id": run.run_id, "thread_id": run.thread})
        try:
            async for mode, chunk in self._streamed(run):
                run.say(mode, to_json_value(chunk))
        except asyncio.CancelledError:
            run.end("interrupted")
            raise
        except Exception as error:  # noqa: BLE001 - a graph raises what it likes
            run.say("error", {"message": str(error), "name": type(error).__name__})
            run.end("error")
        else:
            run.end("success")

    async def _streamed(self, run: DeerFlowRun) -> AsyncIterator[tuple[str, object]]:
        order, graph = run.order, self._graph(run.thread)
        config = run_config(run.thread, order.config or {})
        known = (await graph.aget_state(config)).values.get("messages", [])
        given: Any = run_input(order, fresh=not known)
        context = {key: value for key, value in (order.context or {}).items() if key in _CONTEXT}
        modes: Any = order.modes
        async for part in graph.astream(given, config, context=context, stream_mode=modes):
            yield cast("tuple[str, object]", part)

    def _active(self, thread: str) -> DeerFlowRun | None:
        return next((run for run in self.runs.values() if run.thread == thread and not run.over), None)

    async def _stop(self, run: DeerFlowRun) -> None:
        if run.task:
            run.task.cancel()
            await asyncio.wait({run.task})

    async def _send(
        self, request: web.Request, run: DeerFlowRun, headers: Mapping[str, str]
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", **headers})
        await response.prepare(request)
        at = run.after(request.headers.get("Last-Event-ID", ""))
        while True:
            news = run.news
            for frame in run.events[at:]:
                await response.write(frame.encode())
            at = max(at, len(run.events))
            if run.over:
                return response
            await news.wait()

    def _run(self, request: web.Request) -> DeerFlowRun | None:
        run = self.runs.get(request.match_info["r"])
        return run if run and run.thread == request.match_info["t"] else None

    async def _list_runs(self, request: web.Request) -> web.Response:
        thread = request.match_info["t"]
        return web.json_response([run.view() for run in self.runs.values() if run.thread == thread])

    async def _get_run(self, request: web.Request) -> web.Response:
        run = self._run(request)
        return web.json_response(run.view()) if run else _absent("Run", request.match_info["r"])

    async def _join(self, request: web.Request) -> web.StreamResponse:
        run = self._run(request)
        return await self._send(request, run, {}) if run else _absent("Run", request.match_info["r"])

    async def _cancel(self, request: web.Request) -> web.Response:
        run = self._run(request)
        if run is None:
            return _absent("Run", request.match_info["r"])
        if run.over:
            return _problem(409, f"Run {run.run_id} is not cancellable (status: {run.status})")
        await self._stop(run)
        return web.Response(status=202)

    async def close(self) -> None:
        """Stop everything."""
        for run in self.runs.values():
            await self._stop(run)


@asynccontextmanager
async def serving(server: DeerFlowServer) -> AsyncIterator[DeerFlowServer]:
    """Serve on a free port of loopback; `url` is the gateway's."""
    async with loopback.serving(server.app()) as port:
        server.url = f"http://127.0.0.1:{port}"
        try:
            yield server
        finally:
            await server.close()


def _checkpoint(config: RunnableConfig | None) -> object:
    return config["configurable"].get("checkpoint_id") if config else None


def _problem(status: int, detail: object) -> web.Response:
    return web.json_response({"detail": detail}, status=status)


def _absent(kind: str, name: str) -> web.Response:
    return _problem(404, f"{kind} {name} not found")
