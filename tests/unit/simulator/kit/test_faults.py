"""Faults strike the calls that they are for, as often as they say; an outage ends all."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from aiohttp import web

from parley.simulator.kit.faults import MethodFault, MethodFaults


@dataclass
class OneFault(MethodFault):
    spared = "poll"

    def refuse(self) -> None:
        raise ValueError(self.method)


class OnePlatformFaults(MethodFaults[OneFault]):
    kind = OneFault


@pytest.fixture
def faults():
    return OnePlatformFaults()


def test_a_fault_strikes_its_method_as_often_as_it_says(faults):
    faults.slow_next("send", 2.0, times=2)
    assert [faults.take(call).delay for call in ("edit", "send", "send", "send")] == [0.0, 2.0, 2.0, 0.0]


def test_a_fault_of_no_method_strikes_all_but_the_spared_one(faults):
    faults.garble_next("", "rubbish")
    assert [faults.take(call).body for call in ("poll", "edit", "edit")] == ["", "rubbish", ""]


def test_the_spared_method_is_struck_by_its_name(faults):
    faults.reset_next("poll")
    assert faults.take("poll").reset == "before"


async def test_a_reset_cuts_before_the_effect_or_loses_the_answer(faults):
    faults.reset_next("send")
    with pytest.raises(ConnectionResetError):
        await faults.begin("send")
    faults.reset_next("send", "after")
    fault = await faults.begin("send")
    with pytest.raises(ConnectionResetError):
        fault.spoil(web.Response())
    faults.reset_next("send", "after")
    with pytest.raises(ConnectionResetError):
        await faults.begin("send", effect=False)


async def test_an_outage_cuts_every_call_until_it_is_cleared(faults):
    faults.outage(1000.0)
    with pytest.raises(ConnectionResetError):
        await faults.begin("send")
    faults.clear()
    assert (await faults.begin("send")).body == ""


async def test_a_spoilt_answer_has_another_body(faults):
    faults.garble_next("send")
    answer = (await faults.begin("send")).spoil(web.json_response({}))
    assert isinstance(answer, web.Response)
    assert (answer.status, answer.content_type, answer.text) == (200, "text/html", "<html>")
