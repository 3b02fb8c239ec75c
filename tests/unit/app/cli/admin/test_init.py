"""`parley init`: platforms chosen in the terminal, and their credentials in `.env`."""

import asyncio
import io
import re

import pytest

from parley.app.cli.main import main
from parley.app.settings.channel_registry import channel_names
from parley.simulator.feishu import FeishuSimulator, FeishuSimulatorTiming
from tests.kit.machine import patience


@pytest.fixture
def typed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def type_in(text):
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        return tmp_path / ".env"

    return type_in


def test_every_platform_with_credentials_is_offered(typed, capsys):
    typed("\n")
    assert main(["init"]) == 0
    said = capsys.readouterr().out
    assert {name for name in channel_names() if f". {name} " in said} == set(channel_names()) - {"web"}
    assert re.search(r"feishu +its app is made by scanning a QR code", said)
    assert re.search(r"telegram +make its app by docs/telegram\.md", said)


def test_a_token_that_is_typed_is_written(typed, capsys):
    env = typed("sms\n9\ntelegram\n 12:abc \n\n")
    assert main(["init"]) == 0
    said = capsys.readouterr().out
    assert said.count("There is no") == 2
    assert env.read_text() == "TELEGRAM_BOT_TOKEN=12:abc\n"
    assert "12:abc" not in said
    assert "channels:\n  telegram:\n    bot_token: $TELEGRAM_BOT_TOKEN\n" in said


def test_what_there_is_stays_and_what_is_left_out_is_not_written(typed, capsys):
    env = typed("slack\n\n\ntelegram\n")
    env.write_text("TELEGRAM_BOT_TOKEN=12:abc\n")
    assert main(["init"]) == 0
    assert env.read_text() == "TELEGRAM_BOT_TOKEN=12:abc\n"
    assert "TELEGRAM_BOT_TOKEN are set already" in capsys.readouterr().out


@pytest.mark.parametrize("value", ["a b", "x#y", "$HOME", "'q", "a\\b"])
def test_what_no_line_can_hold_is_refused(typed, capsys, value):
    env = typed(f"telegram\n{value}\n\n")
    assert main(["init"]) == 0
    assert not env.exists()
    assert value not in capsys.readouterr().out


async def test_a_platform_with_a_code_is_scanned(typed, capsys):
    with FeishuSimulator(timing=FeishuSimulatorTiming(poll=0.02)) as sim:
        env = typed("feishu\n\n")
        command = asyncio.create_task(asyncio.to_thread(main, ["init", "--server", sim.url]))
        said = ""
        async with asyncio.timeout(patience(20)):
            while "Waiting for" not in said:
                await asyncio.sleep(0.01)
                said += capsys.readouterr().out
            sim.scanning.scan(re.findall(r"http://\S+", said)[0], "ou_1")
            assert await command == 0
        assert f"FEISHU_APP_SECRET={sim.world.secret}\n" in env.read_text()


async def test_who_declines_may_choose_again(typed, capsys):
    with FeishuSimulator(timing=FeishuSimulatorTiming(poll=0.02)) as sim:
        env = typed("feishu\ntelegram\n12:abc\n")
        command = asyncio.create_task(asyncio.to_thread(main, ["init", "--server", sim.url]))
        said = ""
        async with asyncio.timeout(patience(20)):
            while "Waiting for" not in said:
                await asyncio.sleep(0.01)
                said += capsys.readouterr().out
            sim.scanning.decline(re.findall(r"http://\S+", said)[0])
            assert await command == 0
        assert "it was declined on the phone" in capsys.readouterr().out
        assert env.read_text() == "TELEGRAM_BOT_TOKEN=12:abc\n"
