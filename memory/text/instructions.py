"""Standing instructions: what a person wants of every answer, in style, language and format only.

A list allows them: every word must be of `memory/data/instruction_words.txt`. Whatever else orders the
assistant about stays a quotation (`memory/learning/orders.py`), as no list of what harms is ever complete.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache
from importlib.resources import files

from parley.core.inbound.look_alikes import fold_look_alikes
from parley.memory.text.search_terms import UNSPACED
from parley.memory.text.sentences import split_sentences

LONGEST_INSTRUCTION = 160
"""Characters of an instruction; longer ones are rarely about style alone."""
_LONGEST_OWN = 400
_FOREIGN = re.compile(r"[\"“”„«»「」『』`<>{}]|^[ \t]*+[>|#]|:[ \t\r]*+\n", re.MULTILINE)
_WORDS = ("every time", "answers", "style", "languages", "other")
_EDGES = " \t.!。！,，、"
_PLAIN = re.compile(r"[\w\s,.!，。！、;:'’*+/%°-]*")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_AMOUNT = re.compile(r"\b[0-9]{1,3}\b")
# As people write names: up to three words with capital letters, or one short word of a script without them.
_CAPITAL = f"[^\\W\\d_a-zß-öø-ÿа-яё{UNSPACED}]"
_LATIN, _LOOKS_LATIN = re.compile("[A-Za-z]"), re.compile("[\u0370-\u052f]")
_NAME = (
    rf"(?P<name>{_CAPITAL}[^\W_{UNSPACED}]{{0,19}}(?:[ '-]{_CAPITAL}[^\W_{UNSPACED}]{{0,19}}){{0,2}}"
    rf"|[{UNSPACED}]{{1,5}})"
)
# How words of the list may go on: as they are inflected, and not as another word.
_ENDING_WORDS = """
    e en em er es ere eren erer eres erem n s st x a as o os i amente emente mente ment ments eau eaux ada
    adas ado ados ata ate ati ato té ée ées és iert ique iques ly ed
"""
_ENDINGS = "|".join(_ENDING_WORDS.split())
# What two instructions may not both say.
_MATTERS = ("languages", "lengths", "forms of address")


def is_standing_instruction(sentence: str) -> bool:
    """Return whether a sentence asks for a style, a language, a format or a name, and for nothing else."""
    text = _plain(sentence)
    if not text:
        return False
    return _asks_for_name(text) or (_asks_for_style(text) and not _is_left_over(text))


def says_every_time(sentence: str) -> bool:
    """Return whether a sentence says that it holds for all answers, rather than for this one."""
    text = _plain(sentence)
    return bool(text) and (_asks_for_name(text) or bool(_pattern("every time").search(text)))


def is_plain_message(message: str) -> bool:
    """Return whether a message is short, and its author's own: no long text, quotation or listing."""
    return len(message) <= _LONGEST_OWN and not _FOREIGN.search(message)


def standing_instructions(message: str) -> list[str]:
    """Return the sentences of a short, plain message that say what its author wants of every answer."""
    return [
        sentence
        for sentence in (map(str.strip, split_sentences(message)) if is_plain_message(message) else ())
        if is_standing_instruction(sentence) and says_every_time(sentence)
    ]


def is_same_matter(one: str, two: str) -> bool:
    """Return whether two instructions are about the same thing, so that only the later one can hold."""
    texts = (one[:LONGEST_INSTRUCTION], two[:LONGEST_INSTRUCTION])
    if all(map(_asks_for_name, map(_plain, texts))):
        return True
    return any(all(_pattern(name).search(text) for text in texts) for name in _MATTERS)


def _plain(sentence: str) -> str:
    """Return a short text of words only, without its edges; empty where it is anything else."""
    if len(sentence) > 2 * LONGEST_INSTRUCTION:
        return ""
    text = " ".join(sentence.replace("’", "'").split()).strip(_EDGES)
    return text if len(text) <= LONGEST_INSTRUCTION and _PLAIN.fullmatch(text) else ""


def _asks_for_style(text: str) -> bool:
    styled = _pattern("style").search(text) or _pattern("languages").search(text)
    return bool(styled and _pattern("answers").search(text))


def _asks_for_name(text: str) -> bool:
    """Return whether a text asks to be called by a name, apart from words such as "please"."""
    for pattern in _name_patterns():
        match = pattern.search(text)
        if match is None or not _is_name(match["name"]):
            continue
        if not _is_left_over(text[: match.start()] + " " + text[match.end() :]):
            return True
    return False


def _is_name(text: str) -> bool:
    """Return whether a text may be somebody's name: no office, no order, and no word of two scripts."""
    if any(_LATIN.search(word) and _LOOKS_LATIN.search(word) for word in text.split()):
        return False
    folded = fold_look_alikes(text)
    readings = (text, folded, re.sub(r"[\s'-]", "", folded), re.sub(r"['-]", " ", folded))
    return not any(map(_pattern("no name").search, readings))


def _is_left_over(text: str) -> bool:
    """Return whether any word of a text, amounts aside, is not in the list."""
    return any(map(str.isalnum, _pattern(*_WORDS).sub(" ", _AMOUNT.sub(" ", text))))


@cache
def _pattern(*sections: str) -> re.Pattern[str]:
    """Return a pattern of the words of some sections, the longest first."""
    words = {word for section in sections for line in _sections()[section] for word in line.split()}
    unspaced = {word for word in words if _UNSPACED.search(word)}
    begun = {word for word in words - unspaced if word.endswith("*")}
    whole = words - unspaced - begun
    # What allows nothing may go on as it likes.
    ending = rf"(?:{_ENDINGS})?(?![\w-])" if set(sections) <= {*_WORDS} else r"\w*+"
    # One look behind for all: one for each word made the pattern a hundred times as slow.
    spaced = rf"(?<![\w-])(?:{_any_of(whole)}(?![\w-])|{_any_of(begun)}{ending})"
    return re.compile(rf"{spaced}|{_any_of(unspaced)}", re.IGNORECASE)


def _any_of(words: Collection[str]) -> str:
    """Return a pattern of words, the longest first; what nothing matches for none."""
    found = sorted(
        (word.removesuffix("*").replace("_", " ") for word in words), key=lambda word: (-len(word), word)
    )
    return f"(?:{'|'.join(map(re.escape, found))})" if found else "(?!)"


@cache
def _name_patterns() -> tuple[re.Pattern[str], ...]:
    forms = (form.strip() for line in _sections()["names"] for form in line.split("|"))
    return tuple(re.compile(rf"(?i:{_head(form)}){_NAME}(?i:{_tail(form)})") for form in forms)


def _head(form: str) -> str:
    head = form.partition("{name}")[0].replace("_", " ")
    return re.escape(head) if not head or _UNSPACED.search(head) else rf"(?<![\w-]){re.escape(head)}"


def _tail(form: str) -> str:
    tail = form.partition("{name}")[2].replace("_", " ")
    return re.escape(tail)


@cache
def _sections() -> dict[str, list[str]]:
    return dict(
        _read_sections(files("parley.memory").joinpath("data/instruction_words.txt").read_text("utf-8"))
    )


def _read_sections(text: str) -> Iterator[tuple[str, list[str]]]:
    for part in text.split("\n[")[1:]:
        name, _, lines = part.partition("]\n")
        yield name, [line for line in lines.splitlines() if line]
