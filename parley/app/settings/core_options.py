"""Settings as the core takes them."""

from __future__ import annotations

from typing import Any

from parley.app.settings.load import LoadedSettings
from parley.channels.kit.config import ChannelConfig, ChatConfig, SessionConfig
from parley.console.http.options import is_loopback
from parley.core.model.options import (
    BusyPolicy,
    ChannelOptions,
    ChatOptions,
    ContextOptions,
    ContextPeople,
    ContextScope,
    CoreOptions,
    EditPolicy,
    MentionPolicy,
)
from parley.core.model.types import RunMode, SessionSettings

_PAGE, _ITS_PERSON = "web", "local"


def core_options(loaded: LoadedSettings) -> CoreOptions:
    """Return the core's options, with those of the channels that are on."""
    settings = loaded.settings
    return CoreOptions(
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


def reruns_edits(loaded: LoadedSettings, config: ChannelConfig) -> bool:
    """Return whether an edit of the last message is answered anew on this channel."""
    chosen = config.on_edit if "on_edit" in config.model_fields_set else loaded.settings.agent.on_edit
    return EditPolicy(chosen) is EditPolicy.RERUN


def merge_sessions(assistant: str, *sections: SessionConfig) -> SessionSettings:
    """Broad sections first: a narrower one wins, key by key; the values of keys are never mixed.

    Nor are the keys of two inputs, which are those of different graphs.
    """
    config = {key: value for section in sections for key, value in section.config.items()}
    context = {key: value for section in sections for key, value in section.context.items()}
    chosen = [section.assistant_id for section in sections if section.assistant_id]
    return SessionSettings(
        assistant=chosen[-1] if chosen else assistant,
        config=config,
        context=context,
        input=next((section.input for section in reversed(sections) if section.input), {}),
        output=next((section.output for section in reversed(sections) if section.output), ""),
    )


def _channel(loaded: LoadedSettings, name: str, config: ChannelConfig) -> ChannelOptions:
    settings = loaded.settings
    layers = (settings.session, config.session)
    mode = config.mode if "mode" in config.model_fields_set else settings.agent.mode
    when_busy = config.when_busy if "when_busy" in config.model_fields_set else settings.agent.when_busy
    language = config.language if "language" in config.model_fields_set else settings.language
    users = config.session.users.items()
    return ChannelOptions(
        session=merge_sessions(settings.agent.assistant, *layers),
        user_sessions={user: merge_sessions(settings.agent.assistant, *layers, own) for user, own in users},
        mode=RunMode(mode),
        when_busy=BusyPolicy(when_busy),
        on_edit=EditPolicy.RERUN if reruns_edits(loaded, config) else EditPolicy.IGNORE,
        allowed_users=frozenset(config.allowed_users),
        mention=MentionPolicy(config.mention),
        burst_window=config.burst_window,
        admins=frozenset(config.admins) | _at_home(loaded, name),
        language="" if language == "auto" else language,
        chats={chat: _chat(config, own) for chat, own in config.chats.items()},
        pairing=config.pairing,
        operating=name == _PAGE,
        earlier=_earlier(config, ChatConfig()),
    )


def _at_home(loaded: LoadedSettings, name: str) -> frozenset[str]:
    """Return who may administer Parley on its page: whoever is at this very machine may run it, too."""
    at_home = name == _PAGE and is_loopback(loaded.settings.console.host)
    return frozenset({_ITS_PERSON} if at_home else ())


def _chat(channel: ChannelConfig, config: ChatConfig) -> ChatOptions:
    return ChatOptions(
        None if config.mention is None else MentionPolicy(config.mention),
        None if config.allowed_users is None else frozenset(config.allowed_users),
        _earlier(channel, config),
    )


def _earlier(channel: ChannelConfig, chat: ChatConfig) -> ContextOptions:
    """Return what a mention brings in a chat, whose own keys win one by one."""

    def chosen(key: str) -> Any:  # noqa: ANN401 - the value of a key that both sections have
        own = getattr(chat, key)
        return getattr(channel, key) if own is None else own

    return ContextOptions(
        scope=ContextScope(chosen("context_messages")),
        tokens=chosen("context_tokens"),
        age=chosen("context_age"),
        people=ContextPeople(chosen("context_from")),
        bots=chosen("context_bots"),
    )
