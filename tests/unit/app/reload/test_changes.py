"""What an edit means: swapped, connected again, loaded again, or kept until a restart."""

from pathlib import Path

import pytest

from parley.app.reload.changes import plan_reload
from parley.app.settings.load import read_settings

TELEGRAM = "channels: {telegram: {bot_token: '1:aa', %s}}"
GRAPHS = "agent: {graphs: {agent: 'a.py:graph'}, %s}"


def plan(before, after):
    return plan_reload(
        *(read_settings(text, "config.yaml", {}, Path("/nowhere")) for text in (before, after))
    )


def test_the_same_settings_change_nothing():
    found = plan(TELEGRAM % "mention: never", TELEGRAM % "mention: never")
    assert (found.changed, found.waiting, found.reconnected, found.graphs) == ((), (), (), False)


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ("", "limits: {person: {turns_per_day: 5}}", "limits.person"),
        ("", "language: zh", "language"),
        ("", "session: {context: {a: 1}}", "session.context"),
        ("", "memory: {max_facts: 20}", "memory.max_facts"),
        (TELEGRAM % "", TELEGRAM % "allowed_users: [1]", "channels.telegram.allowed_users"),
        (TELEGRAM % "", TELEGRAM % "triggers: [{authors: [1]}]", "channels.telegram.triggers"),
    ],
)
def test_what_is_read_when_it_is_needed_is_swapped(before, after, changed):
    found = plan(before, after)
    assert (found.changed, found.waiting, found.reconnected) == ((changed,), (), ())


def test_a_channel_is_switched_on_and_off_and_connected_again():
    off, on, other = TELEGRAM % "enabled: false", TELEGRAM % "", TELEGRAM.replace("aa", "bb") % ""
    assert plan(off, on).started == ("telegram",)
    assert plan(on, off).stopped == ("telegram",)
    found = plan(on, other)
    assert (found.changed, found.reconnected) == (("channels.telegram.bot_token",), ("telegram",))


def test_a_section_of_a_name_of_its_own_comes_and_goes():
    without, own = (
        TELEGRAM % "",
        "channels: {telegram: {bot_token: '1:aa'}, two: {type: telegram, bot_token: '2:b'}}",
    )
    assert plan(without, own).started == ("two",)
    assert plan(own, without).stopped == ("two",)


def test_what_needs_a_restart_stays_as_it_was_and_is_named():
    found = plan("", "console: {port: 1}\nstore: {lease: 30}\ndata_dir: other\nagent: {timeout: 5}")
    assert set(found.waiting) == {"console.port", "store.lease", "data_dir"}
    assert found.changed == ("agent.timeout",)
    settings = found.loaded.settings
    assert (settings.console.port, settings.store.lease, settings.data_dir) == (8765, 15, "data")
    assert found.loaded.data_dir == Path("/nowhere/data")
    assert settings.agent.timeout == 5


def test_the_page_keeps_what_it_began_with():
    found = plan("", "channels: {web: {name: Ann, enabled: false}}")
    assert set(found.waiting) == {"channels.web.name", "channels.web.enabled"}
    assert "web" in found.loaded.channels
    assert found.loaded.plans["web"].config.name == "You"


def test_graphs_are_loaded_again_but_an_agent_elsewhere_needs_a_restart():
    assert plan(GRAPHS % "", GRAPHS.replace("a.py", "b.py") % "").graphs
    assert plan("", "agent: {model: 'x:y'}").graphs
    found = plan("", GRAPHS % "timeout: 9")
    assert not found.graphs
    assert set(found.waiting) == {"agent.graphs", "agent.timeout"}
    assert found.loaded.settings.agent.graphs == {}
    assert plan("", "agent: {url: 'http://localhost:1'}").waiting == ("agent.url",)
