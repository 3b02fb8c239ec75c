"""Codes and scopes of the simulated Feishu, as its documents have them."""

import json
import urllib.error
import urllib.request

import pytest

from parley.simulator.feishu import FeishuSimulator, FeishuSimulatorTiming

CARDS = "/cardkit/v1/cards"
CARD = {"schema": "2.0", "body": {"elements": [{"tag": "markdown", "element_id": "md", "content": "x"}]}}
LARGE = {"schema": "2.0", "body": {"elements": [{"tag": "markdown", "content": "字" * 11_000}]}}


@pytest.fixture
def sim():
    with FeishuSimulator(timing=FeishuSimulatorTiming(card=0.0)) as sim:
        yield sim


def call(sim, method, path, body=None):
    """The whole answer, with a fresh token."""
    keys = {"app_id": sim.world.app_id, "app_secret": sim.world.secret}
    token = _http(sim, "POST", "/auth/v3/tenant_access_token/internal", keys)["tenant_access_token"]
    return _http(sim, method, path, body, token)


def _http(sim, method, path, body, token=""):
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{sim.url}/open-apis{path}", data, headers, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return json.loads(error.read())


@pytest.mark.parametrize(
    ("data", "code"),
    [(json.dumps(CARD), 0), (json.dumps(LARGE), 200860), ("{", 200220), ('{"schema": "1.0"}', 230099)],
)
def test_a_card_entity_is_refused_with_the_codes_of_cardkit(sim, data, code):
    answer = call(sim, "POST", CARDS, {"type": "card_json", "data": data})
    assert answer["code"] == code
    if not code:
        assert 1 <= len(answer["data"]["card_id"]) <= 20


def test_a_card_that_is_unknown_or_too_old_is_not_changed(sim):
    made = call(sim, "POST", CARDS, {"type": "card_json", "data": json.dumps(CARD)})["data"]["card_id"]
    for card, code in ((made, 200750), ("7000000000000000999", 200740)):
        settings = {"settings": "{}", "sequence": 1}
        assert call(sim, "PATCH", f"{CARDS}/{card}/settings", settings)["code"] == code


def test_several_people_are_told_of_at_once(sim):
    ann, eve = sim.people.add_person("Ann"), sim.people.add_person("Eve", tenant="another")
    path = f"/contact/v3/users/batch?user_id_type=open_id&user_ids={ann.open_id}&user_ids={eve.open_id}"
    assert [each["name"] for each in call(sim, "GET", path)["data"]["items"]] == ["Ann"]
    sim.world.denied.add("contact:user.base:readonly")
    assert "name" not in call(sim, "GET", path)["data"]["items"][0]
    sim.world.denied.add("contact:contact.base:readonly")
    assert call(sim, "GET", path)["code"] == 99991672
    assert call(sim, "GET", "/contact/v3/users/batch")["code"] == 99991672


def test_messages_of_groups_are_read_with_their_own_scope(sim):
    ann = sim.people.add_person("Ann")
    group = sim.people.add_group("Team", [ann.open_id])
    there, private = (sim.people.say(chat, ann.open_id, "hello") for chat in (group, ann.chat))
    sim.world.denied.add("im:message.group_msg")
    assert call(sim, "GET", f"/im/v1/messages/{there}")["code"] == 230027
    assert call(sim, "GET", f"/im/v1/messages/{private}")["code"] == 0


@pytest.mark.parametrize(("emoji", "code"), [("Typing", 0), ("NoSuchThing", 231001)])
def test_reactions_are_those_that_there_are(sim, emoji, code):
    ann = sim.people.add_person("Ann")
    message = sim.people.say(ann.chat, ann.open_id, "hello")
    path = f"/im/v1/messages/{message}/reactions"
    sim.people.react(message, ann.open_id, "Typing")
    assert call(sim, "POST", path, {"reaction_type": {"emoji_type": emoji}})["code"] == code
    theirs = call(sim, "GET", f"{path}?reaction_type=Typing")["data"]["items"][0]["reaction_id"]
    assert call(sim, "DELETE", f"{path}/{theirs}")["code"] == 231007
    assert call(sim, "DELETE", f"{path}/unknown")["code"] == 231011
