"""The card APIs: making a card, showing it somewhere, and letting it grow."""

from __future__ import annotations

from parley.simulator.dingtalk.api import card_buttons
from parley.simulator.dingtalk.api.robot import Method, text_of
from parley.simulator.dingtalk.card_templates import DONE, PUBLIC_TEMPLATE, STATUS, DingTalkCardTemplate
from parley.simulator.dingtalk.errors import DingTalkErrorResponse, bad_request
from parley.simulator.dingtalk.model import DingTalkCard
from parley.simulator.dingtalk.world import DingTalkWorld
from parley.simulator.kit.json_values import JsonObject, as_object
from parley.simulator.kit.limits import load_limits

_LIMITS = load_limits("dingtalk")
_MOST_SHOWN = _LIMITS["card_characters"].whole
_MOST_VALUE, _MOST_KEY = _LIMITS["card_variable_bytes"].whole, _LIMITS["card_key_bytes"].whole
_NO_PREVIEW = "[交互卡片消息]"
_OPEN_SPACES = {"IM_GROUP": "imGroupOpenSpaceModel", "IM_ROBOT": "imRobotOpenSpaceModel"}
_SPACES = {"IM_GROUP": "imGroupOpenDeliverModel", "IM_ROBOT": "imRobotOpenDeliverModel"}


def create(world: DingTalkWorld, body: JsonObject) -> JsonObject:
    """Make a card, shown nowhere yet."""
    _made(world, body)
    return world.result()


def deliver(world: DingTalkWorld, body: JsonObject) -> JsonObject:
    """Show a card in a space."""
    return {"success": True, "result": [_shown(world, _card(world, body), body)]}


def create_and_deliver(world: DingTalkWorld, body: JsonObject) -> JsonObject:
    """Do both at once."""
    card = _made(world, body)
    result: JsonObject = {"outTrackId": card.track, "deliverResults": [_shown(world, card, body)]}
    return {"success": True, "result": result}


def update(world: DingTalkWorld, body: JsonObject) -> JsonObject:
    """Set other values for a card's variables: of those that are named, or else of all of them."""
    card, options = _card(world, body), body.get("cardUpdateOptions")
    values = _params(body, card.template)
    world.place_for_robot(card.space)
    if card_buttons.awaits_answer(world, card):
        # Undone by the answer to the press, as documented: nobody sees it.
        return world.result()
    by_key = isinstance(options, dict) and options.get("updateCardDataByKey") is True
    _set_values(card, card.params | values if by_key else dict(values))
    card.failed = card.failed or values.get(STATUS) == "5"
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
        raise bad_request("param.stream.content", "content must be text")
    if body.get("isFull") is not True:
        raise bad_request("param.error", "a markdown variable takes whole texts only")
    if card.finished and text != card.params.get(key):
        raise bad_request("param.error", "the card is finished")
    if key not in card.params:
        raise bad_request("param.error", "the template has no such variable")
    if not card.template.streams or (_is_public(world, card) and card.params.get(STATUS) == "1"):
        raise bad_request("param.error", "the card is not growing")
    card.guids.add(guid)
    card.params[key] = text
    card.text = whole = shown_text(text)
    if not _is_public(world, card):
        card.finished = card.finished or body.get("isFinalize") is True
    card.failed = card.failed or body.get("isError") is True
    world.grew(card.space, whole)
    return world.result()


def _made(world: DingTalkWorld, body: JsonObject) -> DingTalkCard:
    """Make a card; raise DingTalkErrorResponse where it was made before."""
    track, template = text_of(body, "outTrackId"), world.templates.get(text_of(body, "cardTemplateId"))
    if template is None:
        raise bad_request("param.templateNotExist", "no such card template")
    if track in world.cards:
        raise bad_request(str(_LIMITS["card_exists_code"].value), "the card was made before")
    values = _params(body, template)
    card = DingTalkCard(track, template, {}, template.text or next(iter(values), ""))
    _set_values(card, values)
    world.cards[track] = card
    return card


def _set_values(card: DingTalkCard, values: dict[str, str]) -> None:
    """Give a card these values. Raises DingTalkErrorResponse for those that it cannot have."""
    changed = DingTalkCard(card.track, card.template, values)
    card_buttons.read_buttons(changed)
    card.params, card.text = values, shown_text(values.get(card.key, ""))
    card.finished = card.finished or not card.template.streams or values.get(STATUS) == DONE


def _is_public(world: DingTalkWorld, card: DingTalkCard) -> bool:
    return card.template is world.templates.get(PUBLIC_TEMPLATE)


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
    deliver = as_object(body.get(_SPACES[kind]))
    message.mentions = tuple(as_object(deliver.get("atUserIds")))
    words = as_object(as_object(body.get(_OPEN_SPACES[kind])).get("lastMessageI18n"))
    message.preview = str(words.get("ZH_CN") or _NO_PREVIEW)
    return result | {"carrierId": message.id}


def _card(world: DingTalkWorld, body: JsonObject) -> DingTalkCard:
    card = world.cards.get(text_of(body, "outTrackId"))
    if card is None:
        raise bad_request("param.cardNotExist", "no such card")
    return card


def _params(body: JsonObject, template: DingTalkCardTemplate) -> dict[str, str]:
    """Return the values for a card's variables that all see. Raises DingTalkErrorResponse."""
    values = as_object(body.get("cardData")).get("cardParamMap")
    if not isinstance(values, dict) or not all(isinstance(value, str) for value in values.values()):
        raise bad_request("param.error", "cardParamMap must map texts to texts")
    shared = template.types.keys() - template.private
    if template.types and (wrong := values.keys() - shared):
        raise bad_request("param.error", f"no variables of the template: {sorted(wrong)}")
    for name, value in values.items():
        if len(name.encode()) > _MOST_KEY or len(str(value).encode()) > _MOST_VALUE:
            raise bad_request("param.error", f"{name[:100]}: at most {_MOST_VALUE} bytes")
    return {name: str(value) for name, value in values.items()}


def shown_text(text: str) -> str:
    """Return what a client shows of a card's text: of one that is too long, nothing, without an error."""
    return "" if len(text) > _MOST_SHOWN else text


METHODS: dict[str, Method] = {
    "create": create,
    "deliver": deliver,
    "createAndDeliver": create_and_deliver,
    "update": update,
    "streaming": streaming,
}
