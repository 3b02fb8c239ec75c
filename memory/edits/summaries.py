"""Changes of summaries: replacing a text, merging, and removing sentences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from parley.memory.model.document import MemoryDocument, Summaries, Summary
from parley.memory.text.sentences import split_sentences

# Six of them are some 850 tokens of English: less than half of the usual budget of 2,000.
MOST_OF_SUMMARY = 600
# A rewrite that drops more than this share of the text is taken for an accidental loss.
_MOST_LOST = 0.5


def shorten(text: str, most: int = MOST_OF_SUMMARY) -> str:
    """Return at most `most` characters, cut after a sentence where one ends in the second half."""
    if len(text) <= most:
        return text
    kept = ""
    for sentence in split_sentences(text):
        if len(kept + sentence.rstrip()) > most:
            break
        kept += sentence
    kept = kept.rstrip()
    return kept if len(kept) >= most // 2 else text[: most - 1].rstrip() + "…"


def rewrite_summary(
    summaries: Summaries, name: str, text: str, at: str, *, shrinks: bool = False
) -> Summaries:
    """Return the summaries with one replaced; an unintended collapse changes nothing."""
    old = summaries.get(name)
    new = shorten(text.strip())
    collapsed = len(new) < len(old.text) * (1 - _MOST_LOST)
    if new == old.text or (collapsed and not shrinks):
        return summaries
    return summaries.changed({name: Summary(new, at)})


def merge_summaries(summaries: Summaries, others: Summaries) -> Summaries:
    """Return the summaries, each with the sentences of the other that it lacks, as far as they fit."""
    changes = {}
    for name, other in others.named():
        one = summaries.get(name)
        lacking = "".join(part for part in split_sentences(other.text) if part.strip() not in one.text)
        text = shorten(f"{one.text} {lacking}".strip())
        changes[name] = Summary(text, max(one.updated_at, other.updated_at))
    return summaries.changed(changes)


def drop_summary_sentences(document: MemoryDocument, gone: Callable[[str], bool]) -> MemoryDocument:
    """Return the document with every summary sentence removed that is `gone`."""
    changes = {}
    for name, summary in document.summaries.named():
        kept = drop_sentences(summary.text, gone)
        if kept != summary.text:
            changes[name] = replace(summary, text=kept)
    if not changes:
        return document
    return replace(document, summaries=document.summaries.changed(changes))


def drop_sentences(text: str, gone: Callable[[str], bool]) -> str:
    """Return a text without the sentences that are `gone`; unchanged where there is none."""
    every = split_sentences(text)
    kept = [sentence for sentence in every if not gone(sentence)]
    return text if len(kept) == len(every) else "".join(kept).strip()
