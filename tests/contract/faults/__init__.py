"""Seeded faults: a suite that does not catch them has no teeth."""

from __future__ import annotations

from tests.contract.driver import Driver
from tests.contract.faults import (
    dingtalk,
    feedback,
    feishu,
    inbound,
    lifecycle,
    memory,
    outbound,
    questions,
    slack,
    suggestions,
    telegram,
    thread_context,
    voice,
    web,
)
from tests.contract.faults.fault import Fault
from tests.contract.promise import meets
from tests.contract.promises import PROMISES

_NEUTRAL = (
    *(*inbound.FAULTS, *outbound.FAULTS, *lifecycle.FAULTS, *questions.FAULTS),
    *(*thread_context.FAULTS, *voice.FAULTS, *feedback.FAULTS, *suggestions.FAULTS),
    *memory.FAULTS,
)
_OWN = {
    "feishu": feishu.FAULTS,
    "slack": slack.FAULTS,
    "dingtalk": dingtalk.FAULTS,
    "telegram": telegram.FAULTS,
    "web": web.FAULTS,
}


def faults_for(driver: type[Driver]) -> tuple[Fault, ...]:
    """The faults that the suite must catch in this driver's channel."""
    fitting = [fault for fault in _NEUTRAL if _fits(fault, driver)]
    return (*fitting, *_OWN.get(driver.name, ()))


def _fits(fault: Fault, driver: type[Driver]) -> bool:
    if fault.only not in ("", driver.name):
        return False
    has = all(meets(driver.traits, need) for need in fault.needs)
    return has and PROMISES[fault.breaks].applies(driver.traits)
