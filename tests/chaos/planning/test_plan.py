"""Plans: everything is in them, and the seed is all that they are made of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.chaos.planning.options import read
from tests.chaos.planning.plan import KINDS, TROUBLES, make_plan
from tests.chaos.planning.process_faults import (
    CUTS,
    DATABASE_FAULTS,
    LEASE,
    make_process_faults,
    parleys,
)
from tests.chaos.planning.scale import Edition, Scale

_SCALE = Scale(1000, kills=100, seed=4, freezes=20, steps=5, fills=5, restarts=5, cuts=5, updates=2)


def test_a_plan_has_every_platform_and_every_trouble_in_it():
    plan = make_plan(_SCALE, "inside")
    assert {line.kind for line in plan.lines} == set(KINDS)
    assert {(fault.platform, fault.trouble) for fault in plan.faults} == {
        (platform, trouble) for platform, troubles in TROUBLES for trouble in troubles
    }


def test_a_short_plan_has_every_kind_of_place_in_it():
    plan = make_plan(Scale(turns=30, kills=3, seed=1), "apart")
    assert {line.kind for line in plan.lines} == set(KINDS)


@pytest.mark.parametrize("edition", ["inside", "apart", "nodes"])
def test_a_plan_is_its_seeds(edition: Edition):
    plan = make_plan(_SCALE, edition)
    assert plan == make_plan(_SCALE, edition)
    other = make_plan(replace(_SCALE, seed=5), edition)
    assert (plan.lines, plan.blows, plan.faults) != (other.lines, other.blows, other.faults)
    assert sum(len(line.said) for line in plan.lines) == _SCALE.turns


@pytest.mark.parametrize(
    ("edition", "shocks"),
    [
        ("inside", {"kill", "freeze", "clock"}),
        ("apart", {"kill", "freeze", "clock", "disk"}),
        ("nodes", {"kill", "freeze", "clock", "update", *CUTS, *DATABASE_FAULTS}),
    ],
)
def test_each_edition_is_hit_by_what_can_hit_it(edition: Edition, shocks: set[str]):
    blows = make_process_faults(_SCALE, edition)
    assert {blow.shock for blow in blows} == shocks
    hit = {name for blow in blows if blow.shock != "kill" for name in blow.victims}
    assert hit == set(parleys(edition))
    assert sum(blow.shock == "kill" and blow.victims != ("agent",) for blow in blows) == _SCALE.kills
    assert sum(blow.shock == "freeze" for blow in blows) == _SCALE.freezes
    assert [blow.answers for blow in blows] == sorted(blow.answers for blow in blows)


def test_most_freezes_of_a_node_outlast_its_lease():
    freezes = [
        blow.lasts
        for blow in make_process_faults(replace(_SCALE, freezes=100), "nodes")
        if blow.shock == "freeze"
    ]
    assert 60 < sum(lasts > LEASE for lasts in freezes) < 100


def test_shares_are_all_of_it():
    shares = _SCALE.shares(3)
    assert sum(share.turns for share in shares) == _SCALE.turns
    assert sum(share.freezes for share in shares) == _SCALE.freezes
    assert len({share.seed for share in shares}) == 3
    assert _SCALE.shares(1) == (_SCALE,)


def test_the_command_says_how_much():
    whole = read(["sqlite", "--full"], {})
    assert (whole.whole.turns, whole.whole.kills, whole.whole.freezes) == (10_000, 1_000, 100)
    assert {edition for edition, _ in whole.towns} == {"inside", "apart"}
    short = read(["nodes"], {"PARLEY_CHAOS_TURNS": "60", "PARLEY_CHAOS_SEED": "7"})
    assert (short.whole.turns, short.whole.kills, short.whole.seed) == (60, 6, 7)
    assert [edition for edition, _ in short.towns] == ["nodes"]
    assert (short.whole.cuts, short.whole.restarts, short.whole.updates) == (3, 5, 1)


def test_what_is_said_again_by_the_command_is_the_same_plan():
    [(_, share), *_] = read(["sqlite", "--full"], {}).towns
    numbers = [f"--{name}={getattr(share, name)}" for name in ("turns", "kills", "freezes", "seed")]
    others = [
        f"--{name}={getattr(share, name)}" for name in ("steps", "fills", "restarts", "cuts", "updates")
    ]
    again = read(["sqlite", "--edition", "inside", "--towns", "1", *numbers, *others], {})
    assert again.towns == [("inside", share)]
