"""What the settings say of the messages before a mention."""

from parley.app.settings.core_options import core_options
from parley.core.model.address import Conversation
from parley.core.model.options import ContextOptions, ContextPeople, ContextScope
from tests.kit.settings_reading import mistakes, settings

BOT = "channels: {telegram: {bot_token: $BOT, %s}}"


def earlier(text: str, chat: str = "-1") -> ContextOptions:
    """What holds in a chat."""
    channel = core_options(settings(BOT % text, BOT="123:abc")).channels["telegram"]
    return channel.at(Conversation("telegram", chat)).earlier


def test_by_default_a_mention_brings_its_thread() -> None:
    assert earlier("admins: []") == ContextOptions(ContextScope.THREAD, 2000, 86_400.0, ContextPeople.ALLOWED)


def test_every_key_may_be_set_for_a_channel_and_off_needs_no_quotes() -> None:
    every = "context_messages: chat, context_tokens: 500, context_age: 60, context_from: everyone"
    assert earlier(f"{every}, context_bots: false") == ContextOptions(
        ContextScope.CHAT, 500, 60.0, ContextPeople.EVERYONE, bots=False
    )
    assert earlier("context_messages: off").scope is ContextScope.OFF


def test_a_chat_changes_the_keys_that_it_has() -> None:
    chats = "context_tokens: 500, chats: {'-1': {context_messages: off}, '-2': {context_age: 60}}"
    assert earlier(chats) == ContextOptions(ContextScope.OFF, 500)
    assert earlier(chats, "-2") == ContextOptions(ContextScope.THREAD, 500, 60.0)


def test_what_nobody_could_mean_is_a_mistake() -> None:
    for wrong in ("context_messages: on", "context_tokens: 5", "context_age: 1", "context_from: [ann]"):
        assert mistakes(BOT % wrong, BOT="123:abc"), wrong
