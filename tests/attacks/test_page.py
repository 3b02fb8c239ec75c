"""The page's own script takes no more time than an answer is long: none freezes anybody's browser."""

import json
import re
import shutil
import subprocess
import warnings
from pathlib import Path

import pytest

from parley.channels.web.sentences import sentences_module
from tests.attacks import time_growth
from tests.attacks.pathological_texts import MARKDOWN, hostile_texts
from tests.kit.checkout import ROOT
from tests.kit.machine import patience

PAGE = ROOT / "channels" / "web" / "page"
NODE = shutil.which("node")
LIMITS = {
    "floor": 0.002,
    "steep": time_growth.TOO_STEEP,
    "explodes": time_growth.EXPLODES,
    "first": list(time_growth.FIRST),
}
# A slash begins a pattern where no value can end before it.
LITERAL = re.compile(
    r"(?:(?<=[=(,:!&|?{};\[])|(?<=\breturn)) *+/(?![/*])((?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)/([a-z]*)"
)
PARTS = (
    *(("", part) for part in MARKDOWN),
    *(("", sign) for sign in "*_~`[]()!<\\h#\n|-"),
    *(
        ("` ", "a"),
        ("# ", "#a"),
        ("# ", "#"),
        ("[a](b ", " "),
        ("http://a", "!"),
        ("http://a", "!a"),
        ("|\n", "-"),
    ),
    *(
        ("", "[a]("),
        ("", "[a](("),
        ("", "``"),
        ("", "*a **b "),
        ("", "<a"),
        ("|\n", " "),
        ("", "- "),
        ("", "http://"),
    ),
)
# As they were: both made a page stand still.
ONCE = (r"^ .*[^ ].* $", r"#+$", r"^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")

pytestmark = [
    pytest.mark.attacks,
    pytest.mark.skipif(NODE is None, reason="Node is not here: the page's script is not timed"),
]


def patterns():
    """The patterns that stand in the page's script."""
    for path in sorted(PAGE.rglob("*.js")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if not line.lstrip().startswith("//"):
                yield from ((f"{path.name}:{number}", *found) for found in LITERAL.findall(line))


def asked(place, source, flags):
    with warnings.catch_warnings():
        # What Python may read as a set of sets some day is none in JavaScript.
        warnings.simplefilter("ignore", FutureWarning)
        texts = hostile_texts(re.sub(r"\\p\{\w+\}", r"\\w", source))
        return {
            "place": place,
            "source": source,
            "flags": flags,
            "texts": [(each.before, each.repeated, each.after) for each in texts],
        }


def told(question):
    """What is steep, as Node finds it."""
    program = Path(__file__).with_name("page_growth.mjs")
    done = subprocess.run(
        [str(NODE), str(program)],
        input=json.dumps({"limits": LIMITS, "most": 8_192, "mostShown": 16_384, **question}),
        capture_output=True,
        text=True,
        timeout=patience(50),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def told_each_time(question):
    """What is steep each time: a neighbour of the processor makes one measurement wrong, but not three."""
    found = []
    for _ in range(3):
        found = told(question)
        if not found:
            break
    return found


def test_the_patterns_of_the_page_are_linear():
    found = list(patterns())
    assert len(found) > 25
    assert told_each_time({"patterns": [asked(*each) for each in found]}) == []


def test_what_the_page_shows_of_an_answer_is_drawn_in_linear_time(tmp_path):
    # A folder of its own, where Node takes the files for the modules that they are.
    shutil.copytree(PAGE, tmp_path / "page")
    (tmp_path / "package.json").write_text('{"type": "module"}', "utf-8")
    (tmp_path / "page" / "kit" / "sentences.js").write_text(sentences_module(), "utf-8")
    assert told_each_time({"patterns": [], "page": (tmp_path / "page").as_uri(), "parts": PARTS}) == []


def test_patterns_that_froze_a_page_are_found():
    question = {"patterns": [asked("once", each, "") for each in ONCE]}
    assert any(len(told(question)) == len(ONCE) for _ in range(5))


def test_a_script_has_no_pattern_that_is_not_seen():
    """Patterns made from texts would go unseen."""
    made = [path.name for path in PAGE.rglob("*.js") if "RegExp(" in path.read_text("utf-8")]
    assert made == []
