"""The table of what an edit of each setting means for a Parley that runs."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from parley.channels.kit.config import ChannelConfig


class ReloadEffect(StrEnum):
    """What is done about a setting that was changed."""

    SWAPPED = "swapped"
    """It holds from the next message, command or run on."""
    CHANNEL = "channel"
    """The channels that it is about are connected again; all others go on."""
    GRAPHS = "graphs"
    """The embedded server loads its graphs again: new runs use them, those under way end with the old."""
    RESTART = "restart"
    """It holds from the next start on."""


_ROWS: Mapping[str, Mapping[ReloadEffect, str]] = {
    "": {ReloadEffect.SWAPPED: "version language log_level log_format", ReloadEffect.RESTART: "data_dir"},
    "store": {ReloadEffect.RESTART: "url listen_url lease node"},
    "agent": {
        ReloadEffect.SWAPPED: "assistant assistants mode when_busy on_edit recursion_limit images thoughts "
        "notify_after give_up_after still_working_after timeout",
        ReloadEffect.GRAPHS: "graphs model models base_url model_api_key report_tokens",
        ReloadEffect.RESTART: "url api_key headers gateway_url",
    },
    "built_in": {
        ReloadEffect.GRAPHS: "prompt_file context_window summarize_at fallbacks models tools "
        "approval guardrails mcp todos clarification titles suggestions web skills subagents",
        ReloadEffect.RESTART: "workspace sandbox",
    },
    "agent_server": {ReloadEffect.RESTART: "auth database cors_origins webhook_hosts store_index"},
    "session": {ReloadEffect.SWAPPED: "assistant_id config context input output speakers"},
    "manager": {
        ReloadEffect.SWAPPED: "queue_limit shutdown_grace max_message_age max_file",
        ReloadEffect.RESTART: "max_turns backlog_rate",
    },
    "memory": {
        ReloadEffect.SWAPPED: "enabled injection_enabled injection groups per_assistant first_use_notice "
        "instructions staleness consolidation consolidation_calls consolidation_tokens "
        "debounce_seconds max_wait max_concurrency assistant model_name model_api_key base_url temperature "
        "prompts_dir topics max_facts fact_confidence_threshold max_injection_tokens injection_format "
        "token_counting ranking similarity_weight confidence_weight past_conversations_days",
        ReloadEffect.GRAPHS: "categories",
        ReloadEffect.RESTART: "tools tools_url storage storage_path embedding embedding_model "
        "embedding_api_key",
    },
    "questions": {ReloadEffect.SWAPPED: "deciders four_eyes ask expires_after expired remind_after actions"},
    "retention": {
        ReloadEffect.SWAPPED: "files_days questions_days conversations_days audit_days",
        ReloadEffect.RESTART: "done_days names_days dead_letters_days audit_on_erase",
    },
    "limits": {
        ReloadEffect.SWAPPED: "person chat channel warn_at currency prices",
        ReloadEffect.RESTART: "time_zone",
    },
    "transcription": {
        ReloadEffect.RESTART: "by_platform url model api_key language max_size max_seconds timeout",
    },
    "speech": {ReloadEffect.RESTART: "url model voice api_key max_characters timeout"},
    "tracing": {ReloadEffect.RESTART: "endpoint headers sample service_name"},
    "feedback": {ReloadEffect.RESTART: "key langsmith langfuse webhook"},
    "console": {ReloadEffect.RESTART: "host port token names"},
    "channels": {
        ReloadEffect.SWAPPED: "allowed_users admins mode when_busy on_edit mention context_messages "
        "context_tokens context_age context_from context_bots burst_window language session pairing chats "
        "unrouted bots bot_turns_per_minute bot_turns_in_a_row triggers assistants models feedback",
        ReloadEffect.CHANNEL: "enabled",
    },
}
"""By section ("" for the top of the file), then by effect, the keys. Of channels those that all have."""

RELOAD_EFFECTS: Mapping[tuple[str, str], ReloadEffect] = {
    (section, key): effect
    for section, effects in _ROWS.items()
    for effect, keys in effects.items()
    for key in keys.split()
}
"""The effect of each key of each section."""


def channel_effect(kind: type[ChannelConfig], key: str) -> ReloadEffect:
    """Return the effect of a key of a channel; what its platform alone has is read when it connects."""
    own = key not in ChannelConfig.model_fields or key in kind.read_at_start
    effect = ReloadEffect.CHANNEL if own else RELOAD_EFFECTS["channels", key]
    if effect is ReloadEffect.CHANNEL and not kind.reconnects:
        return ReloadEffect.RESTART
    return effect
