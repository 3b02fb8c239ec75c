"""The categories that facts may have and the topics that summaries are about, as an operator names them.

This is the one place that prompts, the model's schema, rules, tools, imports and the page take them from.
What is stored may have others, of an earlier configuration: they stay, and are read and shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from parley.memory.model.document import SUMMARY_SECTIONS, Category

MOST_CATEGORIES, MOST_TOPICS = 30, 20
MOST_OF_DESCRIPTION = 300
"""Characters of what a model is told about a category or a topic."""

_NAME = re.compile(r"[^\W\d_][\w-]{0,39}")

CATEGORIES: Mapping[str, str] = {
    Category.PREFERENCE.value: "",
    Category.KNOWLEDGE.value: "what they know or are",
    Category.CONTEXT.value: "their situation",
    Category.BEHAVIOR.value: "habits",
    Category.GOAL.value: "",
    Category.CORRECTION.value: "the assistant was wrong, or went about something wrongly; "
    "`sourceError` is the mistake",
    Category.INSTRUCTION.value: "what they want of every answer in style, language or format, in their own "
    'words: "Always answer in bullet points"',
}
"""The usual categories, with what a model is told about them."""
NEEDED = (Category.CORRECTION.value, Category.INSTRUCTION.value)
"""Categories that there always are: they have rules of their own."""
TOPICS: Mapping[str, str] = {
    "workContext": "role, projects, tools",
    "personalContext": "language, interests, life",
    "topOfMind": "what they are busy with now",
    "recentMonths": "",
    "earlierContext": "some months ago",
    "longTermBackground": "what always holds",
}
"""The usual topics of summaries, with what a model is told about them."""

# Categories of other versions of the reference system, and what they are here.
_ELSEWHERE = {
    "identity": Category.CONTEXT.value,
    "decision": Category.CONTEXT.value,
    "constraint": Category.PREFERENCE.value,
    "cognitive": Category.BEHAVIOR.value,
}


def is_name(text: str) -> bool:
    """Return whether a text can be a name: a letter, then at most 39 letters, digits, - or _."""
    return bool(_NAME.fullmatch(text))


def with_descriptions(
    named: Mapping[str, str], usual: Mapping[str, str], needed: tuple[str, ...] = ()
) -> Mapping[str, str]:
    """Return names with descriptions, those of `needed` always; the usual ones where nothing is named."""
    if not named:
        return usual
    always = {name: usual[name] for name in needed if name not in named}
    return {name: text or usual.get(name, "") for name, text in named.items()} | always


@dataclass(frozen=True, slots=True)
class MemoryVocabulary:
    """Categories and topics by name, each with what a model is told about it."""

    categories: Mapping[str, str] = field(default_factory=lambda: CATEGORIES)
    topics: Mapping[str, str] = field(default_factory=lambda: TOPICS)

    @property
    def usual_category(self) -> str:
        """Return the category of what has no better one: `context`, or the first that there is."""
        if Category.CONTEXT in self.categories:
            return Category.CONTEXT.value
        return next((name for name in self.categories if name not in NEEDED), Category.CONTEXT.value)

    def category(self, named: str) -> str:
        """Return the category of this name, without regard to case; the usual one where there is none."""
        folded = {name.casefold(): name for name in self.categories}
        for each in (named.casefold(), _ELSEWHERE.get(named.casefold(), "")):
            if each in folded:
                return folded[each]
        return self.usual_category

    def sections(self) -> Mapping[str, tuple[str, ...]]:
        """Return topics by their section of the document; those of an operator's own are in `user`."""
        history = SUMMARY_SECTIONS["history"]
        return {
            "user": tuple(name for name in self.topics if name not in history),
            "history": tuple(name for name in self.topics if name in history),
        }


USUAL_VOCABULARY = MemoryVocabulary()
