"""`parley init` from an empty folder to the bot's answer, on each strict simulator, in a terminal."""

import stat
from pathlib import Path

import pytest

from parley.app.settings.load import load_settings
from parley.app.settings.parsing.dotenv import with_dotenv
from tests.kit.product.init_walk import WALKERS, TypedTerminal, new_user, walk
from tests.kit.product.process import parley

pytestmark = pytest.mark.journeys


@pytest.fixture(params=sorted(WALKERS))
def walker(request):
    made = WALKERS[request.param]()
    yield made
    made.simulator.__exit__(None, None, None)


@pytest.fixture
def slack():
    made = WALKERS["slack"]()
    yield made
    made.simulator.__exit__(None, None, None)


def test_from_nothing_to_the_bots_answer(walker, tmp_path):
    figures = walk(walker, tmp_path)
    config = load_settings(None, with_dotenv({}, tmp_path / ".env"), tmp_path).channels[walker.name]
    assert len(config.admins) == 1
    for file in ("config.yaml", ".env"):
        assert stat.S_IMODE((tmp_path / file).stat().st_mode) == 0o600
    secrets = [getattr(config, key) for key in config.credentials() if not key.endswith("id")]
    assert all(secret not in figures.shown for secret in secrets)
    assert all(secret not in (tmp_path / "config.yaml").read_text() for secret in secrets)
    assert figures.keystrokes <= 12


def test_an_interrupted_set_up_leaves_nothing(walker, tmp_path):
    with TypedTerminal(tmp_path, ("init", "--server", walker.url)) as terminal:
        terminal.wait_for("no more: ")
        assert terminal.interrupt() == 130
        terminal.wait_for("Nothing was written")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_wait_for_the_administrator_leaves_nothing(slack, tmp_path):
    with TypedTerminal(tmp_path, ("init", "--server", slack.url)) as terminal:
        terminal.answer("no more: ", "slack")
        for secret in slack.secrets:
            terminal.answer(r"typ\w*\): ", secret, pasted=True)
        terminal.answer("no more: ")
        terminal.answer(r"Enter: 1\): ")
        terminal.answer("by writing to the bot")
        terminal.wait_for("Waiting for your message")
        assert terminal.interrupt() == 130
        terminal.wait_for("Nothing was written")
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_token_and_a_missing_scope_are_named_with_the_remedy(slack, tmp_path):
    slack.simulator.people.restrict_scopes("chat:write", "users:read")
    with TypedTerminal(tmp_path, ("init", "--server", slack.url)) as terminal:
        terminal.answer("no more: ", "slack")
        terminal.answer(r"typ\w*\): ", "xoxb-wrong", pasted=True)
        terminal.answer(r"typ\w*\): ", slack.secrets[1], pasted=True)
        terminal.wait_for("This does not work: ")
        terminal.wait_for("Enter other credentials")
        terminal.answer(r"Enter: 1\): ")
        for secret in slack.secrets:
            terminal.answer(r"typ\w*\): ", secret, pasted=True)
        terminal.wait_for(r"Missing: .*chat:write")
        terminal.wait_for("Add an OAuth Scope")
        terminal.answer("now that it is added", "no")
        terminal.wait_for("no more: ")
        assert not set(slack.secrets) & set(terminal.shown.split())
    assert list(tmp_path.iterdir()) == []


def test_options_do_the_same_without_a_question(slack, tmp_path):
    bot, app = slack.secrets
    (tmp_path / "bot").write_text(f"{bot}\n")
    line = (
        *("init", "--yes", "--server", slack.url, "--admin", "slack:U000002"),
        *("--slack-bot-token", f"@{tmp_path / 'bot'}", "--slack-app-token", "env:APP"),
    )
    here = tmp_path / "here"
    here.mkdir()
    user = {"APP": app, **new_user(here)}
    tried = parley(here, *line, "--dry-run", **user)
    assert tried.returncode == 0, tried.stdout + tried.stderr
    assert "SLACK_BOT_TOKEN=***" in tried.stdout
    assert list(here.iterdir()) == []
    done = parley(here, *line, **user)
    assert done.returncode == 0, done.stdout + done.stderr
    env = with_dotenv({}, here / ".env")
    assert env == {"SLACK_BOT_TOKEN": bot, "SLACK_APP_TOKEN": app}
    assert "lets us in" in parley(here, "check").stdout
    again = parley(here, *line, **user)
    assert (again.returncode, "Nothing has to be changed" in again.stdout) == (0, True)
    other = parley(here, *line, "--slack-app-token", "xapp-other", **user)
    assert (other.returncode, "are set already" in other.stderr) == (2, True)


def test_options_that_the_platform_refuses_write_nothing(slack, tmp_path):
    line = ("init", "--yes", "--server", slack.url, "--slack-bot-token=xoxb-no", "--slack-app-token=xapp-no")
    refused = parley(tmp_path, *line, **new_user(tmp_path))
    assert refused.returncode == 1
    assert "This does not work" in refused.stdout
    half = parley(tmp_path, "init", "--yes", "--slack-bot-token=xoxb-no", **new_user(tmp_path))
    assert (half.returncode, "--slack-app-token" in half.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_the_set_up_and_the_start_agree_on_the_folder(tmp_path):
    """Somebody who began with `parley` alone has a Parley in their own folder: that one is set up."""
    user, here = new_user(tmp_path / "user"), tmp_path / "here"
    own = Path(user["XDG_DATA_HOME"]) / "parley"
    here.mkdir()
    line = ("init", "--yes", "--no-check", "--telegram-token=1:x")
    first = parley(here, *line, **user)
    assert (first.returncode, sorted(path.name for path in here.iterdir())) == (0, [".env", "config.yaml"])
    for path in here.iterdir():
        path.unlink()
    (own / "data").mkdir(parents=True)
    (own / "data" / "parley.db").touch()
    again = parley(here, *line, **user)
    assert (again.returncode, list(here.iterdir())) == (0, []), again.stderr
    assert {".env", "config.yaml"} <= {path.name for path in own.iterdir()}
    assert str(own) in again.stdout
