"""Every sentence that people see, in English and Chinese."""

from parley.core.texts import en, memory_en, memory_zh, page_en, page_zh, setup_en, setup_zh, zh
from parley.core.texts.agent_sentences import EN, ZH, AgentSentence
from parley.core.texts.keys import Sentence
from parley.core.texts.memory_keys import MemorySentence
from parley.core.texts.page_keys import PageSentence
from parley.core.texts.setup_keys import SetupSentence

CATALOGUE = {"en": en.TEXTS, "zh": zh.TEXTS}
AGENT_CATALOGUE = {"en": EN, "zh": ZH}
MEMORY_CATALOGUE = {"en": memory_en.TEXTS, "zh": memory_zh.TEXTS}
PAGE_CATALOGUE = {"en": page_en.TEXTS, "zh": page_zh.TEXTS}
SETUP_CATALOGUE = {"en": setup_en.TEXTS, "zh": setup_zh.TEXTS}

__all__ = [
    "AGENT_CATALOGUE",
    "CATALOGUE",
    "MEMORY_CATALOGUE",
    "PAGE_CATALOGUE",
    "SETUP_CATALOGUE",
    "AgentSentence",
    "MemorySentence",
    "PageSentence",
    "Sentence",
    "SetupSentence",
    "language_of",
    "language_said",
    "say",
    "says",
]


def language_of(*tags: str) -> str:
    """Return the first of `tags` (BCP 47) that the catalogue speaks, else English."""
    for tag in tags:
        language = tag.lower().replace("_", "-").split("-")[0]
        if language in CATALOGUE:
            return language
    return "en"


def say(language: str, sentence: Sentence | MemorySentence | AgentSentence, **values: object) -> str:
    """Return the sentence in `language`, its named places filled."""
    if isinstance(sentence, MemorySentence):
        return MEMORY_CATALOGUE[language][sentence].format(**values)
    if isinstance(sentence, AgentSentence):
        return AGENT_CATALOGUE[language][sentence].format(**values)
    return CATALOGUE[language][sentence].format(**values)


def language_said(text: str, sentence: Sentence) -> str:
    """Return the language in which a text is this sentence, which has no places to fill; "" for another."""
    return next((each for each in CATALOGUE if text == say(each, sentence)), "")


def says(text: str, sentence: Sentence) -> bool:
    """Return whether a text has this sentence, up to its first place to fill, in any language."""
    return any(texts[sentence].partition("{")[0] in text for texts in CATALOGUE.values())
