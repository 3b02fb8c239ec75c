"""What `parley check` tells of an app."""

from parley.channels.slack.users import SlackBotIdentity


async def test_an_app_is_called_by_the_names_that_people_see(world):
    result = await world.channel().preflight()
    assert (result.who, result.lacking) == ("@parley in Simulated", ())


def test_ids_stand_for_names_that_slack_does_not_tell():
    assert SlackBotIdentity("U0BOT", "B0BOT", "T1").describe() == "@U0BOT in T1"
