"""What a library can do without need not be loaded."""

import importlib
import subprocess
import sys
import warnings

import pytest

from parley.app.process.import_blocker import block_imports
from tests.kit.machine import patience


def test_what_is_left_out_is_not_there_inside_and_there_afterwards() -> None:
    sys.modules.pop("colorsys", None)
    with block_imports(["colorsys"]), pytest.raises(ModuleNotFoundError):
        importlib.import_module("colorsys")
    assert importlib.import_module("colorsys").rgb_to_hsv(0, 0, 0) == (0.0, 0.0, 0)


def test_what_is_loaded_already_stays() -> None:
    loaded = importlib.import_module("json")
    with block_imports(["json"]):
        assert importlib.import_module("json") is loaded
    assert sys.modules["json"] is loaded


def test_it_is_there_again_after_an_error() -> None:
    sys.modules.pop("colorsys", None)
    with pytest.raises(KeyError), block_imports(["colorsys"]):
        raise KeyError
    assert importlib.import_module("colorsys")


def test_what_a_library_says_about_it_is_not_heard() -> None:
    with block_imports(["colorsys"]):
        warnings.warn("colorsys is not there", stacklevel=1)


START = """
import sys
from parley.app.process.import_blocker import UNNEEDED_PACKAGES, block_imports
with block_imports(UNNEEDED_PACKAGES):
    import parley.app.composition.build
print("requests" in sys.modules, [name for name in UNNEEDED_PACKAGES if name in sys.modules])
"""


def test_a_start_loads_nothing_that_only_guesses_encodings() -> None:
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", START],
        capture_output=True,
        text=True,
        timeout=patience(50),
        check=True,
    )
    assert (ended.stdout.split(), ended.stderr) == (["True", "[]"], "")
