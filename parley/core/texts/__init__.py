"""Every sentence that people see, in English and Chinese."""

from parley.core.texts import en, page_en, page_zh, zh
from parley.core.texts.keys import Sentence
from parley.core.texts.page_keys import PageSentence

CATALOGUE = {"en": en.TEXTS, "zh": zh.TEXTS}
PAGE_CATALOGUE = {"en": page_en.TEXTS, "zh": page_zh.TEXTS}

__all__ = ["CATALOGUE", "PAGE_CATALOGUE", "PageSentence", "Sentence", "language_of", "say"]


def language_of(*tags: str) -> str:
    """Return the first of `tags` (BCP 47) that the catalogue speaks, else English."""
    for tag in tags:
        language = tag.lower().replace("_", "-").split("-")[0]
        if language in CATALOGUE:
            return language
    return "en"


def say(language: str, sentence: Sentence, **values: object) -> str:
    """Return the sentence in `language`, its named places filled."""
    return CATALOGUE[language][sentence].format(**values)
