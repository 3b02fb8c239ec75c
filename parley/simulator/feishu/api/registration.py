"""Apps made by scanning a code: a device flow, whose answers have fields of their own and no `code`."""

from __future__ import annotations

import base64
import binascii
import gzip
import json
import secrets
import time
from collections.abc import Callable, Mapping
from urllib.parse import parse_qs, urlsplit

from parley.simulator.feishu.api.message_list import SCOPES
from parley.simulator.feishu.model import FeishuRegistration
from parley.simulator.feishu.world import FeishuWorld
from parley.simulator.kit.json_values import Json, JsonObject, as_list, as_object

PATH = "/oauth/v1/app/registration"
_BEGIN = {"archetype": "PersonalAgent", "auth_method": "client_secret"}


def answer(world: FeishuWorld, asked: Mapping[str, str], url: str) -> tuple[int, JsonObject]:
    """Return the status and the body for what is asked; `url` is where people open the page."""
    steps: dict[str, Callable[[], JsonObject]] = {
        "init": lambda: {"supported_auth_methods": ["client_secret"]},
        "begin": lambda: _begin(world, asked, url),
        "poll": lambda: _poll(world, asked),
    }
    step = steps.get(asked.get("action", ""))
    found: JsonObject = {"error": "invalid_request"} if step is None else step()
    return (400 if "error" in found else 200), found


def _begin(world: FeishuWorld, asked: Mapping[str, str], url: str) -> JsonObject:
    if any(asked.get(key) != value for key, value in _BEGIN.items()):
        return {"error": "invalid_request", "error_description": "archetype or auth_method"}
    ticket, made = secrets.token_hex(8), FeishuRegistration(secrets.token_hex(16), time.monotonic())
    world.registrations[ticket] = made
    return {
        "device_code": made.code,
        "verification_uri_complete": f"{url}/page/launcher?ticket={ticket}",
        "interval": world.timing.poll,
        "expires_in": world.timing.registration,
    }


def _poll(world: FeishuWorld, asked: Mapping[str, str]) -> JsonObject:
    code = asked.get("device_code", "")
    found = next((each for each in world.registrations.values() if each.code == code), None)
    if found is None or time.monotonic() - found.begun > world.timing.registration:
        return {"error": "expired_token"}
    if found.declined:
        return {"error": "access_denied"}
    if not found.scanned:
        return {"error": "authorization_pending"}
    user: JsonObject = {"open_id": found.scanned, "tenant_brand": world.brand}
    if world.brand == "lark" and not found.moved:
        # They ask once more, at Lark's own server.
        found.moved = True
        return {"user_info": user, "error": "authorization_pending"}
    return {"client_id": world.app_id, "client_secret": world.secret, "user_info": user}


def make_app(world: FeishuWorld, url: str, by: str) -> None:
    """Make the app with what its address asks for, and nothing else. Raises LookupError, ValueError."""
    found, wanted = registration_at(world, url), _addons(url)
    scopes = as_list(as_object(wanted.get("scopes")).get("tenant"))
    world.denied = {each for each in SCOPES if each not in scopes}
    found.scanned, found.addons = by, wanted
    world.touch()


def registration_at(world: FeishuWorld, url: str) -> FeishuRegistration:
    """Return what an address belongs to. Raises LookupError."""
    return world.registrations[parse_qs(urlsplit(url).query).get("ticket", [""])[0]]


def _addons(url: str) -> JsonObject:
    packed = parse_qs(urlsplit(url).query).get("addons", [""])[0]
    try:
        raw = gzip.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)))
        found: Json = json.loads(raw)
    except (binascii.Error, OSError, EOFError) as error:
        raise ValueError("the address has no addons that can be read") from error
    return as_object(found)
