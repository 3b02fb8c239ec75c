"""The card APIs: making a card, showing it somewhere, and letting it grow."""

from __future__ import annotations

from parley.simulator.dingtalk.api import card_buttons
from parley.simulator.dingtalk.api.robot import Method, text_of
from parley.simulator.dingtalk.errors import DingTalkErrorResponse, bad_request
from parley.simulator.dingtalk.model import DingTalkCard
from parley.simulator.dingtalk.world import QUESTION_TEMPLATE, DingTalkWorld
from parley.simulator.kit.json_values import JsonObject, as_object

_SPACES = {"IM_GROUP": "imGroupOpenDeliverModel", "IM_ROBOT": "imRobotOpenDeliverModel"}


def create(world: DingTalkWorld, body: JsonObject) -> JsonObject:
    """Make a card, shown nowhere yet; one that was made before stays as it is."""
    _made(world, body)
    return world.result()


def deliver(world: DingTalkWorld, body: JsonObject) -> JsonObject:
    """Show a card in a space."""
    return {"success": True, "result": [_shown(world, _card(world, body), body)]}


def create_and_deliver(world: DingTalkWorld, body: JsonObject) -> JsonObject:
    """Do both at once; `outTrackId` makes doing it again harmless."""
    card = _made(world, body)
    result: JsonObject = {"outTrackId": card.track, "deliverResults": [_shown(world, card, body)]}
    return {"success": True, "result": result}


def update(world: DingTalkWorld, body: JsonObject) -> JsonObject:
    """Set other values for a card's variables: of those that are named, or else of all of them."""
    card, values, options = _card(world, body), _params(body), body.get("cardUpdateOptions")
    world.place_for_robot(card.space)
    by_key = isinstance(options, dict) and options.get("updateCardDataByKey") is True
    changed = DingTalkCard(card.track, card.template, card.params | values if by_key else dict(values))
    card_buttons.check_card_values(changed)
    card.params = changed.params
    if card.template == QUESTION_TEMPLATE:
        card.text = changed.text
    else:
        status = values.pop("flowStatus", "")
        card.text = next(iter(values.values()), card.text)
        card.finished = card.finished or status == "3"
        card.failed = card.failed or status == "5"
    world.grew(card.space, card.text)
    return world.result()


def streaming(world: DingTalkWorld, body: JsonObject) -> JsonObject:
    """Show the next state of a card's text; nothing new for a call that was made before."""
    card, guid = _card(world, body), text_of(body, "guid")
    if guid in card.guids:
        return world.result()
    world.place_for_robot(card.space)
    text, key = body.get("content"), text_of(body, "key")
    if not isinstance(text, str):
        raise bad_request("param.contentError", "content must be text")
    whole = text if body.get("isFull") is True else card.text + text
    if card.finished and whole != card.text:
        raise bad_request("param.cardFinished", "the card is finished")
    if key not in card.params:
        raise bad_request("param.keyError", "the template has no such variable")
    card.guids.add(guid)
    card.text = card.params[key] = whole
    card.finished = card.finished or body.get("isFinalize") is True
    card.failed = card.failed or body.get("isError") is True
    world.grew(card.space, whole)
    return world.result()


def _made(world: DingTalkWorld, body: JsonObject) -> DingTalkCard:
    track, template = text_of(body, "outTrackId"), text_of(body, "cardTemplateId")
    if template not in world.templates:
        raise bad_request("param.templateNotExist", "no such card template")
    card = world.cards.get(track)
    if card is None:
        card = DingTalkCard(track, template, _params(body))
        card_buttons.check_card_values(card)
        world.cards[track] = card
    return card


def _shown(world: DingTalkWorld, card: DingTalkCard, body: JsonObject) -> JsonObject:
    """Show a card once; the answer says how that went, with status 200 in any case."""
    kind, _, place = text_of(body, "openSpaceId").removeprefix("dtv1.card//").partition(".")
    if kind not in _SPACES or not isinstance(body.get(_SPACES[kind]), dict):
        raise bad_request("param.openSpaceId", "the space and its deliver model do not fit")
    result: JsonObject = {"spaceType": kind, "spaceId": place, "success": True, "errorMsg": ""}
    if card.space == place:
        return result
    try:
        world.place_for_robot(place)
    except DingTalkErrorResponse as error:
        return result | {"success": False, "errorMsg": error.words}
    card.space = place
    message = world.post(place, "robot", "card", from_robot=True)
    message.card = card
    return result | {"carrierId": message.id}


def _card(world: DingTalkWorld, body: JsonObject) -> DingTalkCard:
    card = world.cards.get(text_of(body, "outTrackId"))
    if card is None:
        raise bad_request("param.cardNotExist", "no such card")
    return card


def _params(body: JsonObject) -> dict[str, str]:
    values = as_object(body.get("cardData")).get("cardParamMap")
    if not isinstance(values, dict) or not all(isinstance(value, str) for value in values.values()):
        raise bad_request("param.cardData", "cardParamMap must map texts to texts")
    return {name: str(value) for name, value in values.items()}


METHODS: dict[str, Method] = {
    "create": create,
    "deliver": deliver,
    "createAndDeliver": create_and_deliver,
    "update": update,
    "streaming": streaming,
}
