"""The image's recipe, its configuration, and the compose files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from parley.app.cli.main import parser
from parley.app.settings.load import load_settings
from parley.app.settings.parsing.variables import variable_names
from parley.core.model.errors import ConfigError
from tests.deploy.conftest import Tool
from tests.kit.checkout import ROOT, SHIPPED

DOCKERFILE = ROOT / "deploy" / "container" / "Dockerfile"
CONFIG = ROOT / "deploy" / "container" / "config.yaml"
COMPOSE = ROOT / "deploy" / "compose"


def instructions(name: str) -> list[str]:
    lines = DOCKERFILE.read_text("utf-8").replace("\\\n", " ").splitlines()
    return [line.split(maxsplit=1)[1] for line in lines if line.startswith(f"{name} ")]


@pytest.mark.deploy
def test_hadolint_has_nothing_against_the_dockerfile(tool: Tool) -> None:
    checked = tool("hadolint", "--no-fail", "--format", "json", DOCKERFILE)
    assert json.loads(checked.stdout) == []


def test_the_image_runs_a_command_that_there_is_as_nobody_in_particular() -> None:
    (entry,), command = instructions("ENTRYPOINT"), json.loads(instructions("CMD")[-1])
    assert json.loads(entry) == ["parley"]
    assert parser().parse_args(command).command == "run"
    (user,) = instructions("USER")
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user), "a number, by which Kubernetes sees that it is not root"
    assert "/livez" in DOCKERFILE.read_text("utf-8").split("HEALTHCHECK", 1)[1]


def test_the_data_folder_belongs_to_the_user_of_the_image() -> None:
    (user,), (volume,) = instructions("USER"), json.loads(instructions("VOLUME")[0])
    owner, group = user.split(":")
    assert f"install -d -o {owner} -g {group} -m 0700 {volume}" in instructions("RUN")


def test_every_package_in_the_image_has_a_hash() -> None:
    installs = next(each for each in instructions("RUN") if "pip" in each).split("&&")
    assert all("--require-hashes" in each for each in installs if " install " in each)
    for file in re.findall(r"requirements/\w+\.txt", instructions("RUN")[0]):
        pins = re.findall(
            r"^[\w.-]+(?:\[[^\]]*\])?==\S+ \\\n +--hash=", (ROOT / file).read_text("utf-8"), re.MULTILINE
        )
        assert len(pins) == (ROOT / file).read_text("utf-8").count("==")


def test_what_the_image_copies_is_not_ignored() -> None:
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line[:1] == "!"}
    copied = [each.split() for each in instructions("COPY") if not each.startswith("--from")]
    assert {path for *sources, _ in copied for path in sources} == kept
    assert all((ROOT / path).exists() for path in kept)


def test_every_variable_of_the_shipped_configuration_counts_in_the_image() -> None:
    assert variable_names(SHIPPED.read_text("utf-8")) <= variable_names(CONFIG.read_text("utf-8"))


def test_the_image_wants_a_token_and_takes_the_rest_from_variables() -> None:
    with pytest.raises(ConfigError, match="a token is needed"):
        load_settings(CONFIG, {}, Path("/"))
    plain = load_settings(CONFIG, {"CONSOLE_TOKEN": "0123456789abcdef"}, Path("/"))
    assert plain.settings.agent.embedded
    assert plain.settings.store.embedded
    assert list(plain.channels) == ["web"]
    variables = {
        "CONSOLE_TOKEN": "0123456789abcdef",
        "PARLEY_STORE_URL": "postgresql://parley:p@postgres:5432/parley",
        "PARLEY_AGENT_URL": "http://agent:2024",
        "TELEGRAM_BOT_TOKEN": "1:a",
    }
    full = load_settings(CONFIG, variables, Path("/"))
    assert (full.settings.store.url, full.settings.agent.url) == (
        variables["PARLEY_STORE_URL"],
        "http://agent:2024",
    )
    assert list(full.channels) == ["telegram", "web"]


@pytest.mark.deploy
@pytest.mark.parametrize("file", ["compose.yaml", "compose.full.yaml"])
def test_compose_files_are_as_the_compose_specification_says(tool: Tool, file: str) -> None:
    checked = tool("check-jsonschema", "--builtin-schema", "vendor.compose-spec", COMPOSE / file)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("file", ["compose.yaml", "compose.full.yaml"])
def test_compose_files_start_commands_that_there_are(file: str) -> None:
    services = yaml.safe_load((COMPOSE / file).read_text("utf-8"))["services"]
    read = variable_names(CONFIG.read_text("utf-8"))
    for name, service in services.items():
        if not service["image"].startswith("parley-bridge"):
            continue
        assert service["read_only"]
        assert set(service["environment"]) <= read
        if "command" in service:
            assert parser().parse_args(service["command"]).command == name
        for published in service.get("ports", ()):
            assert published.startswith("127.0.0.1:"), "nothing is open to others unless somebody says so"


def test_the_files_that_compose_mounts_are_there() -> None:
    full = yaml.safe_load((COMPOSE / "compose.full.yaml").read_text("utf-8"))
    scraped = yaml.safe_load((COMPOSE / full["configs"]["prometheus"]["file"]).read_text("utf-8"))
    (job,) = scraped["scrape_configs"]
    assert job["authorization"]["credentials_file"] == "/run/secrets/console_token"
    assert full["secrets"]["console_token"]["environment"] == "CONSOLE_TOKEN"
    example = (COMPOSE / ".env.full.example").read_text("utf-8")
    wanted = set(re.findall(r"\$\{(\w+):\?", (COMPOSE / "compose.full.yaml").read_text("utf-8")))
    assert wanted <= set(re.findall(r"^(\w+)=", example, re.MULTILINE))
