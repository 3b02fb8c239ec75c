"""Files, in and out, on both platforms."""

import pytest

from parley.simulator.telegram import TelegramUpload
from tests.kit.product.scene import Scene
from tests.kit.product.web_person import WebPerson

pytestmark = pytest.mark.timeout(240)

_NOTE = b"# Groceries\n\nTea, bread, and a pear.\n"


def test_a_file_from_the_page_reaches_the_agent(web: WebPerson):
    file = web.upload("groceries.md", _NOTE, "text/markdown")
    assert "groceries.md: text/markdown" in web.ask("Here you are", files=(file,)).text


def test_a_file_from_the_agent_reaches_the_page(web: WebPerson):
    web.ask("My cat is called Mia")
    (file,) = web.ask("Make a file of it").final["files"]
    assert file["name"] == "notes.md"
    assert b"- My cat is called Mia" in web.download(file["id"])


def test_an_album_on_telegram_is_one_turn(scene: Scene):
    alice = scene.private()
    alice.send(TelegramUpload("one.md", _NOTE), TelegramUpload("two.md", _NOTE), caption="Two lists")
    answer = alice.sees("You said: Two lists").text
    assert "one.md" in answer
    assert "two.md" in answer
    assert len(alice.shown()) == 1
