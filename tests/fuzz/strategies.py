"""The strategies: texts that break parsers, JSON of any shape, and examples with something wrong in them."""

from __future__ import annotations

import copy
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.database import DirectoryBasedExampleDatabase

from tests.kit.samples.markdown_pieces import CALLS, PIECES

KEPT = Path(os.environ.get("PARLEY_FUZZ_KEPT") or Path(tempfile.gettempdir()) / "parley-fuzz")
"""Where what failed is kept between runs."""
USUAL, FULL = 60, 4_000
"""Examples a test, in the two editions."""
DEEPEST = 200
"""Levels of nesting of a value; texts nest deeper, as far as no reader of JSON goes."""

_SIGNS = (
    *(
        "\0",
        "\x1b[2J",
        "\u202e",
        "\u2066",
        "\u200d",
        "\ufeff",
        "\u2028",
        "\ud83d",
        "\udc00",
        "\U000e0061",
        "\U0010ffff",
    ),
    *(
        "e" + "\u0301" * 40,
        "ﷺ",
        "👨‍👩‍👧‍👦",
        "א",
        "ß",
        "İ",
        "٣",
        "²",
        "½",
        "Ⅷ",
        "9" * 5_000,
        "-" * 60,
        "[" * 1_200,
        '{"a":' * 1_200,
    ),
    *(
        "%s",
        "{}",
        "{0.x}",
        "$NAME",
        "../../etc/passwd",
        "javascript:alert(1)",
        "<script>",
        "true",
        "null",
        "NaN",
    ),
    *(
        "1e999",
        "-0",
        "0x10",
        "2024-13-45",
        "+999999-01-01T00:00:00Z",
        "edit {",
        'edit {"a":' + "[" * 2_000,
        "reject ",
        "yes",
        "/new",
        "@",
    ),
)
_ANY = st.text(st.characters(exclude_categories=()), max_size=40)
texts: st.SearchStrategy[str] = st.one_of(
    st.sampled_from(_SIGNS),
    st.lists(st.one_of(st.sampled_from(_SIGNS), st.sampled_from((*PIECES, *CALLS)), _ANY), max_size=12).map(
        "".join
    ),
)
"""Text with whatever Unicode has, lone surrogates too."""
long_texts = st.builds(lambda text, times: (text * times)[:60_000], texts, st.integers(1, 3_000))

_numbers = st.one_of(
    st.integers(-(2**70), 2**70),
    st.sampled_from((10**30, 10**400, -1, 0, 2**31, 2**63)),
    st.floats(allow_nan=False, allow_infinity=False),
)


def _nested(depth: int) -> object:
    start: object = {}
    return reduce(lambda inner, _: [inner], range(depth), start)


_plain = st.one_of(st.none(), st.booleans(), _numbers, texts)
values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(_plain, st.builds(_nested, st.just(DEEPEST))),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=8,
)
"""Any JSON."""


@st.composite
def bent(draw: st.DrawFn, examples: Sequence[object]) -> object:
    """One of the examples with one to four of its values replaced, taken away, repeated or moved."""
    example = copy.deepcopy(draw(st.sampled_from(examples)))
    for _ in range(draw(st.integers(1, 4))):
        places = list(_places(example))
        if not places:
            break
        holder, key = draw(st.sampled_from(places))
        _bend(draw, holder, key, places)
    return example


def _bend(draw: st.DrawFn, holder, key, places: Sequence[tuple[Any, Any]]) -> None:
    match draw(st.integers(0, 5)):
        case 0:
            del holder[key]
        case 1:
            other, there = draw(st.sampled_from(places))
            # A value within itself is no JSON.
            holder[key] = copy.deepcopy(other[there])
        case 2 if isinstance(holder, dict):
            holder[draw(texts)] = draw(values)
        case 3:
            holder[key] = [holder[key], copy.deepcopy(holder[key])]
        case 4:
            holder[key] = draw(texts)
        case _:
            holder[key] = draw(values)


def _places(value) -> Iterator[tuple[Any, Any]]:
    keys: Iterable[Any] = ()
    if isinstance(value, dict | list):
        keys = list(value) if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield value, key
        yield from _places(value[key])


def profile(edition: str) -> settings:
    """How long to look in an edition."""
    return settings(
        max_examples=FULL if edition == "full" else USUAL if edition == "usual" else USUAL // 3,
        deadline=None,
        derandomize=False,
        print_blob=True,
        database=DirectoryBasedExampleDatabase(KEPT),
        phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
            HealthCheck.large_base_example,
            HealthCheck.filter_too_much,
        ],
    )


def fuzzed(share: float = 1) -> settings:
    """The decorator of a test; `share` is how many of the edition's examples it takes."""
    chosen = settings.get_profile("fuzz")
    return settings(chosen, max_examples=max(int(chosen.max_examples * share), 2))
