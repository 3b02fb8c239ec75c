"""A receiver of OTLP over HTTP, which reads what comes with OpenTelemetry's own types."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.kit.machine import patience


class OtlpReceiver(ThreadingHTTPServer):
    """Keeps the requests to `/v1/traces`, also those for other hosts (as a proxy), and their headers."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[ExportTraceServiceRequest] = []
        self.headers: list[dict[str, str]] = []
        self.news = threading.Condition()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def wait_for(self, name: str) -> None:
        """Return once a span of this name came."""
        with self.news:
            came = self.news.wait_for(lambda: any(span.name == name for span in self.spans()), patience(30))
        assert came, f"waited in vain for a span {name}"

    def spans(self, trace: str = "") -> list[Span]:
        """All spans that came, or those of one trace."""
        return [
            span
            for request in tuple(self.requests)
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
            if trace in ("", span.trace_id.hex())
        ]


class _Handler(BaseHTTPRequestHandler):
    server: OtlpReceiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.headers.append({name.lower(): value for name, value in self.headers.items()})
        if self.path.endswith("/v1/traces") and self.headers["content-type"] == "application/x-protobuf":
            with self.server.news:
                self.server.requests.append(ExportTraceServiceRequest.FromString(body))
                self.server.news.notify_all()
            self.send_response(200)
        else:
            self.send_response(404)
        answer = ExportTraceServiceResponse().SerializeToString()
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's own name
        """Write nothing."""


@contextmanager
def otlp_receiver() -> Iterator[OtlpReceiver]:
    """A receiver on a free port, while the block lasts."""
    receiver = OtlpReceiver()
    thread = threading.Thread(target=receiver.serve_forever, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.shutdown()
        thread.join()
        receiver.server_close()
