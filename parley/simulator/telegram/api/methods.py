"""The Bot API's methods but for polling. Each takes the locked world and parameters and returns a result."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias

from parley.simulator.kit.json_values import Json, JsonObject
from parley.simulator.telegram.api import entities, guests, inline_keyboards, rich_messages
from parley.simulator.telegram.api.params import TelegramParams
from parley.simulator.telegram.api.serializers import chat_json, message_json, user_json
from parley.simulator.telegram.errors import bad_request
from parley.simulator.telegram.model import TelegramChat, TelegramDraft, TelegramMessage, utf16
from parley.simulator.telegram.world import TelegramWorld

MOST_TEXT = 4096
MOST_CAPTION = 1024
MOST_DOWNLOAD = 20_000_000
_RIGHTS = (
    *("can_be_edited", "is_anonymous", "can_manage_chat", "can_delete_messages", "can_manage_video_chats"),
    *("can_restrict_members", "can_promote_members", "can_change_info", "can_invite_users"),
    *("can_post_stories", "can_edit_stories", "can_delete_stories"),
)
Method: TypeAlias = Callable[[TelegramWorld, TelegramParams], Json]


def as_json(world: TelegramWorld, message: TelegramMessage) -> JsonObject:
    """Return a message as the bot gets it."""
    replied = None if message.reply_to is None else world.message(message.chat, message.reply_to)
    pair = None if replied is None else (replied, world.accounts[replied.sender])
    return message_json(message, world.chats[message.chat], world.accounts[message.sender], pair)


def require_chat(world: TelegramWorld, params: TelegramParams) -> TelegramChat:
    """Return the call's chat, writable by the bot. Raises TelegramErrorResponse."""
    chat_id = params.integer("chat_id")
    if chat_id is None:
        raise bad_request("chat_id is empty")
    return world.chat_for_bot(chat_id)


def require_topic(chat: TelegramChat, params: TelegramParams) -> int | None:
    """Return the call's topic, which must exist in the chat. Raises TelegramErrorResponse."""
    topic = params.integer("message_thread_id")
    if topic is not None and topic not in chat.topics:
        raise bad_request("message thread not found")
    return topic


def find_replied_message(world: TelegramWorld, chat: TelegramChat, params: TelegramParams) -> int | None:
    """Return the message that is answered, None for none. Raises TelegramErrorResponse where one must be."""
    wanted = params.object_or_none("reply_parameters")
    if wanted is None:
        legacy = params.integer("reply_to_message_id")
        wanted = None if legacy is None else {"message_id": legacy}
    if wanted is None:
        return None
    number = wanted.get("message_id")
    if isinstance(number, int) and world.message(chat.id, number) is not None:
        return number
    if wanted.get("allow_sending_without_reply"):
        return None
    raise bad_request("message to be replied not found")


def parse_text(params: TelegramParams, name: str, limit: int) -> tuple[str, list[Json]]:
    """Return a text and its marks, checked and trimmed as the platform does. Raises TelegramErrorResponse."""
    marks = "entities" if name == "text" else "caption_entities"
    if params.text("parse_mode"):
        raise bad_request("parse_mode is not simulated; send entities")
    text = params.text(name)
    kept = entities.check_entities(text, params.array(marks))
    if utf16(text) > limit:
        raise bad_request("message is too long" if name == "text" else "message caption is too long")
    # The marks stay where they are: only the end can be trimmed without moving them.
    return (text.strip(), kept) if not kept else (text.rstrip(), kept)


def post(world: TelegramWorld, chat: TelegramChat, params: TelegramParams) -> TelegramMessage:
    """Post a new message of the bot, still empty, with the call's place, reply and buttons."""
    topic, reply, markup = (
        require_topic(chat, params),
        find_replied_message(world, chat, params),
        inline_keyboards.parse_keyboard(params),
    )
    message = world.post(chat, world.bot, topic)
    world.set_reply(message, reply)
    message.markup = markup
    return message


def get_me(world: TelegramWorld, params: TelegramParams) -> Json:
    """Give the bot itself."""
    rights: JsonObject = {
        "can_join_groups": True,
        "can_read_all_group_messages": not world.privacy,
        "supports_inline_queries": False,
        "supports_guest_queries": True,
    }
    return user_json(world.bot) | rights


def send_message(world: TelegramWorld, params: TelegramParams) -> Json:
    """Send a text to a chat."""
    chat = require_chat(world, params)
    text, marks = parse_text(params, "text", MOST_TEXT)
    if not text:
        raise bad_request("message text is empty")
    message = post(world, chat, params)
    message.text, message.entities = text, marks
    world.end_draft(message)
    return as_json(world, message)


def send_rich_message(world: TelegramWorld, params: TelegramParams) -> Json:
    """Send a rich text to a chat."""
    chat = require_chat(world, params)
    markdown = rich_messages.markdown_of(params)
    if not markdown:
        raise bad_request("rich message is empty")
    message = post(world, chat, params)
    message.rich = markdown
    return as_json(world, message)


def require_own_message(world: TelegramWorld, params: TelegramParams, what: str) -> TelegramMessage:
    """Return the bot's own message that the call names. Raises TelegramErrorResponse."""
    chat = require_chat(world, params)
    message = world.message(chat.id, params.integer("message_id") or 0)
    if message is None:
        raise bad_request(f"message to {what} not found")
    if message.sender != world.bot.id:
        raise bad_request(f"message can't be {what}ed")
    return message


def edit_message_text(world: TelegramWorld, params: TelegramParams) -> Json:
    """Put another text, plain or rich, for a message of the bot."""
    if params.text("inline_message_id"):
        return guests.edit_guest_message(world, params)
    message = require_own_message(world, params, "edit")
    markdown = rich_messages.markdown_of(params)
    if markdown:
        return _changed(world, message, "", [], inline_keyboards.parse_keyboard(params, edits=True), markdown)
    text, marks = parse_text(params, "text", MOST_TEXT)
    if not text:
        raise bad_request("message text is empty")
    return _changed(world, message, text, marks, inline_keyboards.parse_keyboard(params, edits=True))


def edit_markup(world: TelegramWorld, params: TelegramParams) -> Json:
    """Put other buttons for a message of the bot."""
    message = require_own_message(world, params, "edit")
    markup = inline_keyboards.parse_keyboard(params, edits=True)
    return _changed(world, message, message.text, message.entities, markup, message.rich)


def _changed(
    world: TelegramWorld,
    message: TelegramMessage,
    text: str,
    marks: list[Json],
    markup: Json,
    markdown: str = "",
) -> Json:
    if (message.text, message.entities, message.markup, message.rich) == (text, marks, markup, markdown):
        raise bad_request(
            "message is not modified: specified new message content and reply markup are exactly the same "
            "as a current content and reply markup of the message"
        )
    message.text, message.entities, message.markup, message.rich = text, marks, markup, markdown
    message.edited_at = time.time()
    world.touch()
    return as_json(world, message)


def delete_message(world: TelegramWorld, params: TelegramParams) -> Json:
    """Take a message away."""
    chat = require_chat(world, params)
    message = world.messages[chat.id].pop(params.integer("message_id") or 0, None)
    if message is None:
        raise bad_request("message to delete not found")
    world.touch()
    return True


def send_draft(world: TelegramWorld, params: TelegramParams) -> Json:
    """Show a reply that is still being written; private chats only."""
    chat = require_chat(world, params)
    if chat.kind != "private":
        raise bad_request("TEXTDRAFT_PEER_INVALID")
    number = params.integer("draft_id")
    if not number:
        raise bad_request("invalid draft_id specified")
    text, marks = parse_text(params, "text", MOST_TEXT)
    topic, can_stop = require_topic(chat, params), params.flag("can_stop")
    world.draft(chat, TelegramDraft(number, text, marks, topic, time.time(), can_stop))
    return True


def send_action(world: TelegramWorld, params: TelegramParams) -> Json:
    """ "typing..." and its kin."""
    chat = require_chat(world, params)
    chat.actions.append((time.time(), params.text("action")))
    world.touch()
    return True


def get_file(world: TelegramWorld, params: TelegramParams) -> Json:
    """Return where a file can be had."""
    file_id = params.text("file_id").removesuffix(".s")
    content = world.files.get(file_id)
    if content is None:
        raise bad_request("wrong file_id or the file is temporarily unavailable")
    if len(content) > MOST_DOWNLOAD:
        raise bad_request("file is too big")
    path = f"files/{file_id}"
    return {"file_id": file_id, "file_unique_id": "u", "file_size": len(content), "file_path": path}


def set_commands(world: TelegramWorld, params: TelegramParams) -> Json:
    """Set the command menu of a scope and language."""
    commands = params.array("commands")
    for command in commands:
        named = isinstance(command, dict) and str(command.get("command", ""))
        if not named or not isinstance(command, dict) or not command.get("description"):
            raise bad_request("BOT_COMMAND_INVALID")
    scope = params.object_or_none("scope") or {"type": "default"}
    world.commands[(str(scope.get("type")), params.text("language_code"))] = commands
    return True


def get_commands(world: TelegramWorld, params: TelegramParams) -> Json:
    """Give the command menu of a scope and language."""
    scope = params.object_or_none("scope") or {"type": "default"}
    return world.commands.get((str(scope.get("type")), params.text("language_code")), [])


def react(world: TelegramWorld, params: TelegramParams) -> Json:
    """Set the bot's reactions to a message."""
    chat = require_chat(world, params)
    message = world.message(chat.id, params.integer("message_id") or 0)
    if message is None:
        raise bad_request("message to react not found")
    wanted = [entry for entry in params.array("reaction") if isinstance(entry, dict)]
    message.reactions = [str(entry.get("emoji", "")) for entry in wanted]
    world.touch()
    return True


def get_chat(world: TelegramWorld, params: TelegramParams) -> Json:
    """Give a chat as the bot sees it."""
    return chat_json(require_chat(world, params)) | {"accent_color_id": 0, "max_reaction_count": 11}


def get_chat_member(world: TelegramWorld, params: TelegramParams) -> Json:
    """Return what somebody is in a chat."""
    chat, number = require_chat(world, params), params.integer("user_id") or 0
    account = world.accounts.get(number)
    if account is None:
        raise bad_request("invalid user_id specified")
    status = "member" if number in chat.members else "left"
    if account.is_bot and chat.bot_is_admin:
        rights: JsonObject = {right: right == "can_manage_chat" for right in _RIGHTS}
        return rights | {"status": "administrator", "user": user_json(account)}
    return {"status": status, "user": user_json(account)}


METHODS: dict[str, Method] = {
    "getme": get_me,
    "sendmessage": send_message,
    "editmessagetext": edit_message_text,
    "editmessagereplymarkup": edit_markup,
    "deletemessage": delete_message,
    "sendrichmessage": send_rich_message,
    "sendmessagedraft": send_draft,
    "sendchataction": send_action,
    "getfile": get_file,
    "answerguestquery": guests.answer_guest_query,
    "answercallbackquery": inline_keyboards.answer_callback_query,
    "setmycommands": set_commands,
    "getmycommands": get_commands,
    "setmessagereaction": react,
    "getchat": get_chat,
    "getchatmember": get_chat_member,
}
