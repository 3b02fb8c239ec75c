"""The app's manifest: what to paste into Slack to get an app that fits this channel.

`python -m parley.channels.slack.manifest` prints it for Socket Mode, and with `https://your.host` behind it
for an app that Slack posts to there.
"""

from __future__ import annotations

import sys

import yaml

from parley.channels.slack.config import HOOK_PATH
from parley.core.model.types import Json

SCOPES = (
    "app_mentions:read",
    "assistant:write",
    "channels:history",
    "chat:write",
    "files:read",
    "files:write",
    "groups:history",
    "im:history",
    "mpim:history",
    "users:read",
)
"""What the bot token must be allowed."""

EVENTS = (
    "agent_session_stopped",
    "app_mention",
    "message.channels",
    "message.groups",
    "message.im",
    "message.mpim",
)
"""What the app is told of."""


def manifest(name: str = "Parley", url: str = "") -> dict[str, Json]:
    """Return the manifest as Slack takes it. With a `url`, such as https://your.host, Slack posts there."""
    hook: dict[str, Json] = (
        {"request_url": url.rstrip("/").removesuffix(HOOK_PATH) + HOOK_PATH} if url else {}
    )
    return {
        "display_information": {"name": name, "description": "Your LangGraph agent in Slack"},
        "features": {
            "app_home": {
                "home_tab_enabled": False,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "bot_user": {"display_name": name, "always_online": True},
            "assistant_view": {"assistant_description": "Your LangGraph agent in Slack"},
        },
        "oauth_config": {"scopes": {"bot": list(SCOPES)}},
        "settings": {
            "event_subscriptions": {**hook, "bot_events": list(EVENTS)},
            "interactivity": {"is_enabled": True, **hook},
            "org_deploy_enabled": False,
            "socket_mode_enabled": not url,
            "token_rotation_enabled": False,
        },
    }


def as_yaml(url: str = "") -> str:
    """Return the manifest as a file."""
    text: str = yaml.safe_dump(manifest(url=url), sort_keys=False, allow_unicode=True)
    return text


if __name__ == "__main__":
    sys.stdout.write(as_yaml(*sys.argv[1:2]))
