"""What no platform should do, and does."""

from __future__ import annotations

import random

from parley.core.model.types import Outcome
from tests.contract.driver import Trouble, Upload
from tests.contract.harness.scene import Scene
from tests.contract.harness.scripted_agent import answering
from tests.contract.promise import needs
from tests.kit.machine import patience


async def promise_rubbish_is_survived(scene: Scene) -> None:
    """Malformed payloads neither end nor block the channel: later messages are answered."""
    place = await scene.driver.private()
    for number in (1, 2):
        await scene.driver.rubbish(place)
        await scene.driver.say(place, f"still there {number}?")
        await scene.until_shows(place, f"you said still there {number}?")
    assert scene.watch.connections == 1


@needs("credentials")
async def promise_refused_credentials_are_final(scene: Scene) -> None:
    """Refused credentials stop the channel within seconds, at the start or later, and are reported."""
    scene.driver.revoke()
    await scene.until(lambda: scene.process.supervisor.report().health == "refused", "a refusal")
    await scene.stop()
    await scene.start()
    await scene.until(lambda: scene.process.supervisor.report().health == "refused", "a refusal again")


async def promise_dropped_connections_come_back(scene: Scene) -> None:
    """A dropped connection is restored, and messages from that time are not lost or duplicated."""
    place = await scene.driver.private()
    for number in range(1, 4):
        scene.driver.drop_connection()
        await scene.ask(place, f"after drop {number}", number)
    assert await scene.answers(place) == [f"you said after drop {number}" for number in (1, 2, 3)]
    assert scene.agent.texts == [f"after drop {number}" for number in (1, 2, 3)]


async def promise_secrets_stay_out_of_the_log(scene: Scene) -> None:
    """No error puts a credential into the log or into messages for the operator."""
    assert scene.driver.secrets
    place = await scene.driver.private()
    await scene.driver.attach(place, [Upload("a.bin", random.Random(1).randbytes(2_000))], "hello")
    await scene.until_done(place)
    troubles = sorted(scene.driver.traits.troubles - {Trouble.SLOW})
    places = [await scene.driver.private() for _ in troubles]
    for trouble, each in zip(troubles, places, strict=True):
        scene.driver.trouble(trouble)
        await scene.driver.say(each, f"after {trouble}")
    for each in places:
        await scene.until_done(each)
    scene.agent.script = answering("no", outcome=Outcome.FAILED)
    await scene.driver.rubbish(place)
    scene.driver.outage(patience(0.15))
    scene.driver.drop_connection()
    await scene.driver.say(place, "the end")
    await scene.until(lambda: "the end" in scene.agent.texts, "to be heard again")
    if scene.driver.traits.credentials:
        scene.driver.revoke()
        await scene.until(lambda: scene.process.supervisor.report().health == "refused", "a refusal")
    told = [*scene.log.lines, scene.process.supervisor.report().detail]
    assert not [line for line in told if any(secret in line for secret in scene.driver.secrets)]
