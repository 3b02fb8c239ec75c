"""`parley init`: questions answered in the terminal, and what is written for them."""

import asyncio
import io
import re

import pytest

from parley.app.cli.main import main
from parley.app.settings.channel_registry import channel_names
from parley.app.setup.draft import shipped_text
from parley.simulator.feishu import FeishuSimulator, FeishuSimulatorTiming
from tests.kit.machine import patience


@pytest.fixture
def typed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C")

    def type_in(*lines):
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return tmp_path / ".env"

    return type_in


DEMONSTRATION = WRITE = ""
NO_ADMIN = NO_START = "n"
LAST = (DEMONSTRATION, NO_ADMIN, WRITE, NO_START)


def test_every_platform_with_credentials_is_offered(typed, capsys):
    typed("")
    assert main(["init"]) == 1
    said = capsys.readouterr().out
    assert {name for name in channel_names() if f". {name} " in said} == set(channel_names()) - {"web"}
    assert re.search(r"feishu +its app is made by scanning a QR code", said)
    assert "The input ended" in said
    assert "Nothing was written" in said


@pytest.mark.parametrize(("language", "word"), [("zh", "没有写入任何内容"), ("en", "Nothing was written")])
def test_the_language_is_chosen(typed, capsys, language, word):
    typed()
    assert main(["init", "--language", language]) == 1
    assert word in capsys.readouterr().out


def test_a_token_that_is_pasted_into_another_question_is_not_repeated(typed, capsys):
    typed("123456789:AAF-a-real-token", "", "123456789:AAF-a-real-token", "1", "", "n")
    main(["init", "--no-check"])
    said = capsys.readouterr().out
    assert said.count("That is none of the answers.") == 2
    assert "AAF" not in said


def test_a_token_that_is_typed_is_written(typed, tmp_path, capsys):
    env = typed("sms", "9", "telegram", " 12:abc ", "", *LAST)
    assert main(["init", "--no-check"]) == 0
    said = capsys.readouterr().out
    assert said.count("There is no") == 2
    assert "https://t.me/BotFather" in said
    assert env.read_text() == "TELEGRAM_BOT_TOKEN=12:abc\n"
    assert "12:abc" not in said
    assert (tmp_path / "config.yaml").read_text().splitlines()[3:] == [
        line if "port: 8765" not in line else (tmp_path / "config.yaml").read_text().splitlines()[number]
        for number, line in enumerate(shipped_text().splitlines())
    ][3:]


def test_what_there_is_stays_unless_it_is_to_be_replaced(typed, capsys):
    env = typed("telegram", "n", "", "", "n", "n")
    env.write_text("TELEGRAM_BOT_TOKEN=12:abc\n")
    assert main(["init", "--no-check"]) == 1
    assert env.read_text() == "TELEGRAM_BOT_TOKEN=12:abc\n"
    typed("telegram", "y", "34:def", "", *LAST)
    assert main(["init", "--no-check"]) == 0
    assert env.read_text() == "TELEGRAM_BOT_TOKEN=34:def\n"
    assert env.with_name(".env.before-init").read_text() == "TELEGRAM_BOT_TOKEN=12:abc\n"


@pytest.mark.parametrize("value", ["a b", "x#y", "$HOME", "'q", "a\\b"])
def test_what_no_line_can_hold_is_refused(typed, capsys, value):
    env = typed("telegram", value, "")
    assert main(["init", "--no-check"]) == 1
    assert not env.exists()
    assert value not in capsys.readouterr().out.replace("a button", "")


async def test_a_platform_with_a_code_is_scanned(typed, capsys):
    with FeishuSimulator(timing=FeishuSimulatorTiming(poll=0.02)) as sim:
        env = typed("feishu", "1", "", *LAST)
        code, said = await scanned(sim, capsys, lambda url: sim.scanning.scan(url, "ou_1"))
        assert code == 0, said
        assert f"FEISHU_APP_SECRET={sim.world.secret}\n" in env.read_text()
        assert sim.world.secret not in said


async def test_who_declines_may_choose_again(typed, capsys):
    with FeishuSimulator(timing=FeishuSimulatorTiming(poll=0.02)) as sim:
        env = typed("feishu", "1", "telegram", "12:abc", "", *LAST)
        code, said = await scanned(sim, capsys, sim.scanning.decline)
        assert code == 0, said
        assert "it was declined on the phone" in said
        assert env.read_text() == "TELEGRAM_BOT_TOKEN=12:abc\n"


async def scanned(sim, capsys, do):
    command = asyncio.create_task(asyncio.to_thread(main, ["init", "--no-check", "--server", sim.url]))
    said = ""
    async with asyncio.timeout(patience(20)):
        while "Waiting for" not in said:
            await asyncio.sleep(0.01)
            said += capsys.readouterr().out
        do(re.findall(r"http://127\S+", said)[-1])
        code = await command
    rest = capsys.readouterr()
    return code, said + rest.out + rest.err


def test_a_key_and_a_server_are_agents_by_options(typed, tmp_path, capsys):
    typed()
    model = ["init", "--yes", "--no-check", "--model", "openai:gpt-5-mini", "--model-api-key", "sk-1"]
    assert main(model) == 0
    assert (tmp_path / ".env").read_text() == "OPENAI_API_KEY=sk-1\n"
    server = ["init", "--yes", "--no-check", "--agent-url", "http://127.0.0.1:9", "--assistant", "weather"]
    assert main(server) == 0
    config = (tmp_path / "config.yaml").read_text()
    assert re.search(r"^  url: http://127\.0\.0\.1:9 +# embedded", config, re.MULTILINE)
    assert re.search(r"^  assistant: weather +# assistant", config, re.MULTILINE)
    assert re.search(r"^  model: '' +# model", config, re.MULTILINE)


def test_a_graph_of_this_folder_is_offered_first(typed, tmp_path, capsys):
    (tmp_path / "langgraph.json").write_text('{"graphs": {"weather": "./weather.py:graph"}}')
    typed("", "", "", "n")
    assert main(["init", "--no-check"]) == 0
    assert "1. the graph weather of langgraph.json" in capsys.readouterr().out
    assert main(["init", "--yes", "--no-check", "--graph", "other"]) == 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--admin", "telegram:1"], "a channel that is on"),
        (["--telegram-token", "env:NOT_SET_ANYWHERE"], "NOT_SET_ANYWHERE is not set"),
        (["--telegram-token", "@missing"], "cannot be read"),
        (["--model", "gpt"], "provider:name"),
        (["--agent-url", "localhost"], "begins with http"),
    ],
)
def test_a_wrong_option_is_named(typed, tmp_path, capsys, options, said):
    typed()
    assert main(["init", "--yes", "--no-check", *options]) == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
