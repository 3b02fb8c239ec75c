"""Methods of the asynchronous client for programs without an event loop: its loop runs in a thread."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from functools import partial, wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from anyio.from_thread import BlockingPortal

from parley.client.errors import ClientError

_Api = TypeVar("_Api")
_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")


class Portal:
    """The thread's loop, while the client is open."""

    def __init__(self) -> None:
        self.loop: BlockingPortal | None = None

    def call(self, work: Callable[[], Awaitable[_Answer]]) -> _Answer:
        """Return what work on the loop returns, or raise what it raises. Raises ClientError while closed."""
        if self.loop is None:
            raise ClientError("The client is not open: use it in a `with` block.", code="closed")
        return self.loop.call(work)


class Blocking(Generic[_Api]):
    """A part of the asynchronous client, and the way to the loop that it works on."""

    def __init__(self, api: _Api, portal: Portal) -> None:
        self._api, self._portal = api, portal


def blocking(
    method: Callable[Concatenate[_Api, _Given], Coroutine[Any, Any, _Answer]],
) -> Callable[Concatenate[Blocking[_Api], _Given], _Answer]:
    """Return the method as one that waits for its answer."""

    @wraps(method)
    def wait(self: Blocking[_Api], /, *args: _Given.args, **kwargs: _Given.kwargs) -> _Answer:
        return self._portal.call(partial(method, self._api, *args, **kwargs))

    return wait
