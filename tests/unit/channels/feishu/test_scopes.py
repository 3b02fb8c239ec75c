"""Which scopes will do for what, as Feishu's pages of each method list them."""

import pytest

from parley.channels.feishu.scopes import ALWAYS, RECEIPTS, TENANT, WELCOME, missing_scopes


@pytest.mark.parametrize(
    ("granted", "missing"),
    [
        # Uploads take one of two; neither of them lets files be downloaded.
        ({"im:resource:upload"}, {"im:message:readonly"}),
        ({"im:resource"}, {"im:message:readonly"}),
        ({"im:message.history:readonly"}, {"im:resource"}),
        ({"im:message", "im:resource:upload"}, set()),
    ],
)
def test_files_take_one_scope_to_send_and_another_to_fetch(granted, missing):
    needed = tuple(each for each in ALWAYS if "files" in each.feature)
    lacking = missing_scopes(needed, frozenset(granted))
    assert {text.split(" scope ")[1].split(",")[0] for text in lacking} == missing


def test_every_scope_that_is_looked_for_is_asked_for_when_an_app_is_made():
    assert {each.name for each in (*ALWAYS, *RECEIPTS, *WELCOME)} <= set(TENANT)
    assert missing_scopes((*ALWAYS, *RECEIPTS, *WELCOME), frozenset(TENANT)) == ()
