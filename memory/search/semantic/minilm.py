"""Inference of a small sentence model (six BERT layers, mean pooling) in numpy, without torch.

Reads a folder with `model.safetensors`, `vocab.txt` and `config.json`, as all-MiniLM-L6-v2 comes. One
thread: about 10 to 25 ms of CPU for a sentence, 90 MB of weights.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from parley.memory.search.semantic.packaged_model import WEIGHTS_FILE
from parley.memory.search.semantic.wordpiece import WordPiece

Array = NDArray[np.float32]

# The model was trained for 128 pieces; facts have about 20.
_MOST_PIECES = 128
_TOGETHER = 32


@dataclass(frozen=True, slots=True)
class _Layer:
    query_key_value: Array
    query_key_value_bias: Array
    output: Array
    output_bias: Array
    output_scale: Array
    output_shift: Array
    up: Array
    up_bias: Array
    down: Array
    down_bias: Array
    down_scale: Array
    down_shift: Array


class MiniLM:
    """Embeds texts as vectors of length 1; their dot product is the similarity."""

    def __init__(self, folder: Path) -> None:
        """Load the model. Raises OSError, ValueError or KeyError where the folder does not hold one."""
        config = json.loads((folder / "config.json").read_text("utf-8"))
        tensors = _tensors(folder / WEIGHTS_FILE)
        self._pieces = WordPiece((folder / "vocab.txt").read_text("utf-8").splitlines())
        self._heads = int(config["num_attention_heads"])
        self._epsilon = float(config["layer_norm_eps"])
        self._words = tensors["embeddings.word_embeddings.weight"]
        self._places = (
            tensors["embeddings.position_embeddings.weight"]
            + tensors["embeddings.token_type_embeddings.weight"][0]
        )
        self._scale = tensors["embeddings.LayerNorm.weight"]
        self._shift = tensors["embeddings.LayerNorm.bias"]
        self._layers = [_layer(tensors, place) for place in range(int(config["num_hidden_layers"]))]
        self.width = int(config["hidden_size"])

    def embed(self, texts: Sequence[str]) -> Array:
        """Return one row for each text. Blocks for long: on threads only."""
        ids = [self._pieces.ids(text, _MOST_PIECES) for text in texts]
        rows = np.empty((len(texts), self.width), np.float32)
        # Batches of similar length, so that little padding is computed.
        order = sorted(range(len(ids)), key=lambda place: len(ids[place]))
        for start in range(0, len(order), _TOGETHER):
            places = order[start : start + _TOGETHER]
            rows[places] = self._forward([ids[place] for place in places])
        return rows

    def _forward(self, ids: Sequence[Sequence[int]]) -> Array:
        longest = max(map(len, ids))
        padded = np.zeros((len(ids), longest), np.int64)
        mask = np.zeros((len(ids), longest), np.float32)
        for row, each in enumerate(ids):
            padded[row, : len(each)] = each
            mask[row, : len(each)] = 1
        hidden = self._norm(self._words[padded] + self._places[:longest], self._scale, self._shift)
        hushed = (mask[:, None, None, :] - 1) * np.float32(1e9)
        for layer in self._layers:
            hidden = self._attend(layer, hidden, hushed)
            inner = _gelu(hidden @ layer.up + layer.up_bias) @ layer.down + layer.down_bias
            hidden = self._norm(hidden + inner, layer.down_scale, layer.down_shift)
        mean = (hidden * mask[:, :, None]).sum(1) / mask.sum(1)[:, None]
        unit: Array = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        return unit

    def _attend(self, layer: _Layer, hidden: Array, hushed: Array) -> Array:
        texts, length, width = hidden.shape
        mixed = hidden @ layer.query_key_value + layer.query_key_value_bias
        query, key, value = mixed.reshape(texts, length, 3, self._heads, -1).transpose(2, 0, 3, 1, 4)
        scores = query @ key.swapaxes(-1, -2) / np.float32(math.sqrt(width / self._heads)) + hushed
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        seen = (scores @ value).transpose(0, 2, 1, 3).reshape(texts, length, width)
        return self._norm(
            hidden + seen @ layer.output + layer.output_bias, layer.output_scale, layer.output_shift
        )

    def _norm(self, values: Array, scale: Array, shift: Array) -> Array:
        centred = values - values.mean(-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(-1, keepdims=True) + np.float32(self._epsilon))
        normal: Array = centred / spread * scale + shift
        return normal


def _gelu(values: Array) -> Array:
    # The error function by Abramowitz and Stegun 7.1.26: off by 1.5e-7 at most, as numpy has none.
    x = np.abs(values) * np.float32(1 / math.sqrt(2))
    t = 1 / (1 + np.float32(0.3275911) * x)
    a, b, c, d, e = map(np.float32, (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592))
    series = (((a * t + b) * t + c) * t + d) * t + e
    erf = np.copysign(1 - series * t * np.exp(-x * x), values)
    result: Array = np.float32(0.5) * values * (1 + erf)
    return result


def _layer(tensors: dict[str, Array], place: int) -> _Layer:
    base = f"encoder.layer.{place}."
    own = [f"{base}attention.self.{part}" for part in ("query", "key", "value")]

    def turned(name: str) -> Array:
        return np.ascontiguousarray(tensors[f"{base}{name}.weight"].T)

    def bias(name: str) -> Array:
        return tensors[f"{base}{name}.bias"]

    return _Layer(
        query_key_value=np.concatenate([tensors[f"{part}.weight"] for part in own]).T.copy(),
        query_key_value_bias=np.concatenate([tensors[f"{part}.bias"] for part in own]),
        output=turned("attention.output.dense"),
        output_bias=bias("attention.output.dense"),
        output_scale=tensors[f"{base}attention.output.LayerNorm.weight"],
        output_shift=bias("attention.output.LayerNorm"),
        up=turned("intermediate.dense"),
        up_bias=bias("intermediate.dense"),
        down=turned("output.dense"),
        down_bias=bias("output.dense"),
        down_scale=tensors[f"{base}output.LayerNorm.weight"],
        down_shift=bias("output.LayerNorm"),
    )


def _tensors(file: Path) -> dict[str, Array]:
    """Return the arrays of a safetensors file: eight bytes of length, a JSON header, raw numbers."""
    raw = np.fromfile(file, np.uint8)
    size = int.from_bytes(raw[:8].tobytes(), "little")
    header = json.loads(raw[8 : 8 + size].tobytes())
    body = raw[8 + size :]
    found = {}
    for name, about in header.items():
        if name != "__metadata__" and about["dtype"] == "F32":
            start, end = about["data_offsets"]
            found[name] = body[start:end].view(np.float32).reshape(about["shape"])
    return found
