"""/feedback: what somebody thinks of an answer, in words; the way where there are no thumbs."""

from __future__ import annotations

from parley.core.commands.context import CommandContext
from parley.core.feedback.presses import press_item
from parley.core.model.address import account_key
from parley.core.model.codec import decode
from parley.core.model.feedback import FEEDBACK_QUESTION, FeedbackChoice, FeedbackPrompt
from parley.core.model.questions import Click
from parley.core.state.feedback import load_answer, prompt_key
from parley.core.texts import Sentence
from parley.core.texts.typed_words import FEEDBACK_WORDS


async def feedback(context: CommandContext, rest: str) -> str:
    """Rate the answer that was asked about, else the last one of the conversation."""
    services, message = context.services, context.message
    word, _, words = rest.partition(" ")
    choice = _choice_of(word)
    turn = await _turn_asked_about(context)
    if not turn and not services.channel_options(message).feedback:
        return context.say(Sentence.FEEDBACK_OFF)
    if choice is None:
        return context.say(Sentence.FEEDBACK_HOW)
    turn = turn or (await services.conversations.read(message.conversation))[0].rateable
    if not turn or (await load_answer(services.journal, turn))[0] is None:
        return context.say(Sentence.FEEDBACK_NOTHING)
    click = Click(
        id=f"message:{message.id}",
        question=f"{FEEDBACK_QUESTION}{turn}",
        option=choice,
        sender=message.sender,
        conversation=message.conversation,
        private=message.private,
        text=words,
    )
    await services.journal.put(press_item(click))
    return context.say(Sentence.FEEDBACK_NOTED)


def _choice_of(word: str) -> FeedbackChoice | None:
    said = word.casefold().strip(".,!:：，。！")
    return next((FeedbackChoice(each) for each, known in FEEDBACK_WORDS.items() if said in known), None)


async def _turn_asked_about(context: CommandContext) -> str:
    """Return the turn that the message replied to asked about; "" where it asked this person nothing."""
    message = context.message
    if not message.replies_to:
        return ""
    key = prompt_key(message.conversation.channel, message.replies_to)
    body = (await context.services.journal.get(key)).body
    prompt = decode(FeedbackPrompt, body) if body else None
    if prompt is None or account_key(prompt.user) != account_key(message.sender):
        return ""
    return prompt.turn
