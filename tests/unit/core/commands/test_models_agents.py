"""/agents: chosen by name, id or graph, as far as it is offered."""

from dataclasses import replace
from pathlib import Path

import pytest

from parley.core.model.options import CoreOptions
from parley.core.ports.agent import AssistantInfo
from tests.kit.doubles.core import core, default_options

DESK = "8a3f4b1c-0000-4000-8000-000000000001"
TWIN = "8a3f4b1c-0000-4000-8000-000000000002"
SERVED = (
    AssistantInfo("agent", "agent", "agent", "8a3f4b1c-0000-4000-8000-000000000003"),
    AssistantInfo(DESK, "Legal desk", "agent", DESK),
    AssistantInfo(TWIN, "Twin", "law", TWIN),
    AssistantInfo("internal", "Twin", "internal", "internal-id"),
)


async def asked_of(
    folder: Path,
    text: str,
    *,
    offered: tuple[str, ...] | None = None,
    served: tuple[AssistantInfo, ...] = SERVED,
) -> tuple[str, str]:
    """Return what a command answers, and which assistant runs then."""
    options = default_options()
    channel = replace(options.channels["test"], assistants=offered)
    async with core(folder, options=replace(options, channels={"test": channel})) as parley:
        parley.agent.offered = served
        await parley.say(text)
        await parley.channel.until_finals(1)
        await parley.say("hi")
        answer, _ = await parley.channel.until_finals(2)
        return answer, parley.agent.requests[0].session.assistant


@pytest.mark.parametrize(
    ("wanted", "target"),
    [
        ("Legal desk", DESK),
        ("`legal DESK`", DESK),
        (DESK, DESK),
        ("agent", "agent"),
        ("law", TWIN),
        (TWIN, TWIN),
        ("internal", "internal"),
        ("Twin", "agent"),
    ],
)
async def test_an_assistant_is_chosen_by_name_id_or_graph(tmp_path: Path, wanted: str, target: str) -> None:
    answer, ran = await asked_of(tmp_path, f"/agents {wanted}")
    assert ran == target
    assert ("no agent called" in answer) is (wanted == "Twin")


async def test_what_is_not_offered_is_neither_shown_nor_chosen(tmp_path: Path) -> None:
    answer, _ = await asked_of(tmp_path / "a", "/agents", offered=("legal *", "a?ent-x"))
    assert [line for line in answer.splitlines() if line.startswith("- ")] == ["- `Legal desk`"]
    answer, ran = await asked_of(tmp_path / "b", "/agents internal", offered=("Legal*",))
    assert (ran, "no agent called" in answer) == ("agent", True)
    answer, _ = await asked_of(tmp_path / "c", "/agents", offered=())
    assert "- `" not in answer


async def test_where_the_server_lists_nothing_the_names_of_the_settings_are_offered(tmp_path: Path) -> None:
    """An owner filter of a server's own Auth hides assistants from lists, though runs may name them."""
    offered = ("writer", "legal *", "Editor")
    answer, _ = await asked_of(tmp_path / "a", "/agents", offered=offered, served=())
    assert [line for line in answer.splitlines() if line.startswith("- ")] == ["- `writer`", "- `Editor`"]
    _, ran = await asked_of(tmp_path / "b", "/agents editor", offered=offered, served=())
    assert ran == "Editor"
    answer, _ = await asked_of(tmp_path / "c", "/agents", served=())
    assert "no list of agents" in answer


async def test_a_choice_that_is_no_more_offered_has_no_effect(tmp_path: Path) -> None:
    _, ran = await asked_of(tmp_path, f"/agents {DESK}")
    assert ran == DESK
    async with core(tmp_path, options=_offering("internal")) as parley:
        await parley.say("and now")
        await parley.channel.until_finals(1)
        assert parley.agent.requests[0].session.assistant == "agent"
    async with core(tmp_path, options=_offering("Legal desk")) as parley:
        await parley.say("/status")
        (status,) = await parley.channel.until_finals(1)
        assert "Agent: Legal desk" in status


def _offering(*names: str) -> CoreOptions:
    options = default_options()
    return replace(options, channels={"test": replace(options.channels["test"], assistants=names)})
