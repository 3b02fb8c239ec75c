"""Speech instead of writing."""

from __future__ import annotations

from tests.contract.harness.scene import Scene
from tests.contract.harness.scripted_agent import Told
from tests.contract.promise import given, needs
from tests.kit.samples.voice_files import voice_message

_SOUND = b"OggS" + bytes(range(256)) * 40
_WORDS = "When is the next release?"


@needs("voice")
@given(hears=True)
async def promise_a_voice_message_becomes_words(scene: Scene) -> None:
    """A voice message becomes words: the agent gets them, and the person sees them above the answer."""
    scene.ears.text = _WORDS
    place = await scene.driver.private()
    await scene.driver.say_aloud(place, _SOUND)
    await scene.until_done(place)
    (heard,) = scene.ears.files
    assert heard.content == _SOUND
    (request,) = scene.agent.requests
    assert (request.text, request.files) == (_to_agent(_WORDS), ())
    (answer,) = await scene.answers(place)
    shown, asked = answer.find(f"I heard: “{_WORDS}”"), answer.find("you said")
    assert 0 <= shown < asked


@needs("transcribes")
@given(hears=True)
async def promise_what_the_platform_understood_is_taken(scene: Scene) -> None:
    """The words that the platform itself understood of a voice message are taken, and no service is asked."""
    scene.ears.text = "something else"
    place = await scene.driver.private()
    await scene.driver.say_understood(place, _SOUND, _WORDS)
    await scene.until_done(place)
    (answer,) = await scene.answers(place)
    assert f"I heard: “{_WORDS}”" in answer
    assert (scene.agent.texts, scene.ears.asked) == ([_to_agent(_WORDS)], 0)


@needs("recognizes")
@given(hears=True, asks_platform=True)
async def promise_the_platform_is_asked_what_was_said(scene: Scene) -> None:
    """A platform that hears when it is asked is asked first, and the service only where it refuses."""
    scene.ears.text = "something else"
    scene.driver.understand(_WORDS)
    place = await scene.driver.private()
    await scene.driver.say_aloud(place, voice_message(1.0))
    await scene.until_done(place)
    assert (scene.agent.texts, scene.ears.asked) == ([_to_agent(_WORDS)], 0)
    scene.driver.understand("")
    await scene.driver.say_aloud(place, voice_message(1.0))
    await scene.until_done(place, 2)
    assert (scene.agent.texts[1:], scene.ears.asked) == ([_to_agent("something else")], 1)
    first, second = await scene.answers(place)
    assert f"I heard: “{_WORDS}”" in first
    assert "I heard: “something else”" in second


@needs("voice")
@given(hears=True)
async def promise_what_was_heard_survives_a_crash(scene: Scene) -> None:
    """After a crash a voice message has the same words, and the service is not asked again."""
    scene.ears.text = _WORDS
    scene.agent.script = told = Told()
    place = await scene.driver.private()
    await scene.driver.say_aloud(place, _SOUND)
    await scene.until_asked()
    await scene.crash()
    scene.ears.text = "something else"
    await scene.start()
    await scene.until_asked(2)
    told.ends("On Friday.")
    await scene.until_done(place)
    (answer,) = await scene.answers(place)
    assert f"I heard: “{_WORDS}”" in answer
    assert answer.endswith("On Friday.")
    assert scene.ears.asked == 1
    assert set(scene.agent.texts) == {_to_agent(_WORDS)}


def _to_agent(words: str) -> str:
    return f'<transcribed from="voice message">\n{words}\n</transcribed>'
