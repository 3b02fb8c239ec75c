"""`parley connect feishu`: a code in the terminal, and the secrets in `.env`."""

import asyncio
import re

import pytest

from parley.app.cli.admin.connect import NAMES, qr_code
from parley.app.cli.main import main, parser
from parley.simulator.feishu import FeishuSimulator, FeishuSimulatorTiming
from tests.kit.machine import patience


@pytest.fixture
def sim():
    with FeishuSimulator(timing=FeishuSimulatorTiming(poll=0.02)) as sim:
        yield sim


async def test_the_secrets_of_the_new_app_are_written(sim, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("FEISHU_APP_ID=\nOTHER=1\n")
    command = asyncio.create_task(asyncio.to_thread(main, ["connect", "feishu", "--server", sim.url]))
    said = ""
    async with asyncio.timeout(patience(20)):
        while "Waiting" not in said:
            await asyncio.sleep(0.01)
            said += capsys.readouterr().out
        sim.scanning.scan(re.findall(r"http://\S+", said)[0], "ou_1")
        assert await command == 0
    written = (tmp_path / ".env").read_text()
    secrets = f"FEISHU_APP_ID={sim.world.app_id}\nOTHER=1\nFEISHU_APP_SECRET={sim.world.secret}\n"
    assert written == secrets
    assert sim.world.secret not in said + capsys.readouterr().out


def test_secrets_that_are_there_are_kept_and_nobody_is_asked(sim, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("FEISHU_APP_ID=cli_1\n")
    assert main(["connect", "feishu", "--server", sim.url]) == 2
    assert "FEISHU_APP_ID" in capsys.readouterr().err
    assert (tmp_path / ".env").read_text() == "FEISHU_APP_ID=cli_1\n"
    assert sim.calls("register") == ()


def test_the_command_knows_its_channels():
    (commands,) = [each for each in parser()._actions if each.dest == "command"]
    (channel,) = [each for each in commands.choices["connect"]._actions if each.dest == "channel"]
    assert set(channel.choices) == set(NAMES)


def test_the_code_fits_a_terminal_or_is_left_out(monkeypatch):
    pytest.importorskip("segno", reason="segno comes with the extra `feishu`")
    monkeypatch.setenv("COLUMNS", "80")
    drawn = qr_code("https://accounts.feishu.cn/page/launcher?" + "x" * 430)
    assert "█" in drawn
    assert max(map(len, drawn.split("\n"))) <= 80
    monkeypatch.setenv("COLUMNS", "40")
    assert qr_code("https://accounts.feishu.cn/page/launcher?" + "x" * 430) == ""
