"""docs/architecture.md agrees with the folders, the import contracts and the names in the code."""

import re
import tomllib

from tests.architecture.definitions import definitions
from tests.kit.checkout import ROOT
from tests.kit.documents import documents

TEXT = (ROOT / "docs" / "architecture.md").read_text("utf-8")
DEPTHS = {"parley": 2, "channels": 2, "memory": 2}
NAMED = re.compile(r"`([\w./]+\.py)`\s\(((?:`[\w.]+`(?:, )?)+)\)")


def folders_in_the_tree():
    (tree,) = re.findall(r"## Folders.*?```text\n(.*?)```", TEXT, re.DOTALL)
    above, found = [], []
    for line in tree.splitlines():
        indent, folder = re.match(r"( *)(\w+)/ ", line).groups()
        above[len(indent) // 2 :] = [folder]
        found.append("/".join(above))
    return found


def test_the_tree_has_every_folder():
    existing = [
        path.parent.relative_to(ROOT).as_posix()
        for top, depth in DEPTHS.items()
        for path in (ROOT / top).rglob("__init__.py")
        if len(path.relative_to(ROOT).parts) <= depth + 2
    ]
    assert sorted(folders_in_the_tree()) == sorted(existing)


def test_the_layers_are_those_that_import_linter_checks():
    rows = dict(re.findall(r"^\| `(parley\.\w+)` \| (.+) \|$", TEXT, re.MULTILINE))
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    layers = {
        container: " > ".join(re.sub(r" [|:] ", ", ", layer) for layer in each["layers"])
        for each in tools["importlinter"]["contracts"]
        for container in each.get("containers", [])
        if container.count(".") == 1
    }
    assert rows == layers


def test_names_beside_a_file_are_defined_in_it():
    found = [
        (document, path, each)
        for document, text in documents().items()
        for path, several in NAMED.findall(text)
        for each in re.findall(r"`([^`]+)`", several)
    ]
    assert len(found) > 10
    assert [place for place in found if place[2] not in definitions(ROOT / place[1])] == []
