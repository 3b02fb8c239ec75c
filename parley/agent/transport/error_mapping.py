"""Errors of the wire, mapped once."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from parley.agent.transport.decoding import UnreadableResponse
from parley.agent.transport.refusal_words import refusal_words
from parley.core.model.errors import (
    AgentBusy,
    AgentError,
    AgentRefused,
    AgentTimeout,
    AgentUnavailable,
    AgentUnreadable,
)

log = logging.getLogger(__name__)

_BODY_SHOWN = 500


class AgentMissing(AgentRefused):
    """The thread, run or assistant is not there (HTTP 404)."""


def _by_status(status: int, detail: str) -> AgentError:
    if status == 404:
        return AgentMissing("The agent does not know what was asked for.", detail)
    if status == 409:
        return AgentBusy("The agent is still busy with this conversation.", detail)
    if status in (408, 425, 429) or status >= 500:
        return AgentUnavailable("The agent cannot take requests right now.", detail)
    if status == 401:
        return AgentRefused("The agent server refused our credentials.", detail)
    if status == 403:
        return AgentRefused("The agent server does not allow this request.", detail)
    return AgentRefused("The agent server refused the request.", detail)


def failed_inside(error: AgentError) -> bool:
    """Return whether the server took a request and broke over it (HTTP 500)."""
    cause = error.__cause__
    return isinstance(cause, httpx.HTTPStatusError) and cause.response.status_code == 500


def _body(error: httpx.HTTPStatusError) -> str:
    try:
        return error.response.text[:_BODY_SHOWN]
    except httpx.ResponseNotRead:
        return ""


@contextmanager
def map_errors(doing: str, level: int = logging.WARNING) -> Iterator[None]:
    """Turn what HTTP raises into an AgentError. The log gets the beginning of the server's answer, at this
    level, the error's detail says what was being done, and the sentence in that answer. That a server is
    away is told by its health.
    """
    try:
        yield
    except httpx.HTTPStatusError as error:
        status = error.response.status_code
        log.log(
            logging.DEBUG if status in (404, 409) else level, "%s: HTTP %d %s", doing, status, _body(error)
        )
        said = refusal_words(error.response)
        raise _by_status(status, f"{doing}: HTTP {status}{said and f', {said}'}") from error
    except (httpx.ReadTimeout, TimeoutError) as error:
        log.info("%s: timed out (%s)", doing, type(error).__name__)
        raise AgentTimeout("The agent did not answer in time.") from error
    except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL, OSError) as error:
        # The transport calls every lost connection a ConnectTimeout, so this says nothing of what arrived.
        log.debug("%s: %s: %s", doing, type(error).__name__, error)
        detail = f"{doing}: {type(error).__name__}: {error}"
        raise AgentUnavailable("The agent cannot be reached right now.", detail) from error
    except UnreadableResponse as error:
        raise AgentUnreadable(str(error), f"{doing}; the connection is closed") from error
    except ValueError as error:
        # Not JSON: something else than a LangGraph server answered, or a proxy put its page in between.
        log.log(level, "%s: the answer makes no sense: %s", doing, error)
        raise AgentUnavailable("The agent server's answer makes no sense.", f"{doing}: {error}") from error
