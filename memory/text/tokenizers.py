"""Tokenizer loading: cl100k_base from the file in memory/data, any other through tiktoken.

Slow (0.2 s, or a download): never called on the event loop, see memory/text/token_counting.py.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import zlib
from importlib import resources
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

CL100K = "cl100k_base"
VENDORED = resources.files("parley.memory") / "data" / "cl100k_base.tiktoken.gz"
# What tiktoken 0.14 itself expects of the unpacked file; pattern and special tokens are its too.
_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
_SPECIAL = {
    "<|endoftext|>": 100257,
    "<|fim_prefix|>": 100258,
    "<|fim_middle|>": 100259,
    "<|fim_suffix|>": 100260,
    "<|endofprompt|>": 100276,
}


def load_encoding(name: str) -> Encoding:
    """Return the encoding of this name.

    Raises OSError, ImportError or ValueError where it cannot be loaded: no network, no such name, or a
    wrong checksum.
    """
    if name == CL100K:
        return load_vendored(VENDORED)
    import tiktoken  # slow to import, and not needed with `token_counting: char`

    return tiktoken.get_encoding(name)


def load_vendored(file: Traversable) -> Encoding:
    """Return cl100k_base from a gzipped vocabulary. Raises OSError, ImportError, ValueError."""
    import tiktoken

    return tiktoken.Encoding(
        CL100K, pat_str=_PATTERN, mergeable_ranks=read_ranks(file), special_tokens=_SPECIAL
    )


def read_ranks(file: Traversable) -> dict[bytes, int]:
    """Return ranks by token, once the file's checksum is verified. Raises OSError, ValueError."""
    try:
        text = gzip.decompress(file.read_bytes())
    except (EOFError, zlib.error) as error:
        raise ValueError(f"{file} is damaged") from error
    if hashlib.sha256(text).hexdigest() != _SHA256:
        raise ValueError(f"{file} is not the vocabulary of {CL100K}")
    lines = (line.split() for line in text.splitlines())
    return {base64.b64decode(token): int(rank) for token, rank in lines}
