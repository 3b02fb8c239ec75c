"""/language: each person is spoken to as they wish, whatever their platform says."""

from pathlib import Path

from parley.core.model.address import Conversation, User, account_key
from tests.kit.doubles.core import core

ANN = User("test", "ann", "Ann", language="en-GB")


async def test_a_choice_comes_before_the_platform_until_it_is_taken_back(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        for text in ("/language", "/language zh", "/stop", "/language", "/language auto", "/stop"):
            await parley.say(text, sender=ANN)
            await parley.channel.until_finals(len(parley.channel.finals) + 1)
        listed, chosen, stopped, again, auto, after = parley.channel.texts
        assert "Now: `auto`" in listed
        assert chosen == "好的，我会用中文与您交流。"
        assert stopped == "这里没有正在进行的回答。"
        assert "当前：`zh`" in again
        assert auto.startswith("好的，我会使用")
        assert after == "Nothing is running here."


async def test_a_choice_is_of_the_person_not_of_the_place(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        await parley.say("/language zh", sender=ANN)
        await parley.channel.until_finals(1)
        await parley.say("/stop", sender=ANN, conversation=Conversation("test", "elsewhere"))
        await parley.channel.until_finals(2)
        await parley.say("/stop", sender=User("test", "bob", "Bob", language="en"))
        await parley.channel.until_finals(3)
        assert parley.channel.texts[1:] == ["这里没有正在进行的回答。", "Nothing is running here."]


async def test_linked_accounts_are_spoken_to_alike(tmp_path: Path) -> None:
    bob = User("test", "bob", "Bob", language="en")
    async with core(tmp_path) as parley:
        people = parley.services.people
        await people.join(account_key(bob), account_key(ANN))
        await parley.say("/language zh", sender=ANN)
        await parley.channel.until_finals(1)
        await parley.say("/stop", sender=bob)
        assert (await parley.channel.until_finals(2))[1] == "这里没有正在进行的回答。"
        assert await people.leave(bob)
        assert await people.language_of(bob) == ""


async def test_turns_and_their_replies_know_the_language(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        await parley.say("/language zh", sender=ANN)
        await parley.channel.until_finals(1)
        await parley.say("hi", sender=ANN)
        await parley.channel.until_finals(2)
        assert parley.channel.targets[-1].asker.language == "zh"
        assert (await parley.memory.until_turns(1))[0].language == "zh"


async def test_a_run_is_told_in_which_language_its_steps_are_named(tmp_path: Path) -> None:
    async with core(tmp_path) as parley:
        await parley.say("/language zh", sender=ANN)
        await parley.channel.until_finals(1)
        await parley.say("hello", sender=ANN)
        await parley.channel.until_finals(2)
        assert [request.language for request in parley.agent.requests] == ["zh"]
