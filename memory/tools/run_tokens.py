"""Signed tokens of runs: who a run speaks with, and where, so that no argument has to say so."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable

from parley.core.model.codec import decode, encode
from parley.core.ports.journal import Document, DocumentRepository, update_document
from parley.core.ports.memory.tools import RunScope

_KEY_DOCUMENT = "run-token-key"
_LIFETIME = 86_400.0
_MOST = 4_000


class RunTokens:
    """Issues and reads tokens with one key, which all nodes of a store share."""

    def __init__(self, key: bytes, clock: Callable[[], float]) -> None:
        self._key = key
        self._clock = clock

    @classmethod
    async def open(cls, documents: DocumentRepository, clock: Callable[[], float]) -> RunTokens:
        """Return tokens under the store's key, which is made at the first start. Raises StoreUnavailable."""

        def made(document: Document) -> tuple[str, str | None]:
            fresh = secrets.token_hex(32)
            return document.body or fresh, None if document.body else fresh

        return cls(bytes.fromhex(await update_document(documents, _KEY_DOCUMENT, made)), clock)

    def issue(self, scope: RunScope) -> str:
        """Return a token for a run; it lasts a day, and no longer than its turn (see LiveTurns)."""
        claims = f"{int(self._clock() + _LIFETIME)}.{encode(scope)}"
        body = urlsafe_b64encode(claims.encode()).decode()
        return f"{body}.{self._sign(body)}"

    def read(self, token: str) -> RunScope | None:
        """Return whose token it is; None for one that is not ours, was changed, or is too old."""
        body, _, signature = token[:_MOST].rpartition(".")
        good = self._sign(body).encode()
        if not body or not hmac.compare_digest(good, signature.encode("utf-8", "replace")):
            return None
        until, _, scope = urlsafe_b64decode(body).decode().partition(".")
        return decode(RunScope, scope) if float(until) > self._clock() else None

    def _sign(self, body: str) -> str:
        return hmac.new(self._key, body.encode("utf-8", "replace"), hashlib.sha256).hexdigest()
