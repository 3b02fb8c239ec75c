"""The documents' commands exist as they are written; tests/e2e/install/test_documents.py runs them."""

import re

import pytest
import yaml

from tests.architecture.command_usage import _subparsers, is_whole, wrong
from tests.e2e.install.documented_commands import LEFT_OUT, NAMED, NAMED_LEFT_OUT, RUNS, left_out
from tests.kit.checkout import ROOT
from tests.kit.documents import (
    OTHER,
    SHELL,
    Block,
    blocks,
    commands,
    documents,
    fenced,
    is_command,
    mentioned,
)

FOLDERS = ("benchmarks", "channels", "docs", "memory", "parley", "scripts", "tests")
MADE_UP = {"channels/NAME", "channels/discord/", "parley/simulator/discord/", "parley/simulator/NAME/"}
"""Paths of examples."""
EVERY = [block for name, text in documents().items() for block in blocks(name, text)]


def test_every_block_names_its_language():
    assert [block.place for block in EVERY if block.language not in {*SHELL, *OTHER}] == []


@pytest.mark.parametrize(
    "block", [each for each in EVERY if each.language == "yaml"], ids=lambda block: block.place
)
def test_every_example_of_settings_can_be_read(block):
    yaml.safe_load("\n".join(block.lines))


def test_no_command_hides_in_a_block_of_another_language():
    hidden = [
        block.place for block in EVERY if block.language not in SHELL and any(map(is_command, block.lines))
    ]
    assert hidden == []


def test_every_command_exists_as_it_is_written():
    found = [f"{each.place}: {mistake}" for each in (*fenced(), *mentioned()) for mistake in wrong(each.text)]
    assert found == []
    assert len(fenced()) > 20
    assert len(mentioned()) > 50


def test_every_command_of_a_block_is_run_or_left_out_for_a_reason():
    texts = {each.text for each in fenced()}
    forgotten = sorted(text for text in texts if text not in RUNS and not left_out(text))
    assert forgotten == [], (
        "say in tests/e2e/install/documented_commands.py how each is run, or why it is not"
    )
    assert set(RUNS) - texts == set(), "these stand in no document any more"
    assert [text for text in texts if text in RUNS and left_out(text)] == []
    assert all(any(pattern.fullmatch(text) for text in texts) for pattern in LEFT_OUT)


def test_every_whole_command_of_a_sentence_is_run_or_left_out_for_a_reason():
    texts = {each.text for each in mentioned() if is_whole(each.text)}
    known = {*RUNS, *NAMED}
    forgotten = sorted(text for text in texts if text not in known and not left_out(text, named=True))
    assert forgotten == [], (
        "say in tests/e2e/install/documented_commands.py how each is run, or why it is not"
    )
    assert set(NAMED) - texts == set(), "these stand in no sentence any more"
    assert all(any(pattern.fullmatch(text) for text in texts) for pattern in NAMED_LEFT_OUT)


@pytest.mark.parametrize(
    "command",
    [
        "parley serve",
        "parley threads --most",
        "parley letters burn 812",
        "parley version now",
        "make everything",
        "make test SPEED=9",
        'make chaos ARGS="--harder"',
        "make lint ARGS=-x",
        'make bench ARGS="acepts"',
        'make recall ARGS="--evidnce FILE"',
        "pytest tests/nowhere",
        "pytest --fast",
        "python -m benchmarks.nothing",
        "bash .ci/walk",
        "parly run",
    ],
)
def test_a_command_that_does_not_exist_is_found(command):
    assert wrong(command) != []


def test_commands_are_read_as_a_shell_does():
    lines = ("# all of it", 'a="x y"', "make run   # starts", "curl -s b \\", "  -d '{}'")
    typed = list(commands(Block("x.md", 1, "sh", lines)))
    assert [(each.text, each.before) for each in typed] == [
        ("make run", ('a="x y"',)),
        ("curl -s b -d '{}'", ('a="x y"',)),
    ]
    shown = ("$ parley pair list", "asks someone", "$ parley version")
    listed, version = commands(Block("x.md", 1, "console", shown))
    assert (listed.text, listed.output) == ("parley pair list", ("asks someone",))
    assert (version.text, version.output) == ("parley version", ())


def test_every_attack_has_tests_that_exist():
    rows = [line for line in documents()["docs/attacks.md"].splitlines() if line.startswith("| ")]
    attacks = [row for row in rows if not row.startswith("| attack |")]
    assert [row for row in attacks if "`tests/" not in row] == []
    named = {path for row in attacks for path in re.findall(r"`(tests/[\w/]+\.py)`", row)}
    assert [path for path in named if not (ROOT / path).is_file()] == []


def test_every_command_of_parley_stands_among_the_commands():
    (listed,) = [text for name, text in documents().items() if name == "docs/commands.md"]
    assert [name for name in _subparsers() if f"`parley {name}`" not in listed] == []


def test_every_path_that_a_document_names_exists():
    named = {
        (document, path)
        for document, text in documents().items()
        for path in re.findall(rf"`((?:{'|'.join(FOLDERS)})/[\w./-]*)`", text)
    }
    assert len(named) > 100
    missing = {(document, path) for document, path in named if not (ROOT / path).exists()}
    assert {(document, path) for document, path in missing if path not in MADE_UP} == set()


def test_every_link_leads_to_a_file_and_a_heading():
    broken = [
        f"{document}: {target}"
        for document, text in documents().items()
        for target in re.findall(r"\]\(([^)\s]+)\)", without_code(text))
        if ":" not in target and not leads_somewhere(document, target)
    ]
    assert broken == []


def without_code(text):
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)


def leads_somewhere(document, target):
    file, _, heading = target.partition("#")
    path = (ROOT / document).parent / file if file else ROOT / document
    if not path.exists() or not heading:
        return path.exists()
    titles = re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE)
    return heading in {re.sub(r"[^\w -]", "", title).strip().lower().replace(" ", "-") for title in titles}


def test_the_forge_runs_targets_that_exist():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text("utf-8"))
    runs = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    assert runs
    assert [mistake for run in runs for mistake in wrong(run)] == []
