"""The table of effects: a row for every setting, and none for what is no setting."""

import pytest

from parley.app.reload.effects import RELOAD_EFFECTS, ReloadEffect, channel_effect
from parley.app.settings.channel_registry import channel_config, channel_names
from parley.app.settings.schema.model import Settings
from parley.channels.kit.config import ChannelConfig, Section


def settings_of_the_schema():
    yield from (("channels", key) for key in ChannelConfig.model_fields)
    for name, field in Settings.model_fields.items():
        section = field.annotation
        if isinstance(section, type) and issubclass(section, Section):
            yield from ((name, key) for key in section.model_fields)
        elif name != "channels":
            yield ("", name)


def test_every_setting_has_a_row_and_every_row_a_setting():
    assert set(RELOAD_EFFECTS) == set(settings_of_the_schema())


@pytest.mark.parametrize("name", channel_names())
def test_keys_that_only_a_platform_has_connect_it_again_or_wait(name):
    kind = channel_config(name)
    expected = ReloadEffect.CHANNEL if kind.reconnects else ReloadEffect.RESTART
    own = [key for key in kind.model_fields if key not in ChannelConfig.model_fields]
    assert {channel_effect(kind, key) for key in (*own, "enabled")} == {expected}
    assert kind.read_at_start <= set(ChannelConfig.model_fields)
    assert channel_effect(kind, "mention") is ReloadEffect.SWAPPED
