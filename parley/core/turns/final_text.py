"""What a person reads at the end of a turn."""

from collections.abc import Sequence

from parley.core.attachments.download import SkippedAttachment
from parley.core.attachments.spoken_words import marked_words
from parley.core.inbound.batching import QueuedMessage
from parley.core.inbound.speakers import escape_marks, under_speakers
from parley.core.model.attachments import UnreadFile, UnreadReason, UnsentReason
from parley.core.model.errors import FailureCause
from parley.core.model.types import Outcome, RunEnded
from parley.core.texts import Sentence, say

_ENDINGS = {
    Outcome.EMPTY: Sentence.ANSWER_EMPTY,
    Outcome.CANCELLED: Sentence.ANSWER_STOPPED,
    Outcome.FAILED: Sentence.ANSWER_FAILED,
}

_CAUSES = {
    FailureCause.STEPS: Sentence.FAILED_STEPS,
    FailureCause.RATE: Sentence.FAILED_RATE,
    FailureCause.LENGTH: Sentence.FAILED_LENGTH,
    FailureCause.KEY: Sentence.FAILED_KEY,
    FailureCause.BLOCKED: Sentence.FAILED_BLOCKED,
}

_TROUBLES = {
    UnreadReason.UNKNOWN: Sentence.FILE_UNKNOWN,
    UnreadReason.TOO_LARGE: Sentence.FILE_TOO_LARGE,
    UnreadReason.BROKEN: Sentence.FILE_BROKEN,
    UnreadReason.LOCKED: Sentence.FILE_LOCKED,
    UnreadReason.EMPTY: Sentence.FILE_EMPTY,
    UnreadReason.SLOW: Sentence.FILE_SLOW,
    UnreadReason.NO_IMAGES: Sentence.FILE_NO_IMAGES,
}

_UNSENT = {
    UnsentReason.TOO_LARGE: Sentence.FILE_UNSENDABLE,
    UnsentReason.NOT_FETCHED: Sentence.FILE_NOT_FETCHED,
    UnsentReason.BROKEN: Sentence.FILE_BROKEN,
    UnsentReason.TOO_MANY: Sentence.FILE_TOO_MANY,
}


_UNHEARD = "[A voice message could not be turned into text.]"


def render_final_text(
    language: str,
    ended: RunEnded,
    reason: Sentence | None,
    left_out: Sequence[SkippedAttachment],
    unread: Sequence[UnreadFile] = (),
    notes: Sequence[str] = (),
    *,
    reference: str,
    heard: str = "",
) -> str:
    """What was `heard` of a voice message, the agent's words, then how the turn ended where that is not
    plain, then its files that do not come, then those it went without or did not read whole, then `notes`.

    `reason` replaces the usual sentence of a failure. `reference` finds the turn in the log. What a run asks
    comes in messages of its own.
    """
    parts = [heard, ended.text]
    ending = reason or _CAUSES.get(ended.cause) or _ENDINGS.get(ended.outcome)
    if ended.outcome is Outcome.EMPTY and (ended.files or ended.unsent):
        ending = None
    if ending is not None:
        parts.append(say(language, ending, reference=reference))
    if ended.outcome is Outcome.ASKED and not ended.text.strip():
        parts.append(say(language, Sentence.QUESTION_ASKED))
    for file in ended.unsent:
        unsent = say(language, _UNSENT[file.reason])
        parts.append(say(language, Sentence.FILE_LEFT_OUT, name=file.name, reason=unsent))
    parts.extend(say(language, Sentence.FILE_LEFT_OUT, name=f.name, reason=f.told) for f in left_out)
    parts.extend(_unread(language, each) for each in unread)
    parts.extend(notes)
    return "\n\n".join(part for part in parts if part.strip())


def _unread(language: str, file: UnreadFile) -> str:
    if file.trouble is UnreadReason.CUT:
        return say(language, Sentence.FILE_CUT, name=file.name)
    reason = say(language, _TROUBLES[file.trouble])
    return say(language, Sentence.FILE_LEFT_OUT, name=file.name, reason=reason)


def render_text_for_agent(
    burst: Sequence[QueuedMessage],
    left_out: Sequence[SkippedAttachment],
    *,
    speakers: bool,
    unheard: bool = False,
) -> str:
    """Return what people wrote under what they reply to, and which of their files the agent does not get.

    What they said instead stands between marks; `unheard` says that some of it has no words. With `speakers`,
    and wherever several wrote it, their words stand under marks that say whose they are.
    """
    messages = [accepted.message for accepted in burst]
    marked = speakers or len({message.sender.id for message in messages}) > 1
    # Another turn of the group may have marks: none is forged in this one.
    escaped = marked or not messages[0].private
    quoted = "\n".join(dict.fromkeys(message.quoted for message in messages if message.quoted))
    quote = "\n".join(f"> {line}" for line in quoted.splitlines())
    if escaped:
        quote = escape_marks(quote)
    if marked:
        text = under_speakers((message.sender, marked_words(message, escaped=True)) for message in messages)
    else:
        words = (marked_words(message, escaped=escaped) for message in messages)
        text = "\n".join(each for each in words if each.strip())
    notes = [f"[The file {_plain(file.name)} could not be read: {file.reason}]" for file in left_out]
    if unheard:
        notes.append(_UNHEARD)
    return "\n\n".join(part for part in (quote, text, "\n".join(notes)) if part)


def _plain(name: str) -> str:
    """A file's name that cannot end the note it stands in."""
    return escape_marks(name.replace("[", "(").replace("]", ")"))
