"""Which store the configuration opens."""

import pytest

from parley.app.settings.load import read_settings
from parley.app.storage.store import is_new_store, open_store, open_store_read_only
from parley.core.model.errors import ConfigError, StoreUnavailable
from parley.core.ports.journal import Document, NewQueueItem


def loaded(folder, text=""):
    return read_settings(text, "config.yaml", {}, folder)


async def test_without_a_word_it_is_a_file_in_the_data_folder(tmp_path):
    settings = loaded(tmp_path, "data_dir: here\n")
    assert is_new_store(settings)
    async with open_store(settings) as store:
        await store.set(Document("k", "v", 0))
        await store.put(NewQueueItem("in", "x", "1"))
    assert not is_new_store(settings)
    assert (tmp_path / "here" / "parley.db").exists()
    async with open_store_read_only(settings) as look:
        assert (await look.get("k")).body == "v"
        assert [item.body for item in await look.waiting("in", "x")] == ["1"]


@pytest.mark.parametrize("url", ["mysql://ann:secret@db/x", "sqlite3", ""])
def test_another_kind_of_store_is_refused_and_its_password_not_repeated(tmp_path, url):
    with pytest.raises(ConfigError, match=r"store.url") as refused:
        loaded(tmp_path, f'store: {{url: "{url}"}}\n')
    assert "postgresql://" in str(refused.value)
    assert "secret" not in str(refused.value)


async def test_a_server_that_is_away_is_one_line_without_the_password(tmp_path):
    settings = loaded(tmp_path, "store: {url: 'postgresql://ann:secret@127.0.0.1:1/parley'}\n")
    assert not is_new_store(settings)
    with pytest.raises(StoreUnavailable, match="cannot be reached") as refused:
        async with open_store(settings):
            pass
    assert "secret" not in str(refused.value)
    assert "secret" not in repr(settings)
