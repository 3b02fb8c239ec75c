"""CardKit: card entities, which change by numbered operations. Methods as in `messages`."""

from __future__ import annotations

import json
import time

from parley.simulator.feishu.api.request import FeishuRequest
from parley.simulator.feishu.errors import FeishuErrorResponse, bad_card, invalid, no_scope, too_long
from parley.simulator.feishu.model import FeishuCard
from parley.simulator.feishu.rendering import card_buttons
from parley.simulator.feishu.rendering.markdown import foreign_images, tables
from parley.simulator.feishu.world import FeishuWorld
from parley.simulator.kit.json_values import Json, JsonObject, as_list, as_object, decode_object
from parley.simulator.kit.limits import load_limits

_ROWS = load_limits("feishu")
UNKNOWN, EXPIRED = _ROWS["card_unknown_code"].whole, _ROWS["card_expired_code"].whole
TOO_LARGE, BAD_JSON = _ROWS["card_too_large_code"].whole, _ROWS["card_bad_json_code"].whole
MOST_CARD = 30 * 1024
MOST_TABLES = 5
MOST_SEQUENCE = 2**31 - 1
SCOPE = "cardkit:card:write"


def create(world: FeishuWorld, request: FeishuRequest) -> JsonObject:
    """Make a new card entity, which nobody sees yet."""
    if SCOPE in world.denied:
        raise no_scope(SCOPE)
    if request.text("type") != "card_json":
        raise invalid("type")
    body = _parsed(request.text("data"))
    _check_entity(body)
    now = time.monotonic()
    # At most twenty digits, the first of which is no zero.
    card = FeishuCard(str(7 * 10**18 + len(world.cards)), body, _streaming(body), now, made=now)
    world.cards[card.id] = card
    return {"card_id": card.id}


def content(world: FeishuWorld, request: FeishuRequest) -> JsonObject:
    """Set the whole text of one element, while the card streams."""
    card = _card(world, request)
    element = _element(card.body, request.path["element"])
    text = request.text("content")
    if not text or element is None:
        raise FeishuErrorResponse(300313, "element not found") if element is None else invalid("content")
    _operate(world, card, request)
    if not card.streaming:
        raise FeishuErrorResponse(300309, "streaming mode is closed")
    if time.monotonic() - card.streaming_since > world.timing.stream:
        card.streaming = False
        raise FeishuErrorResponse(200850, "card streaming timeout")
    before, element["content"] = str(element.get("content", "")), text
    try:
        _check_entity(card.body)
    except FeishuErrorResponse:
        element["content"] = before
        raise
    card.redrawn += not text.startswith(before)
    _changed(world, card)
    return {}


def settings(world: FeishuWorld, request: FeishuRequest) -> JsonObject:
    """Change other settings, streaming mode among them."""
    card = _card(world, request)
    wanted = _parsed(request.text("settings"))
    _operate(world, card, request)
    config = card.body.setdefault("config", {})
    changes = wanted.get("config")
    if not isinstance(config, dict) or not isinstance(changes, dict):
        raise invalid("settings")
    config.update(changes)
    card.streaming, card.streaming_since = _streaming(card.body), time.monotonic()
    _changed(world, card)
    return {}


def update(world: FeishuWorld, request: FeishuRequest) -> JsonObject:
    """Put another card in place of this one."""
    card = _card(world, request)
    wanted = request.body.get("card")
    if not isinstance(wanted, dict) or wanted.get("type") != "card_json":
        raise invalid("card")
    body = _parsed(str(wanted.get("data")))
    _check_entity(body)
    _operate(world, card, request)
    card.body, card.streaming, card.streaming_since = body, _streaming(body), time.monotonic()
    _changed(world, card)
    return {}


def card_for(world: FeishuWorld, message: JsonObject) -> FeishuCard | None:
    """Return the entity that a content names and no other message shows. Raises FeishuErrorResponse."""
    if message.get("type") != "card":
        return None
    card = world.cards.get(str(as_object(message.get("data")).get("card_id")))
    if card is None:
        raise bad_card("ErrCode: 11310; ErrMsg: cardid is invalid")
    if card.message:
        raise bad_card("ErrCode: 11310; ErrMsg: card entity has been sent")
    return card


def _check_entity(card: JsonObject) -> None:
    """Raise FeishuErrorResponse for a card that no entity may be; its size has a code of its own here."""
    if _size(card) > MOST_CARD:
        raise FeishuErrorResponse(TOO_LARGE, "card content exceeds the limit")
    check_card(card)


def _size(card: JsonObject) -> int:
    return len(json.dumps(card, ensure_ascii=False).encode())


def check_card(card: JsonObject) -> None:
    """Raise FeishuErrorResponse for a card that the platform does not show."""
    if _size(card) > MOST_CARD:
        raise too_long()
    body = card.get("body")
    if (
        card.get("schema") != "2.0"
        or not isinstance(body, dict)
        or not isinstance(body.get("elements"), list)
    ):
        raise bad_card("ErrCode: 11310; ErrMsg: parse card json err")
    if as_object(card.get("config")).get("update_multi") is False:
        raise bad_card("ErrCode: 11310; ErrMsg: update_multi must be true")
    card_buttons.check_card_buttons(card)
    texts = [str(each.get("content", "")) for each in _elements(body["elements"])]
    if sum(tables(text) for text in texts) > MOST_TABLES:
        raise bad_card("ErrCode: 11310; ErrMsg: card table number over limit")
    for text in texts:
        if images := foreign_images(text):
            raise bad_card(f"ErrCode: 11246; ErrMsg: invalid image keys {images}")


def _elements(value: Json) -> list[JsonObject]:
    found: list[JsonObject] = []
    for entry in as_list(value):
        if isinstance(entry, dict):
            found.append(entry)
            found += _elements(entry.get("elements"))
    return found


def _element(card: JsonObject, wanted: str) -> JsonObject | None:
    elements = _elements(as_object(card.get("body")).get("elements"))
    return next((each for each in elements if each.get("element_id") == wanted), None)


def _card(world: FeishuWorld, request: FeishuRequest) -> FeishuCard:
    card = world.cards.get(request.path["card"])
    if card is None:
        raise FeishuErrorResponse(UNKNOWN, "card does not exist")
    if time.monotonic() - card.made > world.timing.card:
        raise FeishuErrorResponse(EXPIRED, "card has expired")
    return card


def _operate(world: FeishuWorld, card: FeishuCard, request: FeishuRequest) -> None:
    """Count an operation: its number must be higher than the last one's. Raises FeishuErrorResponse."""
    sequence = request.body.get("sequence")
    message = world.messages.get(card.message)
    if message is not None and message.pressed:
        raise FeishuErrorResponse(200810, "The card is in an ongoing interaction and cannot be updated")
    world.check_rate(card.id, world.pace.card)
    if not isinstance(sequence, int) or not 0 < sequence <= MOST_SEQUENCE or sequence <= card.sequence:
        raise FeishuErrorResponse(300317, "sequence number compare failed")
    card.sequence = sequence


def _changed(world: FeishuWorld, card: FeishuCard) -> None:
    message = world.messages.get(card.message)
    if message is not None:
        world.note_shown(message)


def _parsed(raw: str) -> JsonObject:
    unreadable = FeishuErrorResponse(BAD_JSON, "card json is invalid")
    return decode_object(raw, unreadable, unreadable)


def _streaming(card: JsonObject) -> bool:
    return as_object(card.get("config")).get("streaming_mode") is True
