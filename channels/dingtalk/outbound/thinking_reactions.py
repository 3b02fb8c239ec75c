"""Receipts: DingTalk's own "thinking" reaction on a person's message."""

from __future__ import annotations

from parley.channels.dingtalk.api import DingTalkApi
from parley.channels.dingtalk.message_origins import MessageOrigins
from parley.core.model.types import JsonObject, ReplyTarget

_NAME = "🤔思考中"
_EMOTION = {"emotionId": "2659900", "emotionName": _NAME, "text": _NAME, "backgroundId": "im_bg_1"}
_TEXT_EMOTION = 2


class ThinkingReactions:
    """The reactions of one robot. Both methods raise ChannelError."""

    def __init__(self, api: DingTalkApi, origins: MessageOrigins) -> None:
        self._api = api
        self._origins = origins

    async def set_receipt(self, target: ReplyTarget) -> str:
        """React to a message; nothing where its conversation is not known any more."""
        await self._call("reply", target)
        return ""

    async def clear_receipt(self, target: ReplyTarget, mark: str) -> None:
        """Take the reaction away."""
        await self._call("recall", target)

    async def _call(self, what: str, target: ReplyTarget) -> None:
        origin = self._origins.get(target.reply_to)
        if origin is None or not origin.conversation:
            return
        body: JsonObject = {
            "robotCode": origin.robot or self._api.robot,
            "openMsgId": target.reply_to,
            "openConversationId": origin.conversation,
            "emotionType": _TEXT_EMOTION,
            "emotionName": _NAME,
            "textEmotion": dict(_EMOTION),
        }
        await self._api.call("POST", f"/v1.0/robot/emotion/{what}", body)
