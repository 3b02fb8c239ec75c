"""Token counting that never blocks: exact once a tokenizer is loaded, by estimate until then.

A tokenizer loads in a thread of its own (0.2 s for the vendored one; others may be downloaded). Counts
meanwhile are estimates and start no second load. A failed load is retried after ten minutes. A load that
hangs is left alone: tiktoken holds a lock meanwhile, and another load would only queue behind it.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Protocol

from parley.memory.options import MemoryOptions, TokenCounting
from parley.memory.text.token_estimate import estimate
from parley.memory.text.tokenizers import load_encoding

_log = logging.getLogger(__name__)

COOLDOWN = 600.0
"""Seconds between a failed load and the next one; the reference system's."""
WARM_UP = 5.0
"""Longest wait for a tokenizer, in seconds, where waiting is allowed; the reference system's."""
MARGIN = 1.1
"""Factor on an estimate before it is compared with a budget: it errs by up to a tenth on a block of one
language (docs/memory-injection.md)."""
# Entries of about 100 bytes of key and value, plus a fact's line: at most ten megabytes.
_CACHED = 32_768
_LONGEST_CACHED = 2_000


class Encoder(Protocol):
    """The part of a tiktoken.Encoding that is used."""

    def encode_ordinary(self, text: str) -> list[int]:
        """Return the tokens of a text in which nothing is special."""
        ...


class Counter(Protocol):
    """Counts the tokens of texts; never blocks, safe in any thread."""

    @property
    def exact(self) -> bool:
        """Return whether counts are exact now."""
        ...

    def count(self, text: str) -> int:
        """Return the tokens of `text`: exact, or an estimate with some margin."""
        ...

    def wait(self, timeout: float) -> bool:
        """Block for at most `timeout` seconds until counts are final; return whether they are exact.

        Never on the event loop.
        """
        ...

    def __hash__(self) -> int: ...


@lru_cache(maxsize=_CACHED)
def estimate_with_margin(text: str) -> int:
    """Return the estimate with its margin."""
    return math.ceil(estimate(text) * MARGIN)


@dataclass(frozen=True, slots=True)
class CharacterCounter:
    """Estimates only (`token_counting: char`); no tokenizer is ever loaded."""

    exact: bool = False

    def count(self, text: str) -> int:
        return estimate_with_margin(text)

    def wait(self, timeout: float) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class ByteCounter:
    """Counts bytes of UTF-8, of which no text has fewer than tokens: what fits by it fits in any case."""

    exact: bool = False

    def count(self, text: str) -> int:
        return len(text.encode("utf-8", "surrogatepass"))

    def wait(self, timeout: float) -> bool:
        return False


class _Loading:
    """The sentinel of a load in progress."""


@dataclass(frozen=True, slots=True)
class _Failed:
    """The time of a failed load, on the counter's clock."""

    at: float


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A tokenizer, and its counts by text."""

    encoder: Encoder
    cached: Callable[[str], int]


_LOADING: Final = _Loading()
_State = _Loading | _Failed | _Loaded | None


class TokenCounter:
    """Counts with the tokenizer that `source` loads; `clock` is monotonic and in seconds."""

    def __init__(
        self,
        source: Callable[[], Encoder],
        *,
        clock: Callable[[], float] = time.monotonic,
        cooldown: float = COOLDOWN,
    ) -> None:
        self._source = source
        self._clock = clock
        self._cooldown = cooldown
        self._state: _State = None
        self._guard = threading.Lock()
        self._settled = threading.Event()

    @property
    def exact(self) -> bool:
        return isinstance(self._state, _Loaded)

    def count(self, text: str) -> int:
        state = self._state
        if not isinstance(state, _Loaded):
            self._start()
            return estimate_with_margin(text)
        try:
            if len(text) > _LONGEST_CACHED:
                return len(state.encoder.encode_ordinary(text))
            return state.cached(text)
        except (LookupError, RuntimeError, ValueError) as error:
            _log.warning("tokens of a text of %d characters are estimated: %s", len(text), error)
            return estimate_with_margin(text)

    def wait(self, timeout: float) -> bool:
        self._start()
        self._settled.wait(timeout)
        return self.exact

    def _start(self) -> None:
        with self._guard:
            state = self._state
            if isinstance(state, _Loading | _Loaded) or not self._due(state):
                return
            self._state = _LOADING
            self._settled.clear()
        threading.Thread(target=self._load, name="parley-tokenizer", daemon=True).start()

    def _due(self, failed: _Failed | None) -> bool:
        return failed is None or self._clock() - failed.at >= self._cooldown

    def _load(self) -> None:
        outcome: _State = None
        try:
            encoder = self._source()
            outcome = _Loaded(encoder, _cached(encoder))
        except (ImportError, OSError, ValueError) as error:
            _log.warning("no tokenizer, tokens are estimated for %.0f s: %s", self._cooldown, error)
        finally:
            # Also after an unexpected error: a counter that stays LOADING would never recover.
            self._state = outcome or _Failed(self._clock())
            self._settled.set()


def _cached(encoder: Encoder) -> Callable[[str], int]:
    @lru_cache(maxsize=_CACHED)
    def count(text: str) -> int:
        return len(encoder.encode_ordinary(text))

    return count


def token_counter(options: MemoryOptions) -> Counter:
    """Return the counter that `options` ask for; tokenizers (36 MB each) are shared within the process."""
    return (
        CharacterCounter()
        if options.token_counting is TokenCounting.CHAR
        else shared_counter(options.encoding)
    )


@lru_cache(maxsize=8)
def shared_counter(encoding: str) -> TokenCounter:
    """Return the process's one counter for this encoding; nothing is loaded before its first use."""
    return TokenCounter(lambda: load_encoding(encoding))
