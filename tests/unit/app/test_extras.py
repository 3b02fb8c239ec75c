"""What is told to whoever has to install something, for each way to have installed Parley."""

import importlib
import sys

import pytest

from parley.app import extras
from parley.app.extras import install_command, own_command, require_extra
from parley.core.model.errors import ConfigError

RECEIPT = """
[tool]
requirements = [{ name = "other", extras = ["x"] }, { name = "parley-bridge", extras = ["slack"] }]
"""


@pytest.fixture
def environment(tmp_path, monkeypatch):
    """An environment at a path below `tmp_path`, with the distribution in it."""

    def make(path, receipt="", text=""):
        prefix = tmp_path / path
        prefix.mkdir(parents=True)
        if receipt:
            (prefix / receipt).write_text(text)
        monkeypatch.setattr(sys, "prefix", str(prefix))
        monkeypatch.setattr(extras, "_ROOT", prefix)

    return make


def test_a_checkout_has_an_environment_of_its_own(environment, tmp_path, monkeypatch):
    environment("checkout/.venv")
    checkout = tmp_path / "checkout"
    (checkout / "pyproject.toml").touch()
    monkeypatch.setattr(extras, "_ROOT", checkout)
    monkeypatch.chdir(checkout)
    assert own_command() == ".venv/bin/parley"
    assert install_command("slack") == ".venv/bin/python -m pip install -e '.[slack]'"
    monkeypatch.chdir(tmp_path)
    assert own_command() == "checkout/.venv/bin/parley"
    monkeypatch.chdir("/")
    assert install_command("slack") == (
        f"{checkout.relative_to('/')}/.venv/bin/python -m pip install -e '{checkout.relative_to('/')}[slack]'"
    )


@pytest.mark.parametrize(
    ("prefix", "receipt", "text", "own", "wanted"),
    [
        ("venv", "", "", "parley", "pip install 'parley-bridge[feishu]'"),
        (
            "pipx/venvs/parley-bridge",
            "pipx_metadata.json",
            "{}",
            "parley",
            "pipx inject parley-bridge 'parley-bridge[feishu]'",
        ),
        (
            "pipx/.cache/1f",
            "pipx_metadata.json",
            "{}",
            "pipx run parley-bridge",
            "pipx run --spec 'parley-bridge[feishu]' parley",
        ),
        ("uv/archive-v0/1f", "", "", "uvx parley-bridge", "uvx 'parley-bridge[feishu]'"),
        (
            "uv/tools/parley-bridge",
            "uv-receipt.toml",
            RECEIPT,
            "parley",
            "uv tool install 'parley-bridge[feishu,slack]'",
        ),
        (
            "uv/tools/parley-bridge",
            "uv-receipt.toml",
            "tool = 1",
            "parley",
            "uv tool install 'parley-bridge[feishu]'",
        ),
    ],
)
def test_every_other_way_has_its_command(environment, prefix, receipt, text, own, wanted):
    environment(prefix, receipt, text)
    assert own_command() == own
    assert install_command("feishu") == wanted


def test_a_missing_package_is_named_with_the_command(environment):
    environment("venv")
    with (
        pytest.raises(ConfigError, match=r"^channels\.x: nothing_of_that_name is not installed; run: pip"),
        require_extra("x", "channels.x"),
    ):
        importlib.import_module("nothing_of_that_name")
