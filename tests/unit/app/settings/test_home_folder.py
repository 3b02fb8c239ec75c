"""Where a Parley is that no option names."""

import platformdirs
import pytest

from parley.app.settings.home_folder import home_folder


@pytest.fixture(autouse=True)
def _users(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "mine"))


@pytest.mark.parametrize("mark", ["config.yaml", ".env", "langgraph.json", "data/parley.db"])
def test_a_folder_where_one_is_set_up_is_its_own(tmp_path, mark):
    (tmp_path / mark).parent.mkdir(exist_ok=True)
    (tmp_path / mark).touch()
    assert home_folder(tmp_path) == tmp_path


def test_any_other_leaves_it_to_the_users_folder(tmp_path):
    (tmp_path / "data").mkdir()  # anybody's
    found = home_folder(tmp_path)
    assert found == platformdirs.user_data_path("parley", appauthor=False)
    assert found != tmp_path
    assert not found.exists()
