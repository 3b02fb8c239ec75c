"""`parley connect feishu`: a code in the terminal, the credentials in `.env`, and the channel on."""

import asyncio
import re
import shutil
from pathlib import Path

import pytest

from parley.app.cli.main import main
from parley.app.cli.wizard.prompts import TerminalPrompts
from parley.app.cli.wizard.qr_code import count_down, qr_code
from parley.app.settings.channel_registry import registering_channels
from parley.app.settings.load import load_settings
from parley.app.settings.parsing.dotenv import with_dotenv
from parley.app.setup.draft import Draft
from parley.simulator.dingtalk import DingTalkSimulator, DingTalkSimulatorTiming
from parley.simulator.feishu import FeishuSimulator, FeishuSimulatorTiming
from tests.kit.checkout import ROOT
from tests.kit.machine import patience

SHIPPED = ROOT / "config.yaml"


@pytest.fixture
def sim():
    with FeishuSimulator(timing=FeishuSimulatorTiming(poll=0.02)) as sim:
        yield sim


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def channels_on(folder, file=None):
    return load_settings(file, with_dotenv({}, folder / ".env"), folder).channels


async def connected(sim, capsys, do, *options):
    """Run the command, and do something with the address that it prints; its code, and what it said."""
    line = ["connect", sim.platform, "--server", sim.url, *options]
    command = asyncio.create_task(asyncio.to_thread(main, line))
    said = ""
    async with asyncio.timeout(patience(20)):
        while "Waiting for " not in said:
            await asyncio.sleep(0.01)
            said += capsys.readouterr().out
        do(re.findall(r"http://\S+", said)[0])
        code = await command
    rest = capsys.readouterr()
    return code, said + rest.out + rest.err


async def test_the_credentials_of_the_new_app_are_written_and_turn_the_channel_on(sim, folder, capsys):
    shutil.copy(SHIPPED, folder)
    (folder / ".env").write_text("FEISHU_APP_ID=\nOTHER=1\n")
    code, said = await connected(sim, capsys, lambda url: sim.scanning.scan(url, "ou_1"))
    assert code == 0
    assert (folder / ".env").read_text() == (
        f"FEISHU_APP_ID={sim.world.app_id}\nOTHER=1\nFEISHU_APP_SECRET={sim.world.secret}\n"
    )
    assert channels_on(folder)["feishu"].domain == sim.url
    assert sim.world.secret not in said
    assert channels_on(folder)["feishu"].app_secret == sim.world.secret


async def test_an_app_of_dingtalk_needs_no_other_line(folder, capsys):
    shutil.copy(SHIPPED, folder)
    with DingTalkSimulator(timing=DingTalkSimulatorTiming(poll=0.02)) as sim:
        code, said = await connected(sim, capsys, lambda url: sim.scanning.scan(url, "manager01"))
        assert code == 0
        assert sim.client_secret not in said
        assert channels_on(folder)["dingtalk"].client_secret == sim.client_secret


def test_an_account_of_lark_needs_no_other_line(folder):
    shutil.copy(SHIPPED, folder)
    keys = {"app_id": "cli_1", "app_secret": "word", "domain": "lark"}
    draft = Draft.open(None, {}).add_channel("feishu", keys)
    assert draft.text == SHIPPED.read_text()
    draft.write()
    assert channels_on(folder)["feishu"].domain == "https://open.larksuite.com"


@pytest.mark.parametrize(
    "written",
    [
        "log_level: info\nchannels: {telegram: {bot_token: ''}}\n",
        "channels: {feishu: {app_id: $FEISHU_APP_ID, app_secret: $FEISHU_APP_SECRET, domain: lark}}\n",
    ],
)
async def test_a_configuration_without_the_channel_is_given_its_lines(sim, folder, capsys, written):
    place = folder / "there"
    place.mkdir()
    file = place / "mine.yaml"
    file.write_text(written)
    code, _ = await connected(
        sim, capsys, lambda url: sim.scanning.scan(url, "ou_1"), "--config", "there/mine.yaml"
    )
    assert code == 0
    assert sim.world.secret in (place / ".env").read_text()
    assert sim.world.secret not in file.read_text()
    assert (place / "mine.yaml.before-init").read_text() == written
    feishu = channels_on(place, Path("mine.yaml"))["feishu"]
    assert (feishu.app_secret, feishu.domain) == (sim.world.secret, sim.url)


async def test_somebody_who_declines_is_believed(sim, folder, capsys):
    code, said = await connected(sim, capsys, sim.scanning.decline)
    assert (code, (folder / ".env").exists()) == (1, False)
    assert said.endswith("parley: no app was made: it was declined on the phone\n")


@pytest.mark.parametrize(("environ", "replace"), [("", ()), ("cli_2", ("--replace",))])
def test_credentials_that_are_there_are_kept_and_nobody_is_asked(
    sim, folder, capsys, monkeypatch, environ, replace
):
    if environ:
        monkeypatch.setenv("FEISHU_APP_ID", environ)
    (folder / ".env").write_text("FEISHU_APP_ID=cli_1\n")
    assert main(["connect", "feishu", "--server", sim.url, *replace]) == 2
    assert "FEISHU_APP_ID" in capsys.readouterr().err
    assert (folder / ".env").read_text() == "FEISHU_APP_ID=cli_1\n"
    assert sim.calls("register") == ()


async def test_they_are_replaced_when_that_is_asked_for(sim, folder, capsys):
    (folder / ".env").write_text("FEISHU_APP_ID=cli_1\nFEISHU_APP_SECRET=old\n")
    code, _ = await connected(sim, capsys, lambda url: sim.scanning.scan(url, "ou_1"), "--replace")
    assert code == 0
    assert (folder / ".env").read_text().startswith(f"FEISHU_APP_ID={sim.world.app_id}\n")


def test_a_server_that_is_not_there_is_named(folder, capsys):
    assert main(["connect", "feishu", "--server", "http://127.0.0.1:9"]) == 1
    assert "Feishu" in capsys.readouterr().err
    assert not (folder / ".env").exists()


@pytest.mark.parametrize("channel", ["telegram", "nothing", "../feishu", "a.b"])
def test_other_channels_are_told_which_can(folder, capsys, channel):
    assert main(["connect", channel]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"{channel}: ")
    assert "feishu" in said
    assert "feishu" in registering_channels()
    assert channel not in registering_channels()


async def test_who_waits_is_told_how_long(capsys):
    await count_down(0.008, TerminalPrompts("en"), every=0.003)
    assert capsys.readouterr().out.count("Still waiting") == 2


def test_the_code_fits_a_terminal_or_is_left_out(monkeypatch):
    pytest.importorskip("segno", reason="segno comes with the extra `feishu`")
    monkeypatch.setenv("COLUMNS", "80")
    drawn = qr_code("https://accounts.feishu.cn/page/launcher?" + "x" * 430)
    assert "█" in drawn
    assert max(map(len, drawn.split("\n"))) <= 80
    monkeypatch.setenv("COLUMNS", "40")
    assert qr_code("https://accounts.feishu.cn/page/launcher?" + "x" * 430) == ""


async def test_whoever_ends_it_is_told_that_nothing_was_written(sim, folder, capsys, monkeypatch):
    async def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("parley.app.cli.admin.connect.register_here", interrupted)
    assert await asyncio.to_thread(main, ["connect", "feishu", "--server", sim.url]) == 130
    assert capsys.readouterr().out.endswith("Nothing was written.\n")
    assert list(folder.iterdir()) == []
