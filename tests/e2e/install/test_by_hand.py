"""Each platform set up by hand from its document's own lines: the bot answers on the strict simulator."""

import pytest

from tests.kit.product.by_hand_walk import walk_by_hand
from tests.kit.product.init_walk import WALKERS

pytestmark = pytest.mark.journeys


@pytest.fixture(params=sorted(WALKERS))
def walker(request):
    made = WALKERS[request.param]()
    yield made
    made.simulator.__exit__(None, None, None)


def test_the_lines_of_the_document_lead_to_an_answer(walker, tmp_path):
    figures = walk_by_hand(walker, tmp_path)
    # Telegram knows no members: whoever writes first is told their id, and how to be let in.
    assert figures.commands == (3 if walker.name == "telegram" else 2)
