"""Forms that people see: opened by the app with a trigger, sent, and closed by its answer."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping

from parley.simulator.kit.json_values import Json, JsonObject, as_list, as_object
from parley.simulator.kit.limits import load_limits
from parley.simulator.slack.api.methods import Method
from parley.simulator.slack.api.params import SlackParams
from parley.simulator.slack.api.serializers import presser_json
from parley.simulator.slack.errors import SlackErrorResponse
from parley.simulator.slack.model import Modal, SeenModal
from parley.simulator.slack.rendering.blocks import check_home, check_view, label_text, render_blocks
from parley.simulator.slack.world import APP, TEAM, SlackWorld

TRIGGER_LIFE = 3.0
"""Seconds in which a trigger can open something, once."""
_MOST_VIEW_BYTES = load_limits("slack")["view_bytes"].whole
TROUBLE = "We had some trouble connecting. Try again?"


def open_view(world: SlackWorld, params: SlackParams) -> JsonObject:
    """Open a form for who the trigger belongs to."""
    view = params.object("view")
    check_view(view)
    for number, block in enumerate(fields_of(view)):
        block.setdefault("block_id", f"block{number}")
    user, made = world.triggers.get(params.needed("trigger_id"), ("", 0.0))
    if not made:
        raise SlackErrorResponse("invalid_trigger_id")
    if user == "":
        raise SlackErrorResponse("exchanged_trigger_id")
    if time.monotonic() - made > TRIGGER_LIFE:
        raise SlackErrorResponse("expired_trigger_id")
    world.triggers[params.text("trigger_id")] = ("", made)
    modal = Modal(f"V{world.number()}", user, view, dict(map(_initial, fields_of(view))))
    world.modals[user] = modal
    world.touch()
    return {"view": _view_json(modal)}


def publish_home(world: SlackWorld, params: SlackParams) -> JsonObject:
    """Show somebody their home tab (docs.slack.dev/reference/methods/views.publish)."""
    view, user = params.object("view"), params.needed("user_id")
    if user not in world.accounts:
        raise SlackErrorResponse("invalid_arguments")
    check_home(view)
    if len(json.dumps(view)) > _MOST_VIEW_BYTES:
        raise SlackErrorResponse("view_too_large")
    world.homes[user] = view
    world.touch()
    return {"view": {**view, "id": f"V{world.number()}", "team_id": TEAM, "app_id": APP}}


def home_texts(view: JsonObject) -> tuple[str, ...]:
    """Return what somebody reads on a home tab, a text for each block."""
    found = (render_blocks([block])[0] for block in as_list(view.get("blocks")))
    return tuple(text for text in found if text)


def fields_of(view: JsonObject) -> list[dict[str, Json]]:
    """Return the input blocks of a view."""
    return [block for block in as_list(view.get("blocks")) if isinstance(block, dict)]


def fill_fields(modal: Modal, values: Mapping[str, str]) -> None:
    """Write into fields by their labels. Raises LookupError where there is no such field."""
    blocks = {_title(block): str(block["block_id"]) for block in fields_of(modal.view)}
    modal.values |= {blocks[title]: value for title, value in values.items()}
    modal.errors = {}


def see_modal(modal: Modal) -> SeenModal:
    """Return what its person sees."""
    fields = {_title(block): modal.values[str(block["block_id"])] for block in fields_of(modal.view)}
    title, submit = label_text(modal.view.get("title")), label_text(modal.view.get("submit"))
    return SeenModal(title, submit, fields, tuple(modal.errors.values()))


def submission(world: SlackWorld, modal: Modal) -> JsonObject:
    """Return the payload of a form that is sent."""
    state: dict[str, Json] = {}
    for block in fields_of(modal.view):
        action = str(as_object(block.get("element")).get("action_id") or "")
        value = modal.values[str(block["block_id"])]
        # An empty field is null on the platform.
        state[str(block["block_id"])] = {action: {"type": "plain_text_input", "value": value or None}}
    return {
        "type": "view_submission",
        "team": {"id": TEAM, "domain": "sim"},
        "user": presser_json(world.accounts[modal.user]),
        "api_app_id": APP,
        "trigger_id": world.new_trigger(modal.user),
        "view": _view_json(modal) | {"state": {"values": state}},
        "response_urls": [],
    }


def apply_view_response(modal: Modal, answer: JsonObject | None) -> None:
    """Show what the app answered to a form that was sent; None when it did not in time."""
    if answer is None:
        modal.errors = {"": TROUBLE}
    elif answer.get("response_action") == "errors":
        errors = answer.get("errors")
        modal.errors = {k: str(v) for k, v in errors.items()} if isinstance(errors, dict) else {"": TROUBLE}
    else:
        modal.closed = True


def _title(block: dict[str, Json]) -> str:
    return label_text(block.get("label"))


def _initial(block: dict[str, Json]) -> tuple[str, str]:
    return str(block["block_id"]), str(as_object(block.get("element")).get("initial_value") or "")


def _view_json(modal: Modal) -> JsonObject:
    given: dict[str, Json] = {"id": modal.id, "team_id": TEAM, "app_id": APP, "hash": f"1.{modal.id}"}
    return dict(modal.view) | given | {"root_view_id": modal.id, "state": {"values": {}}}


METHODS: dict[str, tuple[Method, str]] = {"views.open": (open_view, ""), "views.publish": (publish_home, "")}
