"""The least LangGraph server that the SDK works with, so that what is measured is its client.

`python -m benchmarks.kit.agent_server` prints its address and serves until it is terminated. The assistant's
name is the script of the run; see agent_events.Script.
"""

from __future__ import annotations

import asyncio
import json
import sys
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

import uvloop

from benchmarks.kit.agent_events import Script, first_events, last_events, token_event, values

_STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n"
    b"location: /threads/%b/runs/%b/stream\r\ncontent-location: /threads/%b/runs/%b\r\n\r\n"
)
_JSON_HEAD = b"HTTP/1.1 %d OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"


@dataclass(slots=True)
class Run:
    """A run and who waits for its end."""

    id: str
    thread: str
    script: Script
    asked: object
    status: str = "running"
    at_end: list[Callable[[], None]] = field(default_factory=list)

    def end(self, status: str) -> None:
        """End it, once."""
        if self.status == "running":
            self.status = status
            for call in self.at_end:
                call()

    def record(self) -> dict[str, object]:
        """As the protocol shows it."""
        return {"run_id": self.id, "thread_id": self.thread, "status": self.status, "metadata": {}}


class World:
    """All runs, and the latest one of each thread."""

    def __init__(self) -> None:
        self.runs: dict[str, Run] = {}
        self.latest: dict[str, Run] = {}

    def begin(self, thread: str, body: bytes) -> Run:
        """A run that ends by itself when its script is over, unless somebody streams it."""
        order = json.loads(body)
        asked = (order.get("input") or {}).get("messages")
        run = Run(str(uuid.uuid4()), thread, Script.parse(order["assistant_id"]), asked)
        self.runs[run.id] = self.latest[thread] = run
        return run

    def state(self, thread: str) -> dict[str, object]:
        """A thread's state, as far as clients look at it."""
        run = self.latest.get(thread)
        content = values(run.script, run.id, run.asked) if run else {}
        return {"values": content, "next": [], "tasks": [], "interrupts": []}


class Connection(asyncio.Protocol):
    """One client's connection: a request at a time."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._loop = asyncio.get_running_loop()
        self._buffer = b""
        self._open = True
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is one in all but name

    def connection_lost(self, exc: Exception | None) -> None:
        self._open = False

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, separator, rest = self._buffer.partition(b"\r\n\r\n")
        length = _content_length(head)
        if not separator or len(rest) < length:
            return
        self._buffer = rest[length:]
        method, target, _ = head.split(b"\r\n", 1)[0].decode().split(" ")
        self._answer(method, target.partition("?")[0].strip("/").split("/"), rest[:length])

    def _answer(self, method: str, path: list[str], body: bytes) -> None:
        known = self._post(path, body) if method == "POST" else self._get(path)
        if not known:
            self._json({"detail": "Not Found"}, 404)

    def _post(self, path: list[str], body: bytes) -> bool:
        match path:
            case ["threads"]:
                self._json({"thread_id": json.loads(body)["thread_id"]})
            case ["threads", thread, "runs", "stream"]:
                self._stream(self._world.begin(thread, body))
            case ["threads", thread, "runs", "wait"]:
                self._when_over(self._begin(thread, body))
            case ["threads", thread, "runs"]:
                self._json(self._begin(thread, body).record())
            case ["threads", _, "runs", run, "cancel"]:
                self._world.runs[run].end("interrupted")
                self._json({})
            case _:
                return False
        return True

    def _get(self, path: list[str]) -> bool:
        match path:
            case ["threads", _, "runs", run, "join"]:
                self._when_over(self._world.runs[run])
            case ["threads", _, "runs", run]:
                self._json(self._world.runs[run].record())
            case ["threads", thread, "state"]:
                self._json(self._world.state(thread))
            case ["ok"]:
                self._json({"ok": True})
            case ["counts"]:
                self._json(Counter(run.status for run in self._world.runs.values()))
            case _:
                return False
        return True

    def _json(self, content: object, status: int = 200) -> None:
        body = json.dumps(content).encode()
        self._write(_JSON_HEAD % (status, len(body)) + body)

    def _write(self, data: bytes) -> None:
        if self._open:
            self._transport.write(data)

    def _begin(self, thread: str, body: bytes) -> Run:
        run = self._world.begin(thread, body)
        self._loop.call_later(run.script.seconds, run.end, "success")
        return run

    def _when_over(self, run: Run) -> None:
        def answer() -> None:
            self._json(values(run.script, run.id, run.asked))

        if run.status == "running":
            run.at_end.append(answer)
        else:
            answer()

    def _stream(self, run: Run) -> None:
        thread, name, script = run.thread.encode(), run.id.encode(), run.script
        self._write(_STREAM_HEAD % (thread, name, thread, name) + first_events(run.id))
        run.at_end.append(lambda: self._write(last_events(script, run.id, run.status)))
        if script.interval:
            self._loop.call_later(script.interval, self._token, run, 0)
            return
        numbers = range(script.tokens)
        self._write(b"".join(token_event(script, number, run.id, run.thread) for number in numbers))
        run.end("success")

    def _token(self, run: Run, number: int) -> None:
        if not self._open or run.status != "running":
            return
        self._write(token_event(run.script, number, run.id, run.thread))
        if number + 1 < run.script.tokens:
            self._loop.call_later(run.script.interval, self._token, run, number + 1)
        else:
            run.end("success")


def _content_length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        if line[:15].lower() == b"content-length:":
            return int(line[15:])
    return 0


async def serve() -> None:
    """Serve on a free port of loopback, and say where."""
    world = World()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(world), "127.0.0.1", 0, backlog=4096)
    sys.stdout.write(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve())
