"""Who the bot is, and whether its app is active in the organisation. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from parley.channels.kit.fields import object_or_empty
from parley.core.model.types import JsonObject

_RELEASE = "publish one (developer console, version management) and have an administrator approve it"
_ADMIN = "have an administrator switch it on (admin console, app management)"
_INACTIVE = {
    0: f"no version of the app is published in your organisation; {_RELEASE}",
    1: f"the app is switched off in your organisation; {_ADMIN}",
    3: f"the app is installed in your organisation and not switched on; {_ADMIN}",
    5: "the app is switched off, as its licence has expired; renew it",
    6: "the app is switched off, as the plan of your organisation has expired; renew it",
}
"""By Feishu's documented `activate_status`: 2 is active, and 4 is an upgrade that waits to be switched on."""


@dataclass(frozen=True, slots=True)
class FeishuBot:
    """The bot's open id and name; `inactive` says why nobody can use its app, with the remedy, else ""."""

    open_id: str
    name: str
    inactive: str


def read_bot(answer: JsonObject) -> FeishuBot | None:
    """Return the bot of an answer, None where there is none."""
    found = object_or_empty(answer, "bot")
    open_id, status = found.get("open_id"), found.get("activate_status")
    if not isinstance(open_id, str) or not open_id:
        return None
    why = _INACTIVE.get(status, "") if isinstance(status, int) else ""
    return FeishuBot(open_id, str(found.get("app_name") or ""), why)
