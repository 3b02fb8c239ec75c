"""Talking: the same agent on Telegram and on the web, in private, in groups and in topics."""

import pytest

from tests.kit.product.long_answers import far
from tests.kit.product.scene import Scene
from tests.kit.product.web_person import WebPerson

pytestmark = pytest.mark.timeout(240)


def test_a_newcomer_on_the_page_is_answered_as_the_words_come(web: WebPerson):
    last = far(0.9)
    heard = web.ask(f"Count to {last}")
    assert heard.text.endswith(f" {last - 1} {last}")
    assert len(heard.growing) > 2
    assert all(heard.text.startswith(text) for text in heard.growing)


def test_the_page_keeps_a_conversation_and_its_topics_apart(web: WebPerson):
    web.ask("My cat is called Mia")
    beside = WebPerson(web.url, web.chat, topic="topic-beside")
    assert "nothing before this" in beside.ask("What did I say first?").text
    assert "My cat is called Mia" in web.ask("What did I say first?").text
    assert [entry["role"] for entry in web.entries()] == ["user", "agent"] * 2
    beside.close()


def test_a_private_chat_on_telegram_remembers_what_was_said(scene: Scene):
    alice = scene.private()
    alice.ask("My cat is called Mia", "You said: My cat is called Mia")
    alice.ask("What did I say first?", "“My cat is called Mia”")
    assert len(alice.shown()) == 2


def test_an_answer_grows_as_a_draft_in_private_and_as_a_message_in_a_group(scene: Scene):
    alice, bob = scene.private(), scene.group()
    last = far(3.6)
    alice.say(f"Count to {last}")
    bob.say(f"Count to {last}", mention=True)
    alice.draws("3 4 5")
    bob.draws("3 4 5")
    alice.sees(f"{last - 1} {last}")
    bob.sees(f"{last - 1} {last}")
    assert len(bob.shown()) == len(alice.shown()) == 1


def test_a_group_is_answered_when_it_calls_us_and_not_otherwise(scene: Scene):
    bob = scene.group()
    bob.say("Anybody hungry?")
    asked = bob.say("Who are you?", mention=True)
    assert bob.sees("small program", after=asked).reply_to == asked
    assert len(bob.shown()) == 1


def test_forum_topics_are_conversations_of_their_own(scene: Scene):
    cats, dogs = scene.topics("Cats", "Dogs")
    cats.ask("Mia is a cat", "You said: Mia is a cat", mention=True)
    dogs.ask("What did I say first?", "nothing before this", mention=True)
    cats.ask("What did I say first?", "“Mia is a cat”", mention=True)


def test_a_tool_is_shown_as_a_step_while_it_works(web: WebPerson):
    heard = web.ask("What time is it?")
    assert "It is " in heard.text
    assert [step["status"] for step in heard.final["steps"]] == ["done"]


def test_an_approval_is_asked_for_and_answered_by_the_next_message(scene: Scene, web: WebPerson):
    alice = scene.private()
    alice.say("Send an e-mail to ada@example.org saying lunch is at noon")
    asked = web.ask("Send an e-mail to ada@example.org saying lunch is at noon")
    assert [option["id"] for option in asked.final["question"]["options"]] == ["approve", "reject"]
    assert "nothing was sent" in web.ask("approve").text
    alice.sees("ada@example.org")
    alice.ask("reject", "nothing was sent")


def test_chinese_is_answered_in_chinese(scene: Scene):
    scene.private("zh").ask("现在几点？", "现在是")


def test_who_blocks_the_bot_stops_its_work_and_may_come_back(scene: Scene):
    alice = scene.private()
    alice.say("Count to 200 slowly")
    alice.draws("1 2 3")
    scene.telegram.people.remove_bot(alice.chat)
    scene.telegram.people.add_bot(alice.chat)
    # A count that goes on would take minutes, in which nothing else is answered.
    alice.ask("Are you there?", "You said: Are you there?")
    assert not any(" 199 " in message.text for message in alice.shown())
