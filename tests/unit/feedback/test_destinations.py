"""What LangSmith, Langfuse and a webhook are told, and what becomes of their answers."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from langsmith import Client

from parley.core.model.errors import FeedbackUndelivered
from parley.core.model.feedback import FeedbackChoice
from parley.core.model.types import Json
from parley.feedback.delivery import open_destinations
from parley.feedback.http import open_client
from parley.feedback.langfuse import LangfuseFeedback
from parley.feedback.langsmith import LangSmithFeedback, feedback_id
from parley.feedback.options import (
    FeedbackDeliveryOptions,
    LangfuseOptions,
    LangSmithOptions,
    TraceId,
    WebhookOptions,
    signing_key,
)
from parley.feedback.webhook import WebhookFeedback, event_of, sign
from tests.unit.feedback.conftest import RUN, TURN, Call, Service, feedback

PROJECT = "0199c0de-0000-7000-8000-0000000000aa"
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
SDK = Path(__file__).with_name("langfuse_sdk.json")


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with open_client() as made:
        yield made


def langsmith(http: httpx.AsyncClient, service: Service) -> LangSmithFeedback:
    return LangSmithFeedback(http, LangSmithOptions(service.url, "lsv2_key", "user_feedback", PROJECT))


async def test_langsmith_is_told_as_its_own_client_tells_it(
    http: httpx.AsyncClient, service: Service
) -> None:
    """The requests of LangSmith's own SDK are the witness: same addresses, same fields, same forms."""
    service.statuses = [200, 409, 200, 200, 200]
    said, changed = feedback(), feedback(FeedbackChoice.UP, comment="")
    await langsmith(http, service).deliver(said)
    await langsmith(http, service).deliver(changed)
    client = Client(api_url=service.url, api_key="lsv2_key", info={"version": "0.1"})
    await asyncio.to_thread(
        client.create_feedback,
        run_id=RUN,
        key="user_feedback",
        score=0,
        comment=said.comment,
        session_id=PROJECT,
        feedback_id=feedback_id(said),
        source_info={"source": "parley", "turn": TURN},
    )
    await asyncio.to_thread(client.update_feedback, feedback_id(said), score=1, comment=None)
    made, _, patched, their_made, their_patched = [each for each in service.calls if "/feedback" in each.path]
    for ours, theirs in ((made, their_made), (patched, their_patched)):
        assert (ours.method, ours.path) == (theirs.method, theirs.path)
        assert ours.headers["x-api-key"] == theirs.headers["x-api-key"] == "lsv2_key"
        assert ours.headers["content-type"] == theirs.headers["content-type"]
    # Its newer versions send a comment of None too; without one, words would stay with a thumb up.
    assert patched.json == {"comment": None} | their_patched.json
    assert set(made.json) <= set(their_made.json)
    assert _without_times(made) == {key: their_made.json[key] for key in _without_times(made)}
    for name in ("created_at", "modified_at"):
        times = [datetime.fromisoformat(str(each.json[name])) for each in (made, their_made)]
        assert [each.utcoffset() for each in times] == [timedelta(0)] * 2


def _without_times(call: Call) -> dict[str, Json]:
    return {key: value for key, value in call.json.items() if not key.endswith("_at")}


async def test_another_choice_changes_what_langsmith_has(http: httpx.AsyncClient, service: Service) -> None:
    service.statuses = [409, 200]
    await langsmith(http, service).deliver(feedback(FeedbackChoice.UP, comment=""))
    made, changed = service.calls
    assert changed.method == "PATCH"
    assert changed.path == f"/feedback/{made.json['id']}"
    assert changed.json == {"score": 1, "comment": None}


def test_each_person_has_one_feedback_for_a_run() -> None:
    first, again = feedback(), feedback(FeedbackChoice.UP)
    assert feedback_id(first) == feedback_id(again)
    assert feedback_id(first) != feedback_id(feedback(run_id=str(UUID(int=7))))


@pytest.mark.parametrize(
    ("kind", "trace"),
    [
        (TraceId.RUN, RUN.replace("-", "")),
        (TraceId.RUN_DASHED, RUN),
        (TraceId.TURN, TURN.replace("-", "")),
    ],
)
async def test_langfuse_is_given_a_score_of_the_trace(
    http: httpx.AsyncClient, service: Service, kind: TraceId, trace: str
) -> None:
    options = LangfuseOptions(service.url + "/", "pk-lf", "sk-lf", "thumbs", kind)
    await LangfuseFeedback(http, options).deliver(feedback())
    (call,) = service.calls
    assert (call.method, call.path) == ("POST", "/api/public/scores")
    assert call.headers["authorization"] == "Basic " + base64.b64encode(b"pk-lf:sk-lf").decode()
    body = call.json
    assert body.pop("id") == str(feedback_id(feedback()))
    assert body == {
        "traceId": trace,
        "name": "thumbs",
        "value": 0,
        "dataType": "BOOLEAN",
        "comment": "wrong year – 错了",
        "timestamp": "2023-11-14T22:13:20.500000+00:00",
        "metadata": {"source": "parley", "turn": TURN},
    }


async def test_another_choice_replaces_the_score(http: httpx.AsyncClient, service: Service) -> None:
    """Langfuse takes a score for the same one by its id and its time: that of the first choice."""
    fuse = LangfuseFeedback(http, LangfuseOptions(service.url, "pk-lf", "sk-lf", "thumbs"))
    await fuse.deliver(feedback())
    await fuse.deliver(feedback(FeedbackChoice.UP, comment="", at=1_700_000_999.0, first_at=1_700_000_000.5))
    first, second = [each.json for each in service.calls]
    assert {key for key in first if first[key] != second[key]} == {"value", "comment"}


async def test_langfuse_is_told_as_its_own_client_tells_it(http: httpx.AsyncClient, service: Service) -> None:
    """`langfuse_sdk.json` says how it was recorded. The SDK sends a list; servers take one score, too."""
    recorded = json.loads(SDK.read_text("utf-8"))
    asked, (theirs,) = recorded["arguments"], recorded["body"]
    said = feedback(comment=asked["comment"], at=datetime.fromisoformat(theirs["timestamp"]).timestamp())
    await LangfuseFeedback(http, LangfuseOptions(service.url, "pk-lf", "sk-lf", asked["name"])).deliver(said)
    (call,) = service.calls
    assert (call.method, call.path) == (recorded["method"], recorded["path"])
    for name in ("authorization", "content-type"):
        assert call.headers[name] == recorded["headers"][name]
    ours = call.json
    assert datetime.fromisoformat(str(ours.pop("timestamp"))) == datetime.fromisoformat(
        theirs.pop("timestamp")
    )
    assert set(ours) == set(theirs)
    for name in ("name", "value", "dataType", "comment"):
        assert ours[name] == theirs[name]
    assert len(str(ours["traceId"])) == len(theirs["traceId"])


def verified(secret: str, headers: dict[str, str], body: bytes) -> bool:
    """Check a signature as a receiver does, from the specification of Standard Webhooks alone."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    wanted = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    given = [each.split(",", 1) for each in headers["webhook-signature"].split(" ")]
    return any(version == "v1" and hmac.compare_digest(value, wanted) for version, value in given)


async def test_a_webhook_is_signed_and_a_retry_has_the_same_id(
    http: httpx.AsyncClient, service: Service
) -> None:
    hook = WebhookFeedback(http, WebhookOptions(f"{service.url}/hook", SECRET), clock=lambda: 1_700_000_100.0)
    await hook.deliver(feedback())
    await hook.deliver(feedback())
    await hook.deliver(feedback(comment="other"))
    first, again, _ = service.calls
    assert verified(SECRET, first.headers, first.body)
    assert not verified(SECRET, first.headers, first.body + b" ")
    assert first.headers["webhook-id"] == again.headers["webhook-id"] == first.json["id"]
    assert first.json["type"] == "feedback"
    assert first.json["data"] == {
        "choice": "down",
        "score": 0,
        "comment": "wrong year – 错了",
        "run_id": RUN,
        "thread_id": "thread-1",
        "turn": TURN,
        "conversation": "slack:C1:1.2",
        "channel": "slack",
        "account": "slack:U1",
    }


def test_a_signature_is_that_of_the_standards_own_library() -> None:
    """Made with the package standardwebhooks 1.1 from PyPI."""
    made = sign(signing_key(SECRET), "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, b'{"test": 2432232314}')
    assert made == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_secret_without_the_prefix_signs_as_it_is() -> None:
    assert signing_key("a plain secret of somebody") == b"a plain secret of somebody"


@pytest.mark.parametrize(
    ("status", "refused"),
    [(500, False), (429, False), (401, False), (404, False), (307, False), (422, True), (413, True)],
)
async def test_an_error_says_whether_to_try_again(
    http: httpx.AsyncClient, service: Service, status: int, refused: bool
) -> None:
    service.statuses = [status]
    with pytest.raises(FeedbackUndelivered) as caught:
        await langsmith(http, service).deliver(feedback())
    assert caught.value.refused is refused
    assert str(status) in caught.value.user_text
    assert "lsv2_key" not in caught.value.user_text
    assert len(service.calls) == 1, "a redirect is not followed: the key would go elsewhere"


async def test_a_service_that_is_away_is_tried_again(http: httpx.AsyncClient) -> None:
    gone = LangSmithFeedback(http, LangSmithOptions("http://127.0.0.1:9", "k", "k"))
    with pytest.raises(FeedbackUndelivered) as caught:
        await gone.deliver(feedback())
    assert not caught.value.refused


@pytest.mark.parametrize("kind", [TraceId.RUN, TraceId.RUN_DASHED])
async def test_without_a_run_there_is_nothing_to_tell(
    http: httpx.AsyncClient, service: Service, kind: TraceId
) -> None:
    fuse = LangfuseFeedback(http, LangfuseOptions(service.url, "pk", "sk", "k", kind))
    for each in (langsmith(http, service), fuse):
        with pytest.raises(FeedbackUndelivered) as caught:
            await each.deliver(feedback(run_id=""))
        assert caught.value.refused
    assert not service.calls


async def test_only_what_is_set_up_is_told() -> None:
    async with open_destinations(FeedbackDeliveryOptions()) as none:
        assert not none
    options: dict[str, Any] = {
        "langsmith": LangSmithOptions("http://127.0.0.1:9", "k", "k"),
        "langfuse": LangfuseOptions("http://127.0.0.1:9", "p", "s", "k"),
        "webhook": WebhookOptions("http://127.0.0.1:9", SECRET),
    }
    async with open_destinations(FeedbackDeliveryOptions(**options)) as all_three:
        assert [each.name for each in all_three] == list(options)


def test_the_body_of_a_webhook_is_json_of_plain_text() -> None:
    assert json.loads(json.dumps(event_of(feedback(), "1")))["timestamp"] == 1_700_000_000.5
