"""Settings as the core takes them."""

from __future__ import annotations

from parley.app.settings.load import Loaded
from parley.channels.kit.config import ChannelConfig, ChatConfig, SessionConfig
from parley.console.options import is_loopback
from parley.core.options import ChannelOptions, ChatOptions, Mention, OnEdit, Options, WhenBusy
from parley.core.types import Mode, Session

_PAGE, _ITS_PERSON = "web", "local"


def core_options(loaded: Loaded) -> Options:
    """The core's options, with those of the channels that are on."""
    settings = loaded.settings
    return Options(
        channels={name: _channel(loaded, name, config) for name, config in loaded.channels.items()},
        max_turns=settings.manager.max_turns,
        queue_limit=settings.manager.queue_limit,
        shutdown_grace=settings.manager.shutdown_grace,
        backlog_rate=settings.manager.backlog_rate,
        max_message_age=settings.manager.max_message_age,
        notify_after=settings.agent.notify_after,
        give_up_after=settings.agent.give_up_after,
        still_working_after=settings.agent.still_working_after,
        timeout=settings.agent.timeout,
        max_file=settings.manager.max_file,
        models=settings.agent.choices,
        questions=settings.questions.options(),
        limits=settings.limits.options(),
    )


def reruns_edits(loaded: Loaded, config: ChannelConfig) -> bool:
    """Whether an edit of the last message is answered anew on this channel."""
    chosen = config.on_edit if "on_edit" in config.model_fields_set else loaded.settings.agent.on_edit
    return OnEdit(chosen) is OnEdit.RERUN


def merged(assistant: str, *sections: SessionConfig) -> Session:
    """Broad sections first: a narrower one wins, key by key; the values of keys are never mixed."""
    config = {key: value for section in sections for key, value in section.config.items()}
    context = {key: value for section in sections for key, value in section.context.items()}
    chosen = [section.assistant_id for section in sections if section.assistant_id]
    return Session(assistant=chosen[-1] if chosen else assistant, config=config, context=context)


def _channel(loaded: Loaded, name: str, config: ChannelConfig) -> ChannelOptions:
    settings = loaded.settings
    layers = (settings.session, config.session)
    mode = config.mode if "mode" in config.model_fields_set else settings.agent.mode
    when_busy = config.when_busy if "when_busy" in config.model_fields_set else settings.agent.when_busy
    language = config.language if "language" in config.model_fields_set else settings.language
    users = config.session.users.items()
    return ChannelOptions(
        session=merged(settings.agent.assistant, *layers),
        user_sessions={user: merged(settings.agent.assistant, *layers, own) for user, own in users},
        mode=Mode(mode),
        when_busy=WhenBusy(when_busy),
        on_edit=OnEdit.RERUN if reruns_edits(loaded, config) else OnEdit.IGNORE,
        allowed_users=frozenset(config.allowed_users),
        mention=Mention(config.mention),
        burst_window=config.burst_window,
        admins=frozenset(config.admins) | _at_home(loaded, name),
        language="" if language == "auto" else language,
        chats={chat: _chat(own) for chat, own in config.chats.items()},
        pairing=config.pairing,
        operating=name == _PAGE,
    )


def _at_home(loaded: Loaded, name: str) -> frozenset[str]:
    """Whoever is at this very machine may run Parley, and so may administer it on its page."""
    at_home = name == _PAGE and is_loopback(loaded.settings.console.host)
    return frozenset({_ITS_PERSON} if at_home else ())


def _chat(config: ChatConfig) -> ChatOptions:
    return ChatOptions(
        None if config.mention is None else Mention(config.mention),
        None if config.allowed_users is None else frozenset(config.allowed_users),
    )
