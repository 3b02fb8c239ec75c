"""Channels are kept connected, and none of them harms another."""

import asyncio
import logging
from contextlib import suppress

import pytest

from parley.app.supervision.channel_supervisor import (
    Backoff,
    ChannelSupervisor,
    ChannelSupervisors,
    TimeAndRandom,
)
from parley.core.model.address import Conversation, User
from parley.core.model.errors import AuthenticationRefused, ChannelUnavailable, RateLimited
from parley.core.model.types import InboundMessage
from parley.core.ports.health import Health
from tests.kit.doubles.scripted_channel import ScriptedChannel, Time, dies_of
from tests.kit.machine import patience

MESSAGE = InboundMessage(
    "1", Conversation("scripted", "c"), User("scripted", "ada"), "hi", addressed=True, private=True, sent_at=0
)


async def nobody(message):
    raise AssertionError("nothing is said in this test")


async def undecided(click):
    return f"pressed {click.option}"


def supervised(channel, time=None, accept=nobody):
    time = time or Time()
    return ChannelSupervisor(
        channel, accept, undecided, surroundings=TimeAndRandom(time.clock, time.sleep, lambda: 1.0)
    )


async def until_settled(channel, supervisor):
    task = asyncio.create_task(supervisor.run())
    await channel.settled.wait()
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def test_a_lost_connection_is_made_again_after_growing_pauses():
    time = Time()
    channel = ScriptedChannel(*[dies_of(ChannelUnavailable("away")) for _ in range(8)])
    await until_settled(channel, supervised(channel, time))
    assert time.sleeps == [1, 2, 4, 8, 16, 32, 60, 60]


async def test_a_connection_that_stood_starts_the_pauses_anew():
    time = Time()
    lives = [dies_of(ChannelUnavailable("away")), dies_of(ChannelUnavailable("away")), time.stays_up(100)]
    channel = ScriptedChannel(*lives)
    await until_settled(channel, supervised(channel, time))
    assert time.sleeps == [1, 2, 1]


async def test_a_flapping_connection_does_not():
    time = Time()
    channel = ScriptedChannel(*[time.stays_up(0.1) for _ in range(3)])
    await until_settled(channel, supervised(channel, time))
    assert time.sleeps == [1, 2, 4]


async def test_the_platforms_own_pause_is_kept_exactly():
    time = Time()
    channel = ScriptedChannel(dies_of(RateLimited("too fast", 7.5)))
    await until_settled(channel, supervised(channel, time))
    assert time.sleeps == [7.5]


@pytest.mark.parametrize("chance", [0.0, 0.3, 1.0])
def test_pauses_are_scattered_but_never_short_and_never_long(chance):
    pauses = [Backoff().pause(failures, chance) for failures in range(1, 100)]
    assert all(1 <= pause <= 60 for pause in pauses)
    assert pauses[8] == 60 * (0.5 + chance / 2)


class TroubledChannel(ScriptedChannel):
    trouble = ""


async def test_what_is_wrong_at_the_platform_is_reported_while_the_channel_is_connected():
    channel = TroubledChannel(dies_of(ChannelUnavailable("away")))
    supervisor = supervised(channel)
    channel.trouble = "the app is not published; publish it"
    assert supervisor.report().detail == "connecting"
    task = asyncio.create_task(supervisor.run())
    await channel.settled.wait()
    told = "connected, but the app is not published; publish it"
    assert (supervisor.report().health, supervisor.report().detail) == (Health.UP, told)
    channel.trouble = ""
    assert supervisor.report().detail == "connected"
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def test_refused_credentials_stop_the_channel_and_show_why():
    supervisor = supervised(ScriptedChannel(dies_of(AuthenticationRefused("the token is wrong"))))
    await supervisor.run()
    told = "the token is wrong; mend it, then send Parley SIGHUP"
    assert (supervisor.report().health, supervisor.report().detail) == (Health.REFUSED, told)


async def test_refused_credentials_are_named_by_their_place_in_the_configuration(caplog):
    refused = AuthenticationRefused("the token is wrong", "bot_token", "app_token")
    channel = ScriptedChannel(dies_of(refused))
    await supervised(channel).run()
    where = f"correct channels.{channel.name}.bot_token and channels.{channel.name}.app_token"
    assert f"is stopped: the token is wrong; {where}, and it connects again" in caplog.text


async def test_a_fault_is_logged_with_its_trace_and_tried_again(caplog):
    channel = ScriptedChannel(dies_of(ZeroDivisionError("oops")))
    await until_settled(channel, supervised(channel))
    assert [record.exc_info[0] for record in caplog.records if record.exc_info] == [ZeroDivisionError]


async def test_the_report_is_honest_about_state_reason_and_time():
    time = Time()
    seen = []

    async def look(inbox):
        seen.append(supervisor.report())
        inbox.online()
        seen.append(supervisor.report())
        time.now += 50
        raise ChannelUnavailable("gone")

    channel = ScriptedChannel(look, dies_of(ChannelUnavailable("still gone")))
    supervisor = supervised(channel, time)
    await until_settled(channel, supervisor)
    up = supervisor.report()
    assert [(report.health, report.since) for report in [*seen, up]] == [
        (Health.STARTING, 1000),
        (Health.UP, 1000),
        (Health.UP, 1053),
    ]


async def test_since_is_when_the_trouble_began_not_the_newest_try():
    time = Time()
    channel = ScriptedChannel(
        *[dies_of(ChannelUnavailable("gone")) for _ in range(3)], dies_of(AuthenticationRefused("no"))
    )
    reports = []
    sleep = time.sleep

    async def noting_sleep(seconds):
        reports.append(supervisor.report())
        await sleep(seconds)

    supervisor = ChannelSupervisor(
        channel, nobody, undecided, surroundings=TimeAndRandom(time.clock, noting_sleep, lambda: 1.0)
    )
    await supervisor.run()
    assert {(report.health, report.detail, report.since) for report in reports} == {
        (Health.RETRYING, "gone", 1000)
    }


async def test_what_a_channel_hears_is_accepted():
    heard = []

    async def says(inbox):
        await inbox.accept(MESSAGE)

    async def accept(message):
        heard.append(message)

    channel = ScriptedChannel(says)
    await until_settled(channel, supervised(channel, accept=accept))
    assert heard == [MESSAGE]


async def test_a_broken_channel_and_a_stuck_one_do_not_hurt_a_third():
    async def stuck(inbox):
        await asyncio.Event().wait()

    broken, third = ScriptedChannel(dies_of(ValueError("bad"))), ScriptedChannel()
    channels = (broken, ScriptedChannel(stuck), third)
    for number, channel in enumerate(channels):
        channel.name = f"test{number}"
    async with ChannelSupervisors([supervised(channel) for channel in channels]) as running:
        await third.settled.wait()
        await broken.settled.wait()
        assert [report.health for report in running.reports()] == [Health.UP, Health.STARTING, Health.UP]


async def test_a_channel_that_swallows_its_cancellation_once_is_stopped_by_the_second():
    entered, left = asyncio.Event(), asyncio.Event()

    async def stubborn(inbox):
        with suppress(asyncio.CancelledError):
            entered.set()
            await asyncio.Event().wait()
        try:
            await asyncio.Event().wait()
        finally:
            left.set()

    async with ChannelSupervisors([supervised(ScriptedChannel(stubborn))], patience=0.05):
        await entered.wait()
    assert left.is_set()


async def test_a_channel_that_never_stops_is_left_behind_with_a_line_in_the_log(caplog):
    entered, free = asyncio.Event(), asyncio.Event()

    async def hangs(inbox):
        entered.set()
        while not free.is_set():
            with suppress(asyncio.CancelledError):
                await free.wait()

    caplog.set_level(logging.ERROR)
    async with ChannelSupervisors([supervised(ScriptedChannel(hangs))], patience=0.01):
        await entered.wait()
    free.set()
    assert "channel scripted does not stop" in caplog.text


@pytest.mark.parametrize(
    ("lives", "health"), [((), Health.UP), ((dies_of(AuthenticationRefused("no")),), Health.REFUSED)]
)
async def test_a_channel_has_begun_when_it_stands_or_could_not(lives, health):
    async with ChannelSupervisors([supervised(ScriptedChannel(*lives))], patience=5) as running:
        assert running.reports()[0].health is Health.STARTING
        await running.wait_until_started("scripted")
        assert running.reports()[0].health is health


async def test_nobody_waits_for_ever_for_a_channel_to_begin():
    async def hangs(inbox):
        await asyncio.Event().wait()

    async with ChannelSupervisors([supervised(ScriptedChannel(hangs))], patience=0.05) as running:
        await asyncio.wait_for(running.wait_until_started("scripted"), patience(5))
        await asyncio.wait_for(running.wait_until_started("one that is off"), patience(5))
        assert running.reports()[0].health is Health.STARTING
