"""`parley config upgrade` asks before it writes, hides secrets, and says what it did."""

import io

import pytest

from parley.app.cli.main import main

TEXT = "questions:\n  audit_days: 9   # ours\nchannels:\n  telegram:\n    bot_token: 1234567:hidden-secret\n"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    (tmp_path / "config.yaml").write_text(TEXT)
    return tmp_path


@pytest.mark.parametrize(("typed", "code"), [("n\n", 1), ("\n", 1), ("y\n", 0)])
def test_nothing_is_written_unless_somebody_agrees(folder, monkeypatch, capsys, typed, code):
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    assert main(["config", "upgrade"]) == code
    shown = capsys.readouterr().out
    assert "questions.audit_days is retention.audit_days now" in shown
    assert "hidden-secret" not in shown
    written = (folder / "config.yaml").read_text()
    assert (written == TEXT) == bool(code)
    assert (folder / "config.yaml.before-upgrade").exists() == (not code)


def test_without_a_terminal_nobody_can_agree(folder, capsys):
    assert main(["config", "upgrade"]) == 1
    assert "--yes writes it" in capsys.readouterr().err
    assert (folder / "config.yaml").read_text() == TEXT


def test_an_earlier_copy_is_kept(folder):
    (folder / "config.yaml.before-upgrade").write_text("precious")
    assert main(["config", "upgrade", "--yes"]) == 0
    assert (folder / "config.yaml.before-upgrade").read_text() == "precious"
    assert (folder / "config.yaml.before-upgrade-2").read_text() == TEXT


def test_where_there_is_nothing_to_do_it_says_so(folder, capsys):
    (folder / "config.yaml").unlink()
    (folder / ".env").touch()
    assert main(["config", "upgrade"]) == 0
    assert "runs with the defaults" in capsys.readouterr().out
    assert main(["config", "upgrade", "--config", "other.yaml"]) == 2
    assert "other.yaml: no such file" in capsys.readouterr().err
    (folder / "config.yaml").write_text("agnet: {}\n")
    assert main(["config", "upgrade", "--yes"]) == 2
    assert 'did you mean "agent"' in capsys.readouterr().err
