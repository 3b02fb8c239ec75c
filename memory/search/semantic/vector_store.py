"""Vector file of one memory: exactly the vectors of the facts that there are.

What was forgotten is gone from the file with the next `sync`. The file is a cache: a damaged one is rebuilt.
"""

from __future__ import annotations

import threading
import zipfile
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]


@lru_cache(maxsize=65_536)
def digest(text: str) -> bytes:
    """Return a fact text's key in the file, which does not hold the text itself."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class VectorStore:
    """One file of vectors; every method may be called from any thread."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._guard = threading.Lock()
        self._keeping = threading.Lock()
        self._places: dict[bytes, int] | None = None
        self._rows: Array = np.zeros((0, 0), np.float32)

    def close_to(self, query: Array, texts: Sequence[str]) -> list[float]:
        """Return the dot product with each text's vector; NaN where there is none."""
        places, rows = self._read()
        if rows.shape[1] != query.shape[0]:
            return [float("nan")] * len(texts)
        products = [*(rows @ query).tolist(), float("nan")]
        return [products[places.get(digest(text), -1)] for text in texts]

    def missing(self, texts: Iterable[str]) -> list[str]:
        """Return the texts without a vector, each once."""
        places, _ = self._read()
        return [text for text in dict.fromkeys(texts) if digest(text) not in places]

    def stale(self, texts: Iterable[str]) -> bool:
        """Return whether there is a vector of a text that is not among these."""
        places, _ = self._read()
        return bool(places.keys() - set(map(digest, texts)))

    def sync(self, texts: Sequence[str], embed: Callable[[Sequence[str]], Array]) -> None:
        """Keep the vectors of these texts and of no others; `embed` makes those that are missing.

        Raises what `embed` raises, and OSError; nothing is changed then.
        """
        with self._keeping:
            places, rows = self._read()
            missing = self.missing(texts)
            made = embed(missing) if missing else rows
            if rows.size and made.shape[1] != rows.shape[1]:
                # Another model under the same name: existing vectors are useless.
                places, missing = {}, list(dict.fromkeys(texts))
                made = embed(missing)
            fresh = {digest(text): made[row] for row, text in enumerate(missing)}
            names = list(dict.fromkeys(map(digest, texts)))
            vectors = [fresh[name] if name in fresh else rows[places[name]] for name in names]
            kept = np.array(vectors, np.float32) if vectors else np.zeros((0, 0), np.float32)
            self._write(names, kept)
            with self._guard:
                self._places, self._rows = {name: place for place, name in enumerate(names)}, kept

    def _read(self) -> tuple[dict[bytes, int], Array]:
        with self._guard:
            if self._places is None:
                self._places, self._rows = _load(self._file)
            return self._places, self._rows

    def _write(self, names: Sequence[bytes], rows: Array) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        new = self._file.with_suffix(".new")
        with new.open("wb") as file:
            np.savez(file, names=np.frombuffer(b"".join(names), np.uint8), rows=rows.astype(np.float16))
        new.replace(self._file)


def _load(file: Path) -> tuple[dict[bytes, int], Array]:
    try:
        with file.open("rb") as raw, np.load(raw, allow_pickle=False) as data:
            names, rows = data["names"].tobytes(), data["rows"].astype(np.float32)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return {}, np.zeros((0, 0), np.float32)
    if len(names) != 16 * len(rows) or rows.ndim != 2:
        return {}, np.zeros((0, 0), np.float32)
    return {names[16 * place : 16 * place + 16]: place for place in range(len(rows))}, rows
