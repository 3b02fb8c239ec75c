"""Making a card and putting it in its place, once."""

from __future__ import annotations

from dataclasses import dataclass, field

from parley.channels.dingtalk.api import DingTalkApi, DingTalkDestination
from parley.channels.dingtalk.errors import CardExists
from parley.channels.kit.fields import object_or_empty, text_or_empty
from parley.channels.kit.text import shorten
from parley.core.model.errors import DeliveryRejected
from parley.core.model.types import Json, JsonObject
from parley.core.texts import Sentence, say

_MOST_SUMMARY = 60
_MOST_ERROR = 200


@dataclass(frozen=True, slots=True)
class CardSummary:
    """What the list of chats and a notification say of a card ("" for a sentence), and whom it mentions in a
    group: names by staff id.
    """

    words: str = ""
    mentions: dict[str, str] = field(default_factory=dict)

    def languages(self) -> dict[str, Json]:
        """Return the words by DingTalk's names of languages."""
        words = shorten(self.words, _MOST_SUMMARY) if self.words.strip() else ""
        return {
            "ZH_CN": words or say("zh", Sentence.ANSWER_BEGUN),
            "EN_US": words or say("en", Sentence.ANSWER_BEGUN),
        }


async def deliver_card(
    api: DingTalkApi,
    place: DingTalkDestination,
    template: str,
    track: str,
    values: JsonObject,
    summary: CardSummary,
    *,
    forward: bool,
) -> str:
    """Make a card and put it in its place; nothing new when it is there. Returns what quotes name it by, ""
    where DingTalk does not tell. Raises ChannelError.

    `forward` says whether people may pass it on to others.
    """
    body: dict[str, Json] = {
        "cardTemplateId": template,
        "outTrackId": track,
        "callbackType": "STREAM",
        "userIdType": 1,
        "cardData": {"cardParamMap": dict(values)},
        **_space(api.robot, place, summary, forward=forward),
    }
    try:
        return _carrier(await api.call("POST", "/v1.0/card/instances/createAndDeliver", body))
    except CardExists:
        # Delivering it again might show it twice; that it was made and not shown we would have been told.
        return ""


def _space(robot: str, place: DingTalkDestination, summary: CardSummary, *, forward: bool) -> dict[str, Json]:
    """Return where a card goes, what a list of chats says of it, and whom it mentions."""
    words = summary.languages()
    space: Json = {
        "supportForward": forward,
        "lastMessageI18n": words,
        "notification": {"alertContent": words["ZH_CN"], "notificationOff": False},
    }
    deliver: dict[str, Json] = {"robotCode": robot}
    if place.private:
        deliver["spaceType"] = "IM_ROBOT"
        return {
            "openSpaceId": f"dtv1.card//IM_ROBOT.{place.id}",
            "imRobotOpenSpaceModel": space,
            "imRobotOpenDeliverModel": deliver,
        }
    if summary.mentions:
        deliver["atUserIds"] = dict(summary.mentions)
    return {
        "openSpaceId": f"dtv1.card//IM_GROUP.{place.id}",
        "imGroupOpenSpaceModel": space,
        "imGroupOpenDeliverModel": deliver,
    }


def _carrier(answer: JsonObject) -> str:
    """Return the key of a card that is shown. Raises DeliveryRejected for one that was made but not shown."""
    listed = object_or_empty(answer, "result").get("deliverResults")
    carriers = [""]
    for entry in listed if isinstance(listed, list) else ():
        if isinstance(entry, dict) and entry.get("success") is False:
            why = str(entry.get("errorMsg"))[:_MOST_ERROR]
            raise DeliveryRejected(f"DingTalk did not show the card: {why}")
        if isinstance(entry, dict):
            carriers.append(text_or_empty(entry, "carrierId"))
    return carriers[-1]
