"""The Bot API as the platform answers it, judged by python-telegram-bot."""

import json

import aiohttp
import pytest
from telegram import (
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputMediaPhoto,
    MessageEntity,
    ReplyParameters,
)
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
)

from parley.simulator.telegram import TelegramRateLimits, TelegramSimulator
from parley.simulator.telegram.errors import TelegramErrorResponse
from parley.simulator.telegram.faults import TelegramRateLimiter
from tests.unit.simulator.telegram.conftest import make_bot

PNG = b"\x89PNG\r\n" + b"x" * 100


async def test_wrong_tokens_and_methods_are_told_apart(sim, http):
    async with http.post("/bot111111:wrong-token-of-the-right-form/getMe") as answer:
        assert (answer.status, (await answer.json())["description"]) == (401, "Unauthorized")
    async with http.post("/botnonsense/getMe") as answer:
        assert answer.status == 404
    async with http.post(f"/bot{sim.token}/noSuchMethod") as answer:
        assert answer.status == 404
    with pytest.raises(InvalidToken):
        async with make_bot(sim, "111111:wrong-token-of-the-right-form"):
            pass


async def test_query_form_json_and_multipart_are_all_understood(sim, alice, http):
    path = f"/bot{sim.token}/sendMessage"
    await http.post(path + f"?chat_id={alice.id}&text=query")
    await http.post(path, data={"chat_id": str(alice.id), "text": "form"})
    await http.post(path, json={"chat_id": alice.id, "text": "json"})
    with aiohttp.MultipartWriter("form-data") as body:
        for name, value in (("chat_id", str(alice.id)), ("text", "multipart")):
            body.append(value).set_content_disposition("form-data", name=name)
        await http.post(path, data=body)
    assert sim.people.answers(alice.id) == ("query", "form", "json", "multipart")


async def test_an_update_stays_until_a_higher_offset_confirms_it(sim, alice, bot):
    sim.people.say(alice.id, alice.id, "one")
    sim.people.say(alice.id, alice.id, "two")
    first = await bot.get_updates()
    assert [update.message.text for update in await bot.get_updates()] == ["one", "two"]
    assert len(await bot.get_updates(limit=1)) == 1
    (rest,) = await bot.get_updates(offset=first[0].update_id + 1)
    assert rest.message.text == "two"
    assert sim.people.unconfirmed() == 1
    sim.people.redeliver()
    assert [update.message.text for update in await bot.get_updates(offset=-1)] == ["one", "two"]


async def test_only_the_kinds_of_updates_asked_for_come(sim, alice, bot):
    await bot.get_updates(allowed_updates=["edited_message"])
    number = sim.people.say(alice.id, alice.id, "one")
    sim.people.edit(alice.id, number, "two")
    (update,) = await bot.get_updates()
    assert update.edited_message.text == "two"


async def test_a_webhook_and_polling_exclude_each_other(sim, bot):
    await bot.set_webhook("http://127.0.0.1:9/", secret_token="s")
    with pytest.raises(Conflict, match="webhook is active"):
        await bot.get_updates()
    assert (await bot.get_webhook_info()).url
    await bot.delete_webhook()
    assert await bot.get_updates() == ()


async def test_texts_are_limited_in_utf16_units(alice, bot):
    await bot.send_message(alice.id, "😀" * 2048)
    with pytest.raises(BadRequest, match="Message is too long"):
        await bot.send_message(alice.id, "😀" * 2048 + "x")
    with pytest.raises(BadRequest, match="Message text is empty"):
        await bot.send_message(alice.id, " \n")
    with pytest.raises(BadRequest, match="caption is too long"):
        await bot.send_photo(alice.id, PNG, caption="x" * 1025)


@pytest.mark.parametrize(("offset", "length"), [(0, 4), (1, 1), (-1, 2), (0, 0), (2, 9)])
async def test_marks_that_do_not_fit_the_text_are_refused(alice, bot, offset, length):
    with pytest.raises(BadRequest):
        await bot.send_message(alice.id, "😀b", entities=[MessageEntity("bold", offset, length)])
    await bot.send_message(alice.id, "😀b", entities=[MessageEntity("bold", 0, 2)])


async def test_edits_are_refused_in_the_platforms_words(sim, alice, bot):
    message = await bot.send_message(alice.id, "one")
    with pytest.raises(BadRequest, match="Message is not modified"):
        await bot.edit_message_text("one", alice.id, message.message_id)
    with pytest.raises(BadRequest, match="Message to edit not found"):
        await bot.edit_message_text("two", alice.id, 999)
    theirs = sim.people.say(alice.id, alice.id, "mine")
    with pytest.raises(BadRequest, match="can't be edited"):
        await bot.edit_message_text("two", alice.id, theirs)
    await bot.delete_message(alice.id, message.message_id)
    with pytest.raises(BadRequest, match="Message to delete not found"):
        await bot.delete_message(alice.id, message.message_id)


async def test_places_that_are_not_there_are_refused(sim, alice, bot):
    with pytest.raises(BadRequest, match="Chat not found"):
        await bot.send_message(424242, "hi")
    with pytest.raises(BadRequest, match="Message to be replied not found"):
        await bot.send_message(alice.id, "hi", reply_parameters=ReplyParameters(999))
    await bot.send_message(
        alice.id, "hi", reply_parameters=ReplyParameters(999, allow_sending_without_reply=True)
    )
    with pytest.raises(BadRequest, match="Message thread not found"):
        await bot.send_message(alice.id, "hi", message_thread_id=77)
    sim.people.remove_bot(alice.id)
    with pytest.raises(Forbidden, match="blocked by the user"):
        await bot.send_message(alice.id, "hi")
    group = sim.people.add_group("G", [alice.id], kind="group")
    new = sim.people.upgrade(group)
    with pytest.raises(ChatMigrated) as raised:
        await bot.send_message(group, "hi")
    assert raised.value.new_chat_id == new


async def test_drafts_are_for_private_chats_and_end_with_a_message(sim, alice, bot):
    await bot.send_message_draft(alice.id, 7, "wri")
    await bot.send_message_draft(alice.id, 7, "writing")
    assert [draft.text for draft in sim.people.drafts(alice.id)] == ["writing"]
    await bot.send_message(alice.id, "something else")
    assert [draft.text for draft in sim.people.drafts(alice.id)] == ["writing"]
    await bot.send_message(alice.id, "writing")
    assert sim.people.drafts(alice.id) == ()
    group = sim.people.add_group("G", [alice.id])
    with pytest.raises(BadRequest, match=r"(?i)peer_invalid"):
        await bot.send_message_draft(group, 7, "x")


async def test_a_draft_with_a_stop_button_can_be_stopped(sim, alice, bot):
    with pytest.raises(LookupError):
        sim.people.stop(alice.id)
    await bot.get_updates(allowed_updates=["message", "stopped_message_generation"])
    await bot.send_message_draft(alice.id, 7, "no button")
    await bot.send_message_draft(alice.id, 8, "writing", api_kwargs={"can_stop": True})
    sim.people.stop(alice.id)
    (update,) = await bot.get_updates()
    stopped = update.api_kwargs["stopped_message_generation"]
    assert (stopped["chat"]["id"], stopped["draft_id"]) == (alice.id, 8)
    assert [draft.id for draft in sim.people.drafts(alice.id)] == [7]


async def test_rich_messages_are_sent_edited_and_limited(sim, alice, bot):
    def rich(markdown):
        return {"text": None, "rich_message": {"markdown": markdown}}

    sent = await bot.do_api_request(
        "send_rich_message", {"chat_id": alice.id, "rich_message": {"markdown": "# Hi"}}
    )
    assert sent["rich_message"]["blocks"]
    message = await bot.send_message(alice.id, "plain")
    await bot.edit_message_text("", alice.id, message.message_id, api_kwargs=rich("| a |\n|---|"))
    assert [(m.rich, m.text) for m in sim.people.messages(alice.id)] == [
        (True, "# Hi"),
        (True, "| a |\n|---|"),
    ]
    with pytest.raises(BadRequest, match="not modified"):
        await bot.edit_message_text("", alice.id, message.message_id, api_kwargs=rich("| a |\n|---|"))
    for wrong in ("", "x" * 32_769, "|" + "---|" * 21):
        with pytest.raises(BadRequest):
            await bot.edit_message_text("", alice.id, message.message_id, api_kwargs=rich(wrong))
    await bot.edit_message_text("plain again", alice.id, message.message_id)
    assert not sim.people.messages(alice.id)[-1].rich


async def test_both_chats_are_told_when_a_group_becomes_a_supergroup(sim, alice, bot):
    group = sim.people.add_group("G", [alice.id], kind="group")
    new = sim.people.upgrade(group)
    old_side, new_side = [update.message for update in await bot.get_updates()]
    assert (old_side.chat.id, old_side.migrate_to_chat_id) == (group, new)
    assert (new_side.chat.id, new_side.migrate_from_chat_id) == (new, group)
    assert sim.people.answers(new) == ()


async def test_what_somebody_is_in_a_group(sim, alice, bot):
    group = sim.people.add_group("G", [alice.id])
    me = sim.world.bot.id
    assert (await bot.get_chat_member(group, me)).status == "member"
    sim.people.make_bot_admin(group)
    assert (await bot.get_chat_member(group, me)).status == "administrator"
    with pytest.raises(BadRequest):
        await bot.get_chat_member(group, 5)


@pytest.mark.parametrize(
    "wrong",
    [
        {"url": "ftp://a.b"},
        {"url": "http://a.b"},
        {"url": "https://a.b:8080"},
        {"url": "https://a.b:port"},
        {"url": "https://a.b", "secret_token": "with space"},
        {"url": "https://a.b", "max_connections": 101},
    ],
)
async def test_webhooks_that_the_platform_does_not_take_are_refused(bot, wrong):
    with pytest.raises(BadRequest):
        await bot.set_webhook(**wrong)


async def test_a_webhook_is_set_once_a_second_whoever_does_it(sim, bot):
    await bot.set_webhook("https://a.example/hook")
    with pytest.raises(RetryAfter, match="Retry in 1 s"):
        await bot.set_webhook("https://a.example/hook")
    await bot.delete_webhook()
    sim.world.webhook_set_again = 0.0
    assert await bot.set_webhook("https://b.example/hook")


async def test_the_bot_is_told_of_its_own_place_in_chats(sim, alice, bot):
    group = sim.people.add_group("Team", [alice.id])
    sim.people.remove_bot(group)
    sim.people.add_bot(group)
    sim.people.remove_bot(alice.id)
    gone, back, hello, blocked = await bot.get_updates()
    assert gone.my_chat_member.old_chat_member.status == "member"
    assert gone.my_chat_member.new_chat_member.status == "kicked"
    assert back.my_chat_member.new_chat_member.status == "member"
    assert [member.id for member in hello.message.new_chat_members] == [bot.id]
    assert blocked.my_chat_member.chat.id == blocked.my_chat_member.from_user.id == alice.id
    with pytest.raises(Forbidden):
        await bot.send_message(alice.id, "are you there?")


async def test_buttons_are_pressed_and_answered(sim, alice, bot):
    keyboard = InlineKeyboardMarkup([[InlineKeyboardButton("Yes", callback_data="y:1")]])
    message = await bot.send_message(alice.id, "Sure?", reply_markup=keyboard)
    query = sim.people.press(alice.id, alice.id, message.message_id, "Yes")
    (update,) = await bot.get_updates()
    assert (update.callback_query.data, update.callback_query.message.text) == ("y:1", "Sure?")
    await bot.answer_callback_query(query, "done")
    assert sim.people.answer_to(query)["text"] == "done"
    await bot.edit_message_reply_markup(alice.id, message.message_id)
    assert sim.people.messages(alice.id)[-1].buttons == ()
    with pytest.raises(BadRequest, match="Query is too old"):
        await bot.answer_callback_query("123")
    with pytest.raises(LookupError):
        sim.people.press(alice.id, alice.id, message.message_id, "Yes")


async def test_albums_photos_and_reactions(sim, alice, bot):
    sent = await bot.send_media_group(alice.id, [InputMediaPhoto(PNG), InputMediaPhoto(PNG, caption="two")])
    assert len({message.media_group_id for message in sent}) == 1
    with pytest.raises(BadRequest, match=r"(?i)image_process_failed"):
        await bot.send_photo(alice.id, b"not an image")
    await bot.set_message_reaction(alice.id, sent[0].message_id, "👍")
    assert sim.people.messages(alice.id)[0].reactions == ("👍",)


async def test_privacy_mode_lets_a_bot_hear_what_is_for_it(sim, alice, bot):
    group = sim.people.add_group("G", [alice.id])
    ours = (await bot.send_message(group, "hello")).message_id
    for text in ("chatter", "@parley_bot hi", "/new", "/new@other_bot"):
        sim.people.say(group, alice.id, text)
    sim.people.say(group, alice.id, "a reply", reply_to=ours)
    heard = [update.message.text for update in await bot.get_updates()]
    assert heard == ["@parley_bot hi", "/new", "a reply"]
    sim.people.make_bot_admin(group)
    sim.people.say(group, alice.id, "chatter")
    assert (await bot.get_updates())[-1].message.text == "chatter"


async def test_a_group_that_is_written_to_too_fast_must_be_left_alone(http):
    with TelegramSimulator(pace=TelegramRateLimits(burst=3, per_second=0.05, group_per_minute=20)) as sim:
        group = sim.people.add_group("G", [])
        url = f"{sim.api_url}/bot{sim.token}/sendMessage"
        for _ in range(3):
            await http.post(url, json={"chat_id": group, "text": "hi"})
        async with http.post(url, json={"chat_id": group, "text": "hi"}) as answer:
            body = await answer.json()
        assert answer.status == 429
        assert 33 <= body["parameters"]["retry_after"] <= 60


async def test_drafts_and_typing_are_limited_beside_messages(bot, alice, sim):
    for number in range(5):
        await bot.send_message_draft(alice.id, 7, f"{number}")
        await bot.send_chat_action(alice.id, "typing")
    for call in (bot.send_message_draft(alice.id, 7, "more"), bot.send_chat_action(alice.id, "typing")):
        with pytest.raises(RetryAfter, match=r"Retry in 3[23] s"):
            await call
    assert await bot.send_message(alice.id, "what was drafted")
    assert sim.refused_for_pace == 2


def test_penalties_grow_for_each_chat_up_to_four_minutes():
    now = 0.0
    limiter = TelegramRateLimiter(TelegramRateLimits(burst=1), lambda: now)
    found = []
    for _ in range(5):
        limiter.check(-7)
        with pytest.raises(TelegramErrorResponse) as refused:
            limiter.check(-7)
        found.append(refused.value.retry_after)
        # Not even what would be in time is taken meanwhile, in this chat.
        now += refused.value.retry_after - 0.5
        with pytest.raises(TelegramErrorResponse):
            limiter.check(-7)
        limiter.check(-8)
        now += 1.0
    assert found == [33, 66, 132, 245, 245]


async def test_replies_in_a_supergroup_without_topics_name_their_first_message(sim, alice, bot):
    sim.people.set_privacy(False)
    group = sim.people.add_group("G", [alice.id])
    first = sim.people.say(group, alice.id, "how far is the moon?")
    ours = await bot.send_message(group, "far", reply_parameters=ReplyParameters(first))
    sim.people.say(group, alice.id, "how far?", reply_to=ours.message_id)
    asked, again = [update.message for update in await bot.get_updates()]
    assert (asked.message_thread_id, ours.message_thread_id, again.message_thread_id) == (None, first, first)
    assert not again.is_topic_message
    assert again.reply_to_message.message_thread_id == first


async def test_faults_happen_as_often_as_asked_and_are_seen_in_the_calls(sim, alice, bot):
    sim.faults.fail_next("sendMessage", 500, "Internal Server Error", times=2)
    for _ in range(2):
        with pytest.raises(NetworkError):
            await bot.send_message(alice.id, "hi")
    sim.faults.reset_next("sendMessage", "after")
    with pytest.raises(NetworkError):
        await bot.send_message(alice.id, "lost answer")
    sim.faults.reset_next("sendMessage", "before")
    with pytest.raises(NetworkError):
        await bot.send_message(alice.id, "lost message")
    assert sim.people.answers(alice.id) == ("lost answer",)
    assert [call.status for call in sim.calls("sendMessage")] == [500, 500, 200]


async def test_an_outage_ends(sim, alice, bot):
    sim.faults.outage(100)
    with pytest.raises(NetworkError):
        await bot.send_message(alice.id, "hi")
    sim.faults.clear()
    await bot.send_message(alice.id, "hi")


async def test_rubbish_is_answered_with_400(sim, alice, http):
    for body in (b"{", b"[]", json.dumps({"chat_id": "x", "text": "hi"}).encode(), b'{"chat_id": 1.5}'):
        headers = {"Content-Type": "application/json"}
        async with http.post(f"/bot{sim.token}/sendMessage", data=body, headers=headers) as answer:
            assert answer.status == 400
    async with http.post(
        f"/bot{sim.token}/sendMessage", json={"chat_id": alice.id, "text": "x", "entities": [1]}
    ) as answer:
        assert answer.status == 400
