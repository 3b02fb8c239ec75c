"""A small server that speaks OpenAI's protocol for speech."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

SOUND = b"OggS" + b"\0" * 24 + b"OpusHead"


@dataclass(frozen=True)
class HeardFile:
    """A file as it came: its name and bytes, and the fields beside it."""

    name: str
    content: bytes
    fields: Mapping[str, str]


@dataclass
class SpeechServer:
    """Hears `text` in everything, and says everything as SOUND.

    `failures` are the statuses of the next answers; while `silent`, none comes. `answer` replaces the body of
    a transcription, `usage` is put beside its text.
    """

    text: str = "open the door"
    url: str = ""
    usage: Mapping[str, object] = field(default_factory=dict)
    answer: bytes = b""
    failures: list[int] = field(default_factory=list)
    silent: bool = False
    files: list[HeardFile] = field(default_factory=list)
    spoken: list[Mapping[str, str]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    asked: int = 0
    _closing: asyncio.Event = field(default_factory=asyncio.Event)

    async def transcribe(self, request: Request) -> Response:
        async with request.form() as form:
            file = form["file"]
            assert isinstance(file, UploadFile)
            fields = {key: value for key, value in form.items() if isinstance(value, str)}
            self.files.append(HeardFile(file.filename or "", await file.read(), fields))
        failed = await self._begin(request)
        if failed is not None:
            return failed
        if self.answer:
            return Response(self.answer, media_type="application/json")
        beside = {"usage": dict(self.usage)} if self.usage else {}
        return JSONResponse({"text": self.text, **beside})

    async def speak(self, request: Request) -> Response:
        self.spoken.append(await request.json())
        failed = await self._begin(request)
        return Response(SOUND, media_type="audio/ogg") if failed is None else failed

    async def _begin(self, request: Request) -> Response | None:
        self.asked += 1
        self.keys.append(request.headers.get("authorization", ""))
        if self.silent:
            await self._closing.wait()
        return JSONResponse({"error": {"message": "no"}}, self.failures.pop(0)) if self.failures else None

    def close(self) -> None:
        """Answer whoever still waits."""
        self._closing.set()


@asynccontextmanager
async def speech_server() -> AsyncIterator[SpeechServer]:
    """A server on a free port of this machine."""
    made = SpeechServer()
    routes = [
        Route("/v1/audio/transcriptions", made.transcribe, methods=["POST"]),
        Route("/v1/audio/speech", made.speak, methods=["POST"]),
    ]
    app = Starlette(routes=routes)
    listener = uvicorn.Config(app, port=0, log_level="error").bind_socket()
    made.url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
    running = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield made
    finally:
        made.close()
        server.should_exit = True
        await running
