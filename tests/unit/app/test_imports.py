"""What a library can do without need not be loaded."""

import importlib
import sys

import pytest

from app.imports import without


def test_what_is_left_out_is_not_there_inside_and_there_afterwards() -> None:
    sys.modules.pop("colorsys", None)
    with without(["colorsys"]), pytest.raises(ModuleNotFoundError):
        importlib.import_module("colorsys")
    assert importlib.import_module("colorsys").rgb_to_hsv(0, 0, 0) == (0.0, 0.0, 0)


def test_what_is_loaded_already_stays() -> None:
    loaded = importlib.import_module("json")
    with without(["json"]):
        assert importlib.import_module("json") is loaded
    assert sys.modules["json"] is loaded


def test_it_is_there_again_after_an_error() -> None:
    sys.modules.pop("colorsys", None)
    with pytest.raises(KeyError), without(["colorsys"]):
        raise KeyError
    assert importlib.import_module("colorsys")
