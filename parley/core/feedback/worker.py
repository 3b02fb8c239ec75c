"""What happens to feedback, one piece of work at a time: kept and passed on, or asked words for."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from parley.core.delivery.delivery import Delivery
from parley.core.feedback.presses import FeedbackWork, is_about
from parley.core.inbound.access import may_talk
from parley.core.model.address import Conversation, account_key
from parley.core.model.codec import decode, encode
from parley.core.model.errors import DeliveryRejected, DocumentConflict
from parley.core.model.feedback import (
    MOST_COMMENT,
    AnswerWithButtons,
    CommentWay,
    Feedback,
    FeedbackChoice,
    FeedbackPrompt,
    rated_turn,
    words_prompt,
)
from parley.core.model.questions import Click
from parley.core.model.queues import feedback_delivery_queue, feedback_queue
from parley.core.model.sanitize import sanitize_text
from parley.core.model.types import OutboundMessage, ReplyTarget
from parley.core.ports.journal import Claim, Document, NewQueueItem
from parley.core.services import CoreServices
from parley.core.state.feedback import (
    decode_feedback,
    feedback_key,
    is_disliked,
    load_answer,
    prompt_key,
    replace_feedback,
)
from parley.core.state.people import load_chosen_language
from parley.core.texts import Sentence, language_of, say

log = logging.getLogger(__name__)


async def handle_feedback(services: CoreServices, claim: Claim) -> None:
    """Do the lane's first piece of work. Raises LaneLost, StoreUnavailable."""
    work = decode(FeedbackWork, claim.items[0].body)
    if work.prompt is not None:
        await _ask_for_words(services, claim, work.prompt)
    elif work.click is not None:
        await _keep(services, claim, work.click)
    else:
        await services.journal.done(claim, claim.items[:1])


async def _keep(services: CoreServices, claim: Claim, click: Click) -> None:
    """Keep what was pressed, and again as often as somebody else was quicker."""
    while True:
        with suppress(DocumentConflict):
            return await _try_to_keep(services, claim, click)


async def _try_to_keep(services: CoreServices, claim: Claim, click: Click) -> None:
    """Keep what was pressed, in one transaction with the work that tells the services.

    Nothing is kept for who may not talk any more, or of an answer that is gone: its document is written too,
    so that one that is deleted in this moment is a conflict.
    """
    journal, (item, *_), turn = services.journal, claim.items, rated_turn(click)
    answer, noted = await load_answer(journal, turn)
    before = now = None
    if answer is not None and _counts(services, click, answer):
        now = _feedback_of(click, answer, item.put_at)
        document = await journal.get(feedback_key(now.account, turn))
        before = decode_feedback(document)
        now = replace_feedback(before, now)
    if now is None:
        await journal.done(claim, [item])
        return
    await journal.done(
        claim,
        [item],
        documents=[noted, replace(document, body=encode(now))],
        puts=[*_deliveries(services, now), *_prompts(services, click, now)],
    )
    if before is None or before.choice is not now.choice:
        services.deliveries.count_feedback(click.conversation.channel, now.choice)


def _counts(services: CoreServices, click: Click, answer: AnswerWithButtons) -> bool:
    options = services.options.channels[click.conversation.channel]
    may = may_talk(options, click.sender, click.conversation, services.pairing)
    return may and answer.rateable and is_about(click, answer)


def _feedback_of(click: Click, answer: AnswerWithButtons, at: float) -> Feedback:
    """Return what a press says. Its time is the store's: nodes may differ in theirs."""
    choice = FeedbackChoice(click.option)
    words = sanitize_text(click.text[:MOST_COMMENT]).strip() if choice is FeedbackChoice.DOWN else ""
    return Feedback(
        account_key(click.sender),
        rated_turn(click),
        answer.conversation,
        choice,
        at,
        words,
        answer.run_id,
        answer.thread,
    )


def _deliveries(services: CoreServices, feedback: Feedback) -> Sequence[NewQueueItem]:
    """Return the work that tells each service; what waits there about the same answer is replaced."""
    lane, body = f"{feedback.account}/{feedback.turn}", encode(feedback)
    return [
        NewQueueItem(feedback_delivery_queue(name), lane, body, slot="feedback")
        for name in services.options.feedback_destinations
    ]


def _prompts(services: CoreServices, click: Click, feedback: Feedback) -> Sequence[NewQueueItem]:
    """Return the work that asks for words: of a bad answer, in a private chat, where that is the way."""
    place = click.conversation
    by_reply = services.channels[place.channel].capabilities.comments is CommentWay.REPLY
    if feedback.choice is FeedbackChoice.UP or feedback.comment or not (by_reply and click.private):
        return ()
    prompt = FeedbackPrompt(feedback.turn, place.key, click.sender, feedback.at)
    lane = f"{feedback.account}/{feedback.turn}/words"
    body = encode(FeedbackWork(prompt=prompt))
    return [NewQueueItem(feedback_queue(place.channel), lane, body, f"words:{lane}")]


async def _ask_for_words(services: CoreServices, claim: Claim, prompt: FeedbackPrompt) -> None:
    """Ask what was wrong, and keep what a reply to it is about."""
    item, handle = claim.items[0], claim.items[0].note
    account, place = account_key(prompt.user), Conversation.parse(prompt.conversation)
    if not await is_disliked(services.journal, account, prompt.turn):
        await services.journal.done(claim, [item])
        return

    async def keep(note: str) -> None:
        nonlocal handle
        handle = note
        await services.journal.note(claim, item.id, note)

    chosen = await load_chosen_language(services.journal, prompt.user)
    options = services.options.channels[place.channel]
    text = say(language_of(chosen, options.language, prompt.user.language), Sentence.FEEDBACK_ASK)
    key = hashlib.sha256(f"{account}/{prompt.turn}".encode()).hexdigest()[:32]
    channel = services.channels[place.channel]
    message = OutboundMessage(key, place, "", text, final=True, question=words_prompt(prompt.turn, text))
    target = ReplyTarget(key, place, "", prompt.user, private=True, handle=handle)
    documents: list[Document] = []
    try:
        receipt = await Delivery(
            channel.open_reply(target, keep), 0.0, cut=services.deliveries.count_cut
        ).finish(message)
        services.deliveries.count_delivered(message, receipt)
        for sent in receipt.message_ids:
            known = await services.journal.get(prompt_key(place.channel, sent))
            documents.append(replace(known, body=encode(prompt)))
    except DeliveryRejected as error:
        log.info("turn %s: nobody is asked what was wrong with the answer: %s", prompt.turn, error)
        services.deliveries.count_rejected(message)
    await services.journal.done(claim, [item], documents=documents)
