"""HTTP/1.1 with time-outs for what clients send, so that nobody holds a connection by sending nothing."""

from __future__ import annotations

import asyncio
import json
import sys
from functools import partial
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol, RequestResponseCycle

from parley.console.http.options import HttpTimeouts

_MIN_PROGRESS = 1_000
"""Bytes of a body in each `body` seconds; the slowest line that anybody has is faster."""

_TEXTS = {
    400: ("bad_request", "This is no HTTP request."),
    408: ("too_slow", "The request did not come in time; please send it again."),
    431: ("too_many_headers", "The headers of the request are too long."),
}


def timed_http(timeouts: HttpTimeouts) -> type[asyncio.Protocol]:
    """Return what uvicorn is to make for each connection."""
    return cast("type[asyncio.Protocol]", partial(TimedHttp, timeouts=timeouts))


class TimedHttp(H11Protocol):
    """Uvicorn's protocol, whose only time-out is the one between two requests."""

    def __init__(self, *given: Any, timeouts: HttpTimeouts, **named: Any) -> None:  # noqa: ANN401 - uvicorn's own
        super().__init__(*given, **named)
        self._timeouts = timeouts
        self._timer: asyncio.TimerHandle | None = None
        self._awaited: object = None
        self._received = 0
        self._held_up = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # uvicorn's own
        """Await the first request."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Take what came, and await what is missing."""
        self._received += len(data)
        super().data_received(data)
        self._held_up = self._held_up or self.flow.read_paused
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Await nothing more."""
        self._end_watch()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer what h11 refuses, with the status that it proposes."""
        self._refuse(getattr(sys.exc_info()[1], "error_status_hint", 400))

    def _watch(self) -> None:
        """Have a timer while the headers or the body of a request are incomplete."""
        state = self.conn.their_state
        if state is self._awaited:
            return
        self._end_watch()
        if state is h11.IDLE:
            self._begin_watch(state, self._timeouts.headers)
        elif state is h11.SEND_BODY:
            self._begin_watch(state, self._timeouts.body)

    def _begin_watch(self, state: object, seconds: float) -> None:
        self._awaited, self._received, self._held_up = state, 0, self.flow.read_paused
        self._timer = self.loop.call_later(seconds, self._on_timeout)

    def _end_watch(self) -> None:
        self._awaited = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _on_timeout(self) -> None:
        state = self._awaited
        self._end_watch()
        if self.transport.is_closing():
            return
        if state is h11.SEND_BODY and (self._received >= _MIN_PROGRESS or self._waits_for_us()):
            self._begin_watch(state, self._timeouts.body)
        elif state is h11.IDLE and not self.conn.trailing_data[0]:
            self.transport.close()  # a connection that a browser opened in advance: nobody asked anything
        else:
            self._refuse(408)

    def _waits_for_us(self) -> bool:
        """Return whether it is not the client that keeps the body waiting."""
        cycle: RequestResponseCycle | None = self.cycle
        return self._held_up or (cycle is not None and cycle.waiting_for_100_continue)

    def _refuse(self, status: int) -> None:
        """Answer for the application, unless it has begun to, and close."""
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is not None and not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            code, text = _TEXTS[status]
            body = json.dumps({"error": {"code": code, "text": text}}).encode()
            headers = [
                ("content-type", "application/json"),
                ("content-length", str(len(body))),
                ("connection", "close"),
            ]
            head = h11.Response(status_code=status, headers=headers, reason=STATUS_PHRASES[status])
            for event in (head, h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
