"""Nodes that work side by side: what one does the others know, and nothing is done twice."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from tests.kit.product.long_answers import far
from tests.kit.product.process import parley
from tests.kit.product.telegram_chat import Chat, telegram_config
from tests.nodes.node_cluster import SLOW, NodeCluster, until

pytestmark = [pytest.mark.nodes, pytest.mark.timeout(300)]

MAIL = "Send an e-mail to ada@example.org about lunch"


def test_conversations_spread_over_the_nodes(trio: NodeCluster):
    people, last = [trio.private() for _ in range(12)], far(0.36)
    workers: set[str] = set()
    for person in people:
        person.say(f"Count to {last} slowly")
        # One after the other: whoever looks first takes all that is there.
        workers.add(trio.worker(str(person.chat)))
    assert len(workers) > 1
    for person in people:
        person.sees(f"{last - 1} {last}")
    assert all(len(person.shown()) == 1 for person in people)


def test_a_page_sees_an_answer_grow_that_another_node_gives(trio: NodeCluster):
    last = far(1.2)
    for _ in range(20):  # a node keeps what it accepts until it has more to do than another
        person = trio.at_page("a")
        message = person.say(f"Count to {last}")
        worker = trio.worker(person.chat)
        if worker != "a":
            break
    assert worker != "a"
    *growing, final = person.replies(message)
    assert final["text"].endswith(f" {last - 1} {last}")
    assert len({entry["text"] for entry in growing}) > 1
    assert trio.at_page("b", person.chat).entries() == person.entries()


def test_files_are_there_on_every_node(trio: NodeCluster):
    on_a = trio.at_page("a")
    on_b = trio.at_page("b", on_a.chat)
    big = b"0123456789" * 100_000
    sent = on_a.upload("digits.txt", big, "text/plain")
    assert on_b.download(sent) == big
    assert "digits.txt: text/plain" in on_b.ask("Here you are", files=(sent,)).text
    (made,) = on_a.ask("Make a file of it").final["files"]
    assert on_a.download(made["id"]) == on_b.download(made["id"])


def test_stop_is_heard_by_whichever_node_works(trio: NodeCluster):
    people = [trio.private() for _ in range(6)]
    for person in people:
        person.say(f"Count to {SLOW} slowly")
    for person in people:
        person.draws("2 3")
        person.say("/stop")
    for person in people:
        assert f"{SLOW}" not in person.sees("topped").text


def test_stop_ends_a_turn_of_another_node_whose_agent_server_is_away(town: NodeCluster):
    town.open("a", "b", agent={"url": "http://127.0.0.1:9"})
    people = [town.private() for _ in range(6)]
    for person in people:
        person.say("Good morning")
    until(lambda: len(waiting(town)) == len(people))
    for person in people:
        person.say("/stop")
    until(lambda: not waiting(town))


def waiting(town: NodeCluster) -> list[tuple[object, ...]]:
    """Turns under way that have no run."""
    return town.asked(
        "SELECT id FROM parley.items WHERE queue LIKE 'turns/%%' AND state = 0 AND note LIKE '%%running%%'"
    )


def test_a_question_that_is_answered_on_two_nodes_at_once_is_decided_once(trio: NodeCluster):
    on_a = trio.at_page("a")
    on_b = trio.at_page("b", on_a.chat)
    on_a.say(MAIL)
    asking = until(lambda: [entry for entry in on_b.entries() if entry["question"]])[0]["question"]
    choices = [option["id"] for option in asking["options"] if option["id"] in ("approve", "reject")]
    assert len(choices) == 2
    with ThreadPoolExecutor(2) as pool:
        list(
            pool.map(
                lambda each: each[0].decide(asking["id"], each[1]), zip((on_a, on_b), choices, strict=True)
            )
        )
    until(lambda: not any(entry["question"] for entry in on_a.entries()))
    until(lambda: len([e for e in on_a.entries() if e["role"] == "agent" and e["final"]]) == 3)
    printed = parley(trio.nodes["a"].folder, "audit", "--json").stdout.splitlines()
    decisions = [line for line in map(json.loads, printed) if line["kind"] == "decided"]
    assert len(decisions) == 1, printed


def test_a_pairing_code_lets_in_once(town: NodeCluster):
    admins = [town.private() for _ in range(2)]
    section = telegram_config(town.telegram, allowed_users=[], admins=[each.person for each in admins])
    town.open("a", "b", channels={"telegram": section})
    eve = town.private()
    found = re.search(r"/pair ([A-Z2-9]{8})", eve.ask("/pair", "Your code is").text)
    assert found is not None
    for admin in admins:
        admin.say(f"/pair {found[1]}")
    answers = [until(partial(_texts, admin))[0] for admin in admins]
    assert sum("now has access" in text for text in answers) == 1, answers
    eve.ask("Good morning", "You said: Good morning")


def test_who_holds_what_is_shown(trio: NodeCluster):
    holder = trio.holder("telegram")
    printed = parley(trio.nodes["a"].folder, "nodes", "--json").stdout.splitlines()
    nodes = {node["name"].rpartition("-")[0]: node for node in map(json.loads, printed)}
    assert sorted(nodes) == ["a", "b", "c"]
    assert [name for name, node in nodes.items() if "telegram" in node["holds"]] == [holder]
    told = until(lambda: status(trio.private(), "b"))
    assert "3:" in told
    assert f"{holder}-" in told


def status(person: Chat, node: str) -> str:
    """The line about nodes, once it names that one."""
    text = person.ask("/status", "Thread").text
    line = next((line for line in text.splitlines() if line.startswith("Nodes")), "")
    return line if f"{node}-" in line else ""


def test_a_second_node_with_an_agent_of_its_own_is_refused_in_one_line(town: NodeCluster):
    town.open("a", agent={"url": "embedded"})
    second = town.start("b", agent={"url": "embedded"})
    assert second.wait() == 2
    assert "agent.url: embedded is for one node" in second.log
    assert "Traceback" not in second.log


def test_nodes_whose_embedded_agents_share_a_database_go_on_with_one_conversation(town: NodeCluster):
    town.open("a", "b", agent={"url": "embedded"}, agent_server={"database": "store"})
    first = town.at_page("a")
    first.ask("Good morning")
    town.at_page("b", first.chat).ask("Good evening")
    [(threads, runs)] = town.asked("SELECT count(DISTINCT thread_id), count(*) FROM parley_agent.runs")
    assert (threads, runs) == (1, 2), "one thread, whose second run knows the first"


def _texts(chat: Chat) -> list[str]:
    return [seen.text for seen in chat.shown()]
