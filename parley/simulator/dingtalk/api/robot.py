"""The robot's APIs. Each takes the locked world and a body. They raise DingTalkErrorResponse."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from parley.simulator.dingtalk.errors import DingTalkErrorResponse, bad_request
from parley.simulator.dingtalk.model import DingTalkMessage
from parley.simulator.dingtalk.world import DingTalkWorld
from parley.simulator.kit.json_values import Json, JsonObject, as_object, decode_object
from parley.simulator.kit.limits import load_limits

Method: TypeAlias = Callable[[DingTalkWorld, JsonObject], JsonObject]
_LIMITS = load_limits("dingtalk")
MOST_BODY = _LIMITS["message_bytes"].whole
_MOST_IN_GROUP = _LIMITS["group_message_bytes"].whole
_MOST_VOICE_SECONDS = _LIMITS["voice_seconds"].whole
_FILE_TYPES = frozenset(str(_LIMITS["file_types"].value).split())


def text_of(body: JsonObject, name: str) -> str:
    """Return a text that must be there. Raises DingTalkErrorResponse."""
    value = body.get(name)
    if not isinstance(value, str) or not value:
        raise bad_request(f"Missing{name}", f"{name} is mandatory for this action.")
    return value


def access_token(world: DingTalkWorld, body: JsonObject) -> JsonObject:
    """Give a token for the app's credentials."""
    try:
        world.check_app(body.get("appKey"), body.get("appSecret"))
    except DingTalkErrorResponse as error:
        # This API answers 400 where the gateway answers 401.
        raise bad_request(error.code, error.words) from error
    token, life = world.new_token()
    return {"accessToken": token, "expireIn": int(life) if float(life).is_integer() else life}


def batch_send(world: DingTalkWorld, body: JsonObject) -> JsonObject:
    """Send a message to each of up to twenty people; who cannot be reached is listed."""
    _check_robot(world, body)
    people = body.get("userIds")
    if not isinstance(people, list) or not 0 < len(people) <= 20:
        raise bad_request("invalidParameter.userIds.invalid", "userIds must hold 1 to 20 ids")
    invalid: list[Json] = []
    key = ""
    for person in people:
        account = world.accounts.get(str(person))
        if account is None or not account.staff_id or not account.reachable:
            invalid.append(person)
        else:
            key = _send(world, account.id, body).id
    if not key and len(invalid) == len(people):
        key = f"pqk{world.number():08}"
    return {"processQueryKey": key, "invalidStaffIdList": invalid, "flowControlledStaffIdList": []}


def group_send(world: DingTalkWorld, body: JsonObject) -> JsonObject:
    """Send a message to a group."""
    _check_robot(world, body)
    place = text_of(body, "openConversationId")
    if len(text_of(body, "msgParam").encode()) > _MOST_IN_GROUP:
        raise bad_request(str(_LIMITS["group_message_code"].value), f"at most {_MOST_IN_GROUP} bytes")
    if place not in world.groups:
        raise bad_request("invalidParameter.openConversationId.invalid", "no such conversation")
    return {"processQueryKey": _send(world, world.place_for_robot(place), body).id}


def _check_robot(world: DingTalkWorld, body: JsonObject) -> None:
    if text_of(body, "robotCode") != world.robot:
        raise bad_request("invalidParameter.robotCode.invalid", "robot 不存在")


def _send(world: DingTalkWorld, place: str, body: JsonObject) -> DingTalkMessage:
    kind, content = text_of(body, "msgKey"), _content(body)
    if kind not in _KINDS:
        raise bad_request("invalidParameter.msgKey.invalid", f"{kind} is not simulated")
    missing = [name for name in _KINDS[kind] if not isinstance(content.get(name), str) or not content[name]]
    if missing:
        raise bad_request("invalidParameter.msgParam.invalid", f"msgParam lacks {missing[0]}")
    if kind == "sampleFile" and content["fileType"] not in _FILE_TYPES:
        raise bad_request("invalidParameter.msgParam.invalid", f"fileType {content['fileType']} is none")
    if kind == "sampleAudio" and not _is_duration(content["duration"]):
        raise bad_request("invalidParameter.msgParam.invalid", "duration is none")
    media = str(content.get("mediaId") or content.get("photoURL") or "")
    if media and media not in world.media:
        raise bad_request("invalidParameter.mediaId.invalid", "no such media")
    message = world.post(place, "robot", kind, from_robot=True)
    message.text = str(content.get("text") or content.get("content") or "")
    message.title = str(content.get("title") or "")
    if media:
        upload = world.media[media]
        name = str(content.get("fileName") or upload.name)
        message.file = type(upload)(name, upload.content, upload.mime)
    if message.text:
        world.grew(place, message.text)
    return message


_KINDS = {
    "sampleText": ("content",),
    "sampleMarkdown": ("title", "text"),
    "sampleFile": ("mediaId", "fileName", "fileType"),
    "sampleImageMsg": ("photoURL",),
    "sampleAudio": ("mediaId", "duration"),
}


def _is_duration(value: Json) -> bool:
    """Tell whether this is a number of milliseconds that a voice message may last, as a text."""
    return isinstance(value, str) and value.isdecimal() and 0 < int(value) <= _MOST_VOICE_SECONDS * 1000


def _content(body: JsonObject) -> JsonObject:
    code = "invalidParameter.msgParam.invalid"
    no_json, no_object = bad_request(code, "msgParam is no JSON"), bad_request(code, "msgParam is no object")
    return decode_object(text_of(body, "msgParam"), no_json, no_object)


def download(world: DingTalkWorld, body: JsonObject) -> JsonObject:
    """Return where a person's file can be had."""
    _check_robot(world, body)
    code = text_of(body, "downloadCode")
    if code not in world.files:
        raise bad_request("unknownError", "downloadCode is expired")
    return {"downloadUrl": f"/file/{code}?Signature={world.mark}"}


def react(world: DingTalkWorld, body: JsonObject) -> JsonObject:
    """React to somebody's message."""
    _reacted(world, body).reactions.add(text_of(body, "emotionName"))
    world.touch()
    return {"success": True}


def unreact(world: DingTalkWorld, body: JsonObject) -> JsonObject:
    """Take a reaction away."""
    _reacted(world, body).reactions.discard(text_of(body, "emotionName"))
    world.touch()
    return {"success": True}


def _reacted(world: DingTalkWorld, body: JsonObject) -> DingTalkMessage:
    _check_robot(world, body)
    chat, number = text_of(body, "openConversationId"), text_of(body, "openMsgId")
    emotion = as_object(body.get("textEmotion"))
    if not isinstance(body.get("emotionType"), int) or not emotion.get("emotionId"):
        raise bad_request("invalidParameter.emotion", "the emotion is none")
    found = [each for listed in world.messages.values() for each in listed if each.id == number]
    if not found or world.chat_id(found[0].place) != chat:
        raise bad_request("invalidParameter.openMsgId", "no such message in this conversation")
    return found[0]


METHODS: dict[str, Method] = {
    "accessToken": access_token,
    "batchSend": batch_send,
    "groupSend": group_send,
    "download": download,
    "react": react,
    "unreact": unreact,
}
