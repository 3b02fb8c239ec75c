"""AI cards: messages that grow. `outTrackId` names a card, so making one again makes no second one."""

from __future__ import annotations

from contextlib import suppress
from uuid import uuid4

from parley.channels.dingtalk.api import DingTalkApi, DingTalkDestination
from parley.channels.dingtalk.config import Config
from parley.channels.dingtalk.errors import CardExists
from parley.channels.dingtalk.outbound.token_bucket import TokenBucket
from parley.channels.kit.fields import object_or_empty
from parley.core.model.errors import DeliveryRejected
from parley.core.model.types import Json, JsonObject

FINISHED = "3"
"""The flow status of a card that grows no more."""


class AiCards:
    """The cards of one app. Every method raises ChannelError."""

    def __init__(self, api: DingTalkApi, config: Config, pace: TokenBucket) -> None:
        self._api = api
        self._template = config.card_template_id
        self._key = config.card_content_key
        self.pace = pace

    async def make(self, place: DingTalkDestination, track: str) -> None:
        """Put a card in its place, still empty; nothing new when it is there."""
        await deliver_card(self._api, place, self._template, track, {self._key: ""}, forward=True)

    async def write(self, track: str, text: str, *, final: bool = False) -> None:
        """Give the card its whole text from now on; after a final one it grows no more."""
        body: JsonObject = {
            "outTrackId": track,
            # A text may come back that was there before, so it cannot name the call.
            "guid": str(uuid4()),
            "key": self._key,
            "content": text,
            "isFull": True,
            "isFinalize": final,
            "isError": False,
        }
        await self._api.call("PUT", "/v1.0/card/streaming", body)

    async def replace(self, track: str, text: str) -> None:
        """Do the same as a final text by another way, which has limits of its own."""
        body: JsonObject = {
            "outTrackId": track,
            "cardData": {"cardParamMap": {self._key: text, "flowStatus": FINISHED}},
            "cardUpdateOptions": {"updateCardDataByKey": True},
        }
        await self._api.call("PUT", "/v1.0/card/instances", body)


async def deliver_card(
    api: DingTalkApi,
    place: DingTalkDestination,
    template: str,
    track: str,
    values: JsonObject,
    *,
    forward: bool,
) -> None:
    """Make a card and put it in its place; nothing new when it is there. Raises ChannelError.

    `forward` says whether people may pass it on to others.
    """
    body: dict[str, Json] = {
        "cardTemplateId": template,
        "outTrackId": track,
        "callbackType": "STREAM",
        "userIdType": 1,
        "cardData": {"cardParamMap": dict(values)},
    }
    robot: dict[str, Json] = {"robotCode": api.robot}
    space: Json = {"supportForward": forward}
    if place.private:
        body["openSpaceId"] = f"dtv1.card//IM_ROBOT.{place.id}"
        body["imRobotOpenSpaceModel"] = space
        body["imRobotOpenDeliverModel"] = robot | {"spaceType": "IM_ROBOT"}
    else:
        body["openSpaceId"] = f"dtv1.card//IM_GROUP.{place.id}"
        body["imGroupOpenSpaceModel"] = space
        body["imGroupOpenDeliverModel"] = robot
    with suppress(CardExists):
        _check(await api.call("POST", "/v1.0/card/instances/createAndDeliver", body))


def _check(answer: JsonObject) -> None:
    """Raise DeliveryRejected for a card that was made but not shown."""
    delivered = object_or_empty(answer, "result").get("deliverResults")
    for entry in delivered if isinstance(delivered, list) else ():
        if isinstance(entry, dict) and entry.get("success") is False:
            raise DeliveryRejected(f"DingTalk did not show the card: {str(entry.get('errorMsg'))[:200]}")
    if answer.get("success") is False:
        raise DeliveryRejected("DingTalk did not make the card")
