"""Settings as the core takes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from parley.app.settings.load import LoadedSettings
from parley.app.settings.trigger_patterns import compile_pattern
from parley.channels.kit.config import ChannelConfig, ChatConfig, SessionConfig, TriggerConfig
from parley.core.model.bots import BotLimits, TriggerRule
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
    UnroutedPolicy,
)
from parley.core.model.types import RunMode, SessionSettings, merge_sessions
from parley.core.network import is_loopback

_PAGE, _ITS_PERSON = "web", "local"


def core_options(loaded: LoadedSettings) -> CoreOptions:
    """Return the core's options, with those of the channels that are on."""
    settings = loaded.settings
    return CoreOptions(
        channels={name: channel_options(loaded, name, config) for name, config in loaded.channels.items()},
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
        models=settings.listed_models,
        questions=settings.questions.options(),
        limits=settings.limits.options(),
        feedback_destinations=settings.feedback.names,
    )


def _reruns_edits(loaded: LoadedSettings, config: ChannelConfig) -> bool:
    """Return whether an edit of the last message is answered anew on this channel."""
    chosen = config.on_edit if "on_edit" in config.model_fields_set else loaded.settings.agent.on_edit
    return EditPolicy(chosen) is EditPolicy.RERUN


def channel_options(loaded: LoadedSettings, name: str, config: ChannelConfig) -> ChannelOptions:
    """Return the core's options for one channel."""
    settings = loaded.settings
    mode = config.mode if "mode" in config.model_fields_set else settings.agent.mode
    when_busy = config.when_busy if "when_busy" in config.model_fields_set else settings.agent.when_busy
    language = config.language if "language" in config.model_fields_set else settings.language
    session = merge_sessions(default_session(loaded), _session(config.session))
    users = config.session.users.items()
    return ChannelOptions(
        session=session,
        user_sessions={user: merge_sessions(session, _session(own)) for user, own in users},
        mode=RunMode(mode),
        when_busy=BusyPolicy(when_busy),
        on_edit=EditPolicy.RERUN if _reruns_edits(loaded, config) else EditPolicy.IGNORE,
        allowed_users=frozenset(config.allowed_users),
        mention=MentionPolicy(config.mention),
        burst_window=config.burst_window,
        admins=frozenset(config.admins) | _at_home(loaded, name),
        language="" if language == "auto" else language,
        chats={chat: _chat(own) for chat, own in config.chats.items()},
        pairing=config.pairing,
        operating=name == _PAGE,
        earlier=_earlier(config),
        unrouted=UnroutedPolicy(config.unrouted),
        assistants=settings.agent.assistants if config.assistants is None else config.assistants,
        models=settings.agent.offered_models if config.models is None else config.models,
        bots=frozenset(config.bots),
        bot_limits=BotLimits(config.bot_turns_per_minute, config.bot_turns_in_a_row),
        triggers=_triggers(config.triggers),
        feedback=config.feedback == "on",
    )


def default_session(loaded: LoadedSettings) -> SessionSettings:
    """Return how runs are made where no channel says it."""
    settings = loaded.settings
    base = SessionSettings(settings.agent.assistant, speakers=settings.agent.built_in)
    return merge_sessions(base, _session(settings.session))


def _session(section: SessionConfig) -> SessionSettings:
    """Return what a section says about how runs are made; its own alone."""
    return SessionSettings(
        section.assistant_id or "",
        section.config,
        section.context,
        input=section.input,
        output=section.output,
        speakers=section.speakers,
    )


def _at_home(loaded: LoadedSettings, name: str) -> frozenset[str]:
    """Return who may administer Parley on its page: whoever is at this very machine may run it, too."""
    at_home = name == _PAGE and is_loopback(loaded.settings.console.host)
    return frozenset({_ITS_PERSON} if at_home else ())


def _chat(config: ChatConfig) -> ChatOptions:
    return ChatOptions(
        mention=None if config.mention is None else MentionPolicy(config.mention),
        allowed_users=None if config.allowed_users is None else frozenset(config.allowed_users),
        earlier=_changes(config),
        mode=None if config.mode is None else RunMode(config.mode),
        when_busy=None if config.when_busy is None else BusyPolicy(config.when_busy),
        session=_session(config.session),
        user_sessions={user: _session(own) for user, own in config.session.users.items()},
        assistants=config.assistants,
        models=config.models,
        bots=None if config.bots is None else frozenset(config.bots),
        triggers=None if config.triggers is None else _triggers(config.triggers),
        feedback=None if config.feedback is None else config.feedback == "on",
    )


def _triggers(rules: Iterable[TriggerConfig]) -> tuple[TriggerRule, ...]:
    return tuple(TriggerRule(compile_pattern(rule.text), frozenset(rule.authors)) for rule in rules)


def _earlier(channel: ChannelConfig) -> ContextOptions:
    """Return what a mention brings on a channel."""
    return ContextOptions(**_changes(channel))


def _changes(section: ChannelConfig | ChatConfig) -> dict[str, Any]:
    """Return what a section says about what a mention brings; nothing for keys that it leaves out."""
    given: dict[str, Any] = {
        "scope": section.context_messages and ContextScope(section.context_messages),
        "tokens": section.context_tokens,
        "age": section.context_age,
        "people": section.context_from and ContextPeople(section.context_from),
        "bots": section.context_bots,
    }
    return {key: value for key, value in given.items() if value is not None}
