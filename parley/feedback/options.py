"""How the services are reached that are told what people think of answers."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from enum import StrEnum

_PREFIX = "whsec_"
_LEAST_KEY = 24
"""Bytes, as Standard Webhooks asks for."""


@dataclass(frozen=True, slots=True)
class LangSmithOptions:
    """LangSmith's API; `key` is what its feedback is called there, `project` the id of the project with the
    runs, "" where it is to be found.
    """

    url: str
    api_key: str
    key: str
    project: str = ""


class TraceId(StrEnum):
    """By which id Langfuse knows the trace of a run."""

    RUN = "run"
    """The run's id as 32 hexadecimal digits, as Langfuse takes them since version 3."""
    RUN_DASHED = "run_dashed"
    """The run's id as it is, as Langfuse's handlers named traces up to version 2."""
    TURN = "turn"
    """The turn's id as 32 hexadecimal digits."""


@dataclass(frozen=True, slots=True)
class LangfuseOptions:
    """Langfuse's API; `key` is what its scores are called there."""

    url: str
    public_key: str
    secret_key: str
    key: str
    trace_id: TraceId = TraceId.RUN


@dataclass(frozen=True, slots=True)
class WebhookOptions:
    """Where feedback is posted to, and the secret that signs it."""

    url: str
    secret: str


@dataclass(frozen=True, slots=True)
class FeedbackDeliveryOptions:
    """The services that are told; None for each that is not."""

    langsmith: LangSmithOptions | None = None
    langfuse: LangfuseOptions | None = None
    webhook: WebhookOptions | None = None


def signing_key(secret: str) -> bytes:
    """Return the bytes that sign: base64 after `whsec_`, else the text itself. Raises ValueError."""
    if secret.startswith(_PREFIX):
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    else:
        key = secret.encode()
    if len(key) < _LEAST_KEY:
        raise ValueError(f"{len(key)} bytes, {_LEAST_KEY} at least")
    return key
