"""No pattern that meets text from outside takes more time than its text is long, whatever the text is.

Python's `re` tries every way to match and holds the interpreter all the while: one bad pattern and one small
text stop everything, threads or not. A pattern that fails here is made linear: by possessive quantifiers and
bounds, by a lookbehind that keeps a search from beginning within a run, or by scanning by hand.
"""

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from parley.memory.learning.extraction import prompts
from parley.memory.learning.extraction.personal_signs import load_forms
from parley.memory.learning.extraction.statements import load_statements
from parley.memory.text import instructions
from tests.attacks import reachable_patterns
from tests.attacks.pathological_texts import hostile_texts
from tests.attacks.reachable_patterns import PACKAGES, Reachable
from tests.attacks.time_growth import steep
from tests.kit.checkout import dotted, modules, name

pytestmark = pytest.mark.attacks

MOST = 4_096
OUR_OWN = {
    "parley.app.settings.parsing.variables:_VARIABLE": "reads config.yaml, which its operator writes",
}
"""What no text from outside reaches, and why."""

SECRETS = ("s3cret", "an-other.one", "a b c")
MADE: Mapping[str, str | Sequence[str | re.Pattern[str]]] = {
    "parley.server.demo.intents:_when: pattern.replace('.*', '.{0,200}')": "stands in _INTENTS",
    "parley.memory.text.lazy_pattern:compiled: self._source()": "stands where the pattern has its name",
    "parley.memory.learning.extraction.statements:_rule: compiled": [
        rule.pattern for language in load_statements() for rule in language.rules
    ],
    "parley.memory.learning.extraction.statements:load_statements: given['before']": [
        language.greeting for language in load_statements()
    ],
    "parley.memory.learning.extraction.statements:_any_of: '|'.join(map(re.escape, words.split()))": [
        language.never for language in load_statements()
    ],
    "parley.memory.learning.extraction.statements:_any_of: f\"\\\\b(?:{'|'.join(parts)})\"": [
        language.vague for language in load_statements()
    ],
    **{
        f"parley.memory.learning.extraction.personal_signs:{function}: frame.format(given[name])": [
            pattern
            for forms in load_forms()
            for pattern in (forms.before, forms.asks, forms.opens, forms.ends, forms.idle, forms.own)
        ]
        for function in ("_forms", "compiled")
    },
    "parley.memory.text.instructions:_pattern: f'{spaced}|{_any_of(unspaced)}'": [
        instructions._pattern(*sections)
        for sections in (
            instructions._WORDS,
            *((name,) for name in (*instructions._MATTERS, *instructions._WORDS)),
        )
    ],
    "parley.memory.text.instructions:_name_patterns: f'(?i:{_head(form)}){_NAME}(?i:{_tail(form)})'": (
        instructions._name_patterns()
    ),
    "parley.app.process.logs:mask_pattern: '|'.join(map(re.escape, longest_first))": [
        "|".join(map(re.escape, SECRETS))
    ],
    "parley.channels.dingtalk.inbound.message_parser:"
    "_without_us: f'@{re.escape(name)}(?!\\\\w)[ \\\\u2005]?'": [
        rf"@{re.escape(bot)}(?!\w)[ \u2005]?" for bot in ("Parley", "a a", "@@")
    ],
    "parley.channels.kit.markdown.split:_dedented: f'^[ \\\\t]{{1,{width}}}'": [r"(?m)^[ \t]{1,40}"],
    "parley.channels.slack.formatting:readable_text: f'<@{re.escape(bot)}(?:\\\\|[^<>]*)?>'": [
        r"<@U0123(?:\|[^<>]*)?>"
    ],
    "parley.memory.learning.extraction.signals:read_signals: line": [
        each for patterns in prompts.load_prompts().signals.patterns.values() for each in patterns
    ],
}
"""Patterns that functions put together: such as they make, or where they are found."""

SOURCES = {
    dotted(path): path
    for path in modules(*PACKAGES)
    if "import re\n" in path.read_text("utf-8") and path.name != "__main__.py"
}
# Those that made a process stand still, as they were.
_DASHES = r"[ \t]*:?-+:?[ \t]*"
ONCE: Mapping[str, tuple[Any, str]] = {
    "kinds": (rb"(?is)\s*(<!--.*?-->\s*|<\?xml.*?\?>\s*)*<(!doctype html|html)\b", "match"),
    "marks": (r"(?m)^\[(?:Attached file \".*\" \(.*\), \d+ bytes: .*|cut here: .*)\]$\n?", "finditer"),
    "rules": (r"(?i),?\s+(?:and|but)\s+(?=(?:i|my|i'm)\b)|,\s+(?=(?:i|my) )|[，,](?=我)", "finditer"),
    "smalltalk": (r"[?？]\W*$", "search"),
    "dingtalk": (r"@\S+\s+(?=/\w)", "finditer"),
    "feishu": (rf"[ \t]*(?:\|?{_DASHES}(?:\|{_DASHES})+\|?|\|{_DASHES}\|)[ \t]*\Z", "match"),
    "demonstration": (r"(?s)<memory\b[^>]*>(.*?)</memory>", "finditer"),
    "uploads": (r"^\W*(?:uploaded|attached)\b.*\b[\w()-]+\.(?!com\b)[a-z][a-z0-9]{1,4}\b", "search"),
    "postgres": (r"role .* does not exist", "search"),
    "sentences": (r"[.!?]+[\"')\]]*(?=\s)\s*|\n+\s*", "finditer"),
    "acknowledgements": (r"(?:(?:可以啊|可以|是啊|是|啊) ?)+", "fullmatch"),
    "thoughts": (r"(?si)<(think|thinking|reasoning)>.*?</\1>", "finditer"),
}


@pytest.mark.parametrize("module", SOURCES)
def test_the_worst_texts_for_a_pattern_take_time_that_grows_as_they_do(module):
    found = [*reachable_patterns.of_module(module), *reachable_patterns.in_functions(module)]
    wrong = [judged(each) for each in found if each.place not in OUR_OWN]
    assert [each for each in wrong if each is not None] == []


@pytest.mark.parametrize("place", [place for place in MADE if not isinstance(MADE[place], str)])
def test_so_it_is_with_patterns_that_functions_put_together(place):
    for pattern in MADE[place]:
        made = re.compile(pattern)
        for use in ("fullmatch", "finditer"):
            assert judged(Reachable(place, made.pattern, made.flags, (use,))) is None, made.pattern


def test_every_pattern_is_looked_at():
    """No pattern hides in a module that this one does not look into, and none is made that has no example."""
    elsewhere = {
        each.place for module in reachable_patterns.names() for each in reachable_patterns.of_module(module)
    } - {each.place for module in SOURCES for each in reachable_patterns.of_module(module)}
    assert elsewhere == set()
    assert {place for module in SOURCES for place in reachable_patterns.put_together(module)} == set(MADE)
    assert sum(len([*reachable_patterns.of_module(module)]) for module in SOURCES) > 120


def test_what_is_left_out_is_there_and_needs_it():
    for place in OUR_OWN:
        (found,) = [
            each for each in reachable_patterns.of_module(place.partition(":")[0]) if each.place == place
        ]
        assert any(map(judged, [found] * 5)), f"{place} is linear: it needs no exemption"


@pytest.mark.parametrize("which", ONCE)
def test_a_pattern_that_was_bad_is_found_to_be_so(which):
    made, use = re.compile(ONCE[which][0]), ONCE[which][1]
    assert any(map(judged, [Reachable(which, made.pattern, made.flags, (use,))] * 5))


def test_no_module_takes_its_patterns_from_elsewhere():
    """`from re import ...` and other engines would go unseen."""
    found = {
        f"{name(path)}:{node.lineno}"
        for path in modules(*PACKAGES)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if (isinstance(node, ast.ImportFrom) and node.module in ("re", "regex"))
        or (isinstance(node, ast.Import) and any(each.name == "regex" for each in node.names))
        or (isinstance(node, ast.alias) and node.name == "re" and node.asname)
    }
    assert found == set()


def judged(found):
    """What is wrong with a pattern: None where it is linear on all that is made out of it."""
    pattern = re.compile(found.pattern, found.flags)
    for use in found.uses:
        method = getattr(pattern, use)
        for hostile in hostile_texts(found.pattern, found.flags):
            wrong = steep(
                all_of(method) if use == "finditer" else method, texts(hostile, found.pattern), MOST
            )
            if wrong is not None:
                return f"{found.place} .{use}: {wrong}, {hostile}"
    return None


def texts(hostile, pattern):
    if isinstance(pattern, str):
        return hostile.text
    return lambda count: hostile.text(count).encode("latin-1", "replace")


def all_of(method):
    def work(text):
        for _ in method(text):
            pass

    return work
