"""Secrets in `.env`: added, readable by nobody else, and never written over in silence."""

import pytest

from parley.app.settings.parsing.dotenv import with_dotenv
from parley.app.storage.env_file import require_unset, write_variables
from parley.core.model.errors import ConfigError, ParleyError


def test_a_new_file_is_for_us_alone(tmp_path):
    path = tmp_path / ".env"
    write_variables(path, {"A": "1", "B": "two"})
    assert with_dotenv({}, path) == {"A": "1", "B": "two"}
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_lines_for_them_are_filled_in_and_all_others_stay(tmp_path):
    path = tmp_path / ".env"
    path.write_text("# mine\nKEY=x=y\nA=\nexport B=old\n\nC='3'")
    path.chmod(0o644)
    require_unset(path, ["A", "D"], {})
    write_variables(path, {"A": "1", "B": "2", "D": "4"})
    assert path.read_text() == "# mine\nKEY=x=y\nA=1\nB=2\n\nC='3'\nD=4\n"
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_is_set_already_is_named(tmp_path):
    path = tmp_path / ".env"
    require_unset(path, ["A"], {"A": ""})
    path.write_text("A=1\nB=2\n")
    with pytest.raises(ConfigError, match="A, B are set already"):
        require_unset(path, ["A", "B", "C"], {})
    require_unset(path, ["A", "B", "C"], {}, replace=True)
    with pytest.raises(ConfigError, match="B are set in the environment"):
        require_unset(path, ["A", "B"], {"B": "3"}, replace=True)


def test_a_place_that_takes_no_file_is_named(tmp_path):
    with pytest.raises(ParleyError, match="cannot be written"):
        write_variables(tmp_path / "missing" / ".env", {"A": "1"})
