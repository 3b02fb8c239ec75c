"""Embedders: the English model in this process, or an OpenAI-compatible service."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import httpx
import numpy as np

from parley.core.model.errors import MemoryFailed
from parley.memory.search.semantic.minilm import MiniLM
from parley.memory.search.semantic.packaged_model import WEIGHTS_SHA256, check_weights
from parley.memory.search.semantic.vector_store import Array

TIMEOUT = 2.0
"""Timeout of a service in seconds: a person is waiting."""
_BATCH = 128
_LATIN = re.compile(r"[A-Za-z]")


class Embedder(Protocol):
    """Makes vectors of texts. `name` identifies the kind of vectors."""

    @property
    def name(self) -> str: ...

    def reads(self, text: str) -> bool:
        """Return whether it supports the script of this text."""
        ...

    def embed(self, texts: Sequence[str]) -> Array:
        """Return a row of length 1 for each text; blocks. Raises MemoryFailed."""
        ...


class LocalEmbedder:
    """Runs all-MiniLM-L6-v2 in this process: English only, nothing leaves the machine."""

    name = "all-minilm-l6-v2"

    def __init__(self, folder: Path, sha256: str = WEIGHTS_SHA256) -> None:
        self._folder = folder
        self._sha256 = sha256
        self._model: MiniLM | None = None
        self._guard = threading.Lock()

    def reads(self, text: str) -> bool:
        """Return whether nearly all letters are those of the English alphabet."""
        letters = sum(map(str.isalpha, text))
        return letters > 0 and len(_LATIN.findall(text)) >= 0.8 * letters

    def embed(self, texts: Sequence[str]) -> Array:
        with self._guard:
            self._model = self._model or self._load()
            return self._model.embed(texts)

    def _load(self) -> MiniLM:
        check_weights(self._folder, self._sha256)
        try:
            return MiniLM(self._folder)
        except (OSError, ValueError, KeyError) as error:
            raise MemoryFailed(f"no sentence model in {self._folder}: {error}") from error


class RemoteEmbedder:
    """Uses an OpenAI-compatible service: POST `base_url`/embeddings. Facts and questions are sent to it."""

    def __init__(self, base_url: str, model: str, api_key: str = "", timeout: float = TIMEOUT) -> None:
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self.name = f"{base_url.rstrip('/')}/{model}"
        self._model = model
        self._client = httpx.Client(base_url=base_url.rstrip("/") + "/", headers=headers, timeout=timeout)

    def reads(self, text: str) -> bool:
        """Return True for any text: only the operator knows which languages the model supports."""
        return bool(text.strip())

    def embed(self, texts: Sequence[str]) -> Array:
        parts = [self._post(texts[start : start + _BATCH]) for start in range(0, len(texts), _BATCH)]
        return np.concatenate(parts)

    def _post(self, texts: Sequence[str]) -> Array:
        try:
            answer = self._client.post("embeddings", json={"model": self._model, "input": list(texts)})
            answer.raise_for_status()
            found = sorted(answer.json()["data"], key=lambda entry: entry["index"])
            rows = np.array([entry["embedding"] for entry in found], np.float32)
        except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
            raise MemoryFailed(f"no embeddings: {error!r}") from error
        if rows.ndim != 2 or len(rows) != len(texts) or not np.isfinite(rows).all():
            raise MemoryFailed("embeddings of an unknown shape")
        lengths = np.linalg.norm(rows, axis=1, keepdims=True).astype(np.float32)
        unit: Array = rows / np.maximum(lengths, np.float32(1e-12))
        return unit

    def close(self) -> None:
        """Close the connections."""
        self._client.close()
