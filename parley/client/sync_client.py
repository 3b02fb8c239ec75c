"""The client for programs without an event loop: each call waits for that of the asynchronous client."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from os import PathLike
from types import TracebackType
from typing import Self

from anyio.from_thread import start_blocking_portal

from parley.client.async_client import AsyncClient
from parley.client.blocking import Blocking, Portal, blocking
from parley.client.events import StreamEvent
from parley.client.files import FilesClient, FileSource
from parley.client.memory import MemoryClient
from parley.client.threads import ThreadsClient


class Threads(Blocking[ThreadsClient]):
    """See ThreadsClient."""

    list = blocking(ThreadsClient.list)
    get = blocking(ThreadsClient.get)
    new = blocking(ThreadsClient.new)
    rename = blocking(ThreadsClient.rename)
    history = blocking(ThreadsClient.history)
    stop = blocking(ThreadsClient.stop)
    delete = blocking(ThreadsClient.delete)


class Files(Blocking[FilesClient]):
    """See FilesClient."""

    upload = blocking(FilesClient.upload)
    discard = blocking(FilesClient.discard)
    list = blocking(FilesClient.list)
    read = blocking(FilesClient.read)


class PersonMemory(Blocking[MemoryClient]):
    """See MemoryClient."""

    get = blocking(MemoryClient.get)
    reload = blocking(MemoryClient.reload)
    config = blocking(MemoryClient.config)
    status = blocking(MemoryClient.status)
    people = blocking(MemoryClient.people)
    search = blocking(MemoryClient.search)
    add = blocking(MemoryClient.add)
    update = blocking(MemoryClient.update)
    forget = blocking(MemoryClient.forget)
    clear = blocking(MemoryClient.clear)
    undo = blocking(MemoryClient.undo)
    switch = blocking(MemoryClient.switch)
    export = blocking(MemoryClient.export)
    export_as = blocking(MemoryClient.export_as)
    replace = blocking(MemoryClient.replace)
    preview_import = blocking(MemoryClient.preview_import)
    add_import = blocking(MemoryClient.add_import)
    told = blocking(MemoryClient.told)
    failed_turns = blocking(MemoryClient.failed_turns)
    retry = blocking(MemoryClient.retry)


class Client(Blocking[AsyncClient]):
    """A Parley in this program, while it is entered; or, with a `url`, one that runs elsewhere.

    The arguments are those of AsyncClient. It may be used from several threads.
    """

    def __init__(
        self,
        config: str | PathLike[str] | None = None,
        *,
        settings: Mapping[str, object] | None = None,
        url: str = "",
        token: str = "",
        language: str = "",
        timeout: float = 30.0,
    ) -> None:
        api = AsyncClient(config, settings=settings, url=url, token=token, language=language, timeout=timeout)
        super().__init__(api, Portal())
        self._stack = ExitStack()
        self.threads, self.files = Threads(api.threads, self._portal), Files(api.files, self._portal)
        self.memory = PersonMemory(api.memory, self._portal)

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            loop = stack.enter_context(start_blocking_portal(name="parley"))
            stack.enter_context(loop.wrap_async_context_manager(self._api))
            self._portal.loop, self._stack = loop, stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._portal.loop = None
        self._stack.__exit__(kind, error, where)

    def memory_of(self, person: str) -> PersonMemory:
        """Return the memory of somebody else, named as `telegram:4711`."""
        return PersonMemory(self._api.memory_of(person), self._portal)

    models = blocking(AsyncClient.models)
    chat = blocking(AsyncClient.chat)
    decide = blocking(AsyncClient.decide)

    def stream(
        self, text: str, *, thread: str = "", topic: str = "", files: Sequence[FileSource] = ()
    ) -> Iterator[StreamEvent]:
        """Say something, and yield what happens until the answer is whole. Raises ClientError."""
        events = self._api.stream(text, thread=thread, topic=topic, files=files)
        try:
            while event := self._portal.call(partial(anext, events, None)):
                yield event
        finally:
            with suppress(RuntimeError):  # the client was closed before
                self._portal.call(events.aclose)
