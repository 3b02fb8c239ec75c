"""Commands, in English and Chinese, on both platforms."""

import pytest

from tests.kit.product.long_answers import far
from tests.kit.product.scene import Scene
from tests.kit.product.web_person import WebPerson

pytestmark = pytest.mark.timeout(240)

_ANSWERS = [
    ("/help", "These commands work at any time", "以下命令随时可用"),
    ("/whoami", "You are", "telegram"),
    ("/status", "Now: idle.", "telegram: up"),
    ("/models", "no choice of models", "没有可选的模型"),
    ("/agents", "agent", "agent"),
    ("/new", "A new conversation has started", "新"),
    ("/stop", "Nothing is running here", "没有"),
    ("/usage", "Last 30 days: turns: ", "最近 30 天：对话 "),
    ("/memory", "What I remember about you", "我记住的"),
    ("/link", "within ten minutes", "十分钟内"),
    ("/unlink", "not linked", "没有与其他账号关联"),
    ("/retry", "nothing here to answer again", "没有可以重新回答"),
    ("/busy", "all waiting messages are answered together", "merge"),
    ("/language", "for English", "使用中文"),
    ("/feedback", "Answers are not rated here", "这里不收集"),
    ("/pair", "already have access", "您已经有使用权限"),
]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_command_is_answered_in_the_persons_language(scene: Scene, language: str):
    # Telegram lets nobody write more than ten messages to a chat at once.
    for some in (_ANSWERS[:8], _ANSWERS[8:]):
        alice = scene.private(language)
        for command, english, chinese in some:
            alice.ask(command, english if language == "en" else chinese)


def test_the_page_answers_commands_too(web: WebPerson):
    assert "These commands" in web.ask("/help").text
    assert f"web:{web.chat}" in web.ask("/whoami").text
    assert "Did you mean `/status`" in web.ask("/statsu").text


def test_telegram_has_the_commands_in_its_menu(scene: Scene):
    assert set(scene.telegram.people.commands()) == {each.removeprefix("/") for each, _, _ in _ANSWERS}
    assert scene.telegram.people.commands(language="zh")["new"] != scene.telegram.people.commands()["new"]


def test_new_forgets_what_was_said(web: WebPerson):
    web.ask("My cat is called Mia")
    web.ask("/new")
    assert "nothing before this" in web.ask("What did I say first?").text


def test_stop_ends_a_running_answer_and_keeps_what_was_said(scene: Scene):
    alice = scene.private()
    alice.say(f"Count to {far(12)}")
    alice.draws("3 4 5")
    alice.ask("/stop", "Stopping")
    assert "3 4 5" in alice.sees("Stopped.").text


def test_the_stop_button_leaves_no_message_of_its_own(web: WebPerson):
    asked = f"Count to {far(12)}"
    message = web.say(asked)
    replies = web.replies(message)
    next(entry for entry in replies if "3 4 5" in entry["text"])
    web.stop()
    *_, final = replies
    assert "Stopped." in final["text"]
    assert [entry["text"] for entry in web.entries() if entry["role"] == "user"] == [asked]


def test_status_does_not_wait_for_a_running_answer(web: WebPerson):
    message = web.say(f"Count to {far(6)}")
    replies = web.replies(message)
    next(replies)
    assert "writing an answer" in web.ask("/status").text
    web.stop()
    *_, final = replies
    assert "Stopped." in final["text"]
