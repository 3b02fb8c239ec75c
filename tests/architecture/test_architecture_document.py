"""docs/architecture.md agrees with the folders, the import contracts and the names in the code."""

import re

from tests.architecture.code_map import DOCUMENT, folders, layers, render
from tests.architecture.definitions import definitions
from tests.kit.checkout import ROOT
from tests.kit.documents import documents

NAMED = re.compile(r"`([\w./]+\.py)`\s\(((?:`[\w.]+`(?:, )?)+)\)")


def test_layers_and_folders_are_those_that_there_are():
    text = DOCUMENT.read_text("utf-8")
    assert text == render(text), "call python -m tests.architecture.code_map"
    assert all(line in text for line in (*folders(), *layers()))
    assert len(list(layers())) > 5


def test_names_beside_a_file_are_defined_in_it():
    found = [
        (document, path, each)
        for document, text in documents().items()
        for path, several in NAMED.findall(text)
        for each in re.findall(r"`([^`]+)`", several)
    ]
    assert len(found) > 10
    assert [place for place in found if place[2] not in definitions(ROOT / place[1])] == []
