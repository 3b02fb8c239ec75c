"""Files up and down, and who people are. Methods as in `messages`."""

from __future__ import annotations

from parley.simulator.feishu.api.messages import READING
from parley.simulator.feishu.api.request import FeishuRequest
from parley.simulator.feishu.errors import FeishuErrorResponse, invalid, no_scope
from parley.simulator.feishu.model import FeishuAccount, FeishuUpload, FileKind
from parley.simulator.feishu.world import FeishuWorld
from parley.simulator.kit.json_values import JsonObject

MOST_IMAGE = 10 * 1024 * 1024
MOST_FILE = 30 * 1024 * 1024
MOST_PEOPLE = 50
MOST_DOWN = 100 * 1024 * 1024
RESOURCE = "im:resource"
"""To upload; to download it takes the permission to read messages."""
CONTACT, CONTACT_NAMES = "contact:contact.base:readonly", "contact:user.base:readonly"
"""To ask about somebody, and to be told their name."""
_TYPES = frozenset({"opus", "mp4", "pdf", "doc", "xls", "ppt", "stream"})
_MESSAGES: dict[str, FileKind] = {"opus": "audio", "mp4": "media"}
"""The kind of message that such a file may be in; all others are sent as files."""
_IMAGES = (b"\x89PNG", b"\xff\xd8", b"GIF8", b"RIFF", b"BM", b"II*\x00", b"MM\x00*")


def upload_image(world: FeishuWorld, request: FeishuRequest) -> JsonObject:
    """Take an image for messages."""
    if RESOURCE in world.denied:
        raise no_scope(RESOURCE)
    upload = request.files.get("image")
    if upload is None or request.text("image_type") != "message":
        raise invalid("image")
    _check_size(upload, MOST_IMAGE)
    if not upload.content.startswith(_IMAGES):
        raise FeishuErrorResponse(234011, "Can't recognize the image format.")
    return {"image_key": world.keep(FeishuUpload(upload.name, upload.content, "image")).key}


def upload_file(world: FeishuWorld, request: FeishuRequest) -> JsonObject:
    """Take any other file; its name comes in a field of its own, and how long it lasts."""
    if RESOURCE in world.denied:
        raise no_scope(RESOURCE)
    upload, name = request.files.get("file"), request.text("file_name")
    kind, duration = request.text("file_type"), request.text("duration")
    if upload is None or not name or kind not in _TYPES or not (duration or "0").isdecimal():
        raise invalid("file")
    _check_size(upload, MOST_FILE)
    if not _fits(kind, upload.content):
        raise FeishuErrorResponse(234001, "Invalid request param.")
    blob = world.keep(FeishuUpload(name, upload.content, _MESSAGES.get(kind, "file")))
    blob.duration = int(duration or "0")
    return {"file_key": blob.key}


def _fits(kind: str, content: bytes) -> bool:
    """Tell whether a sound or a film is one, strictly read."""
    if kind == "opus":
        return content.startswith(b"OggS") and b"OpusHead" in content[:100]
    return kind != "mp4" or content[4:8] == b"ftyp"


def _check_size(upload: FeishuUpload, most: int) -> None:
    if not upload.content:
        raise FeishuErrorResponse(234010, "File's size can't be 0.")
    if len(upload.content) > most:
        raise FeishuErrorResponse(234006, "The file size exceed the max value.")


def resource(world: FeishuWorld, request: FeishuRequest) -> bytes:
    """Give a file of the very message that it came with. Raises FeishuErrorResponse."""
    if READING in world.denied:
        raise no_scope(READING)
    blob = world.blobs.get(request.path["key"])
    if blob is None or blob.message != request.path["message"]:
        raise FeishuErrorResponse(234003, "File not in msg.")
    if (request.query.get("type") == "image") != (blob.kind == "image") or blob.kind == "sticker":
        raise FeishuErrorResponse(234001, "Invalid request param.")
    if len(blob.content) > MOST_DOWN:
        raise FeishuErrorResponse(234037, "Downloaded file size exceeds limit.")
    return blob.content


def bot_info(world: FeishuWorld, request: FeishuRequest) -> JsonObject:
    """Give the bot itself."""
    return {
        "activate_status": world.activation,
        "app_name": world.bot.name,
        "open_id": world.bot.open_id,
        "ip_white_list": [],
    }


def user(world: FeishuWorld, request: FeishuRequest) -> JsonObject:
    """Give a person."""
    if CONTACT in world.denied:
        raise no_scope(CONTACT)
    account = world.accounts.get(request.path["user"])
    if account is None or account.tenant != world.tenant:
        raise FeishuErrorResponse(41050, "no user authority error", 403)
    return {"user": _person(world, account)}


def users(world: FeishuWorld, request: FeishuRequest) -> JsonObject:
    """Give several people; those of other tenants are left out."""
    if CONTACT in world.denied:
        raise no_scope(CONTACT)
    wanted = request.repeated.get("user_ids", ())
    if not 0 < len(wanted) <= MOST_PEOPLE:
        raise invalid("user_ids")
    known = (world.accounts.get(each) for each in wanted)
    return {"items": [_person(world, each) for each in known if each and each.tenant == world.tenant]}


def _person(world: FeishuWorld, account: FeishuAccount) -> JsonObject:
    found: JsonObject = {"open_id": account.open_id, "union_id": account.open_id.replace("ou_", "on_", 1)}
    if CONTACT_NAMES not in world.denied:
        found |= {"name": account.name, "en_name": ""}
    return found
