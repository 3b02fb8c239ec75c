"""A manifest from anywhere: it is read, or refused in one way; and no name leads out of the data."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from parley.app.backup.layout import DataLayout
from parley.app.backup.manifest import NAME, Manifest, read_manifest, write_manifest
from parley.core.model.errors import ParleyError

_PIECES = ("data", "memory", "parley.db", "agent.db", "parley.db-wal", "..", ".", "", "\0", "a", ".restoring")
_NAMES = st.lists(st.sampled_from(_PIECES) | st.text(max_size=5), max_size=6).map("/".join)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _NAMES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
_FILES = st.fixed_dictionaries(
    {
        "path": _NAMES | _VALUES,
        "size": st.integers() | _VALUES,
        "sha256": st.just("0" * 64) | _VALUES,
        "modified": st.just(0) | _VALUES,
    }
)
_TREES = st.fixed_dictionaries(
    {
        "format": st.just(1) | _VALUES,
        "parley": st.just("1"),
        "made_at": st.just(""),
        "store": st.just("sqlite"),
    },
    optional={"schemas": st.just({}) | _VALUES, "files": st.lists(_FILES, max_size=3) | _VALUES},
)


def read(content: bytes) -> Manifest | None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / NAME).write_bytes(content)
        try:
            return read_manifest(Path(folder))
        except ParleyError as refused:
            said = refused.user_text
    assert NAME in said
    return None


@given(st.binary(max_size=200) | _VALUES.map(lambda value: json.dumps(value).encode()))
def test_whatever_it_is_it_is_refused_in_words(content: bytes) -> None:
    read(content)


@given(_TREES)
def test_no_name_leads_out_of_the_data(tree: dict[str, object]) -> None:
    layout = DataLayout(Path("/srv/data"), Path("/srv/data/memory"), Path("/srv/data/parley.db"))
    manifest = read(json.dumps(tree).encode())
    for each in manifest.files if manifest else ():
        place = layout.path_of(each.path)
        if place is not None:
            assert ".." not in place.parts
            assert place.is_relative_to(layout.data)
            assert not place.name.endswith("-wal")
            assert ".restoring" not in place.relative_to(layout.data).parts[:1]


def test_deep_nesting_and_names_that_are_no_text_are_no_way_around(tmp_path: Path) -> None:
    assert read(b"[" * 100_000) is None
    assert read(b'{"format": ' + b"9" * 10_000 + b"}") is None
    odd = Manifest("1", "now", "sqlite", {}, [])
    write_manifest(tmp_path, odd)
    assert read_manifest(tmp_path) == odd
