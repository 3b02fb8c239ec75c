"""Parley, with the agent inside, goes away in the middle of an answer."""

import pytest

from tests.kit.product.long_answers import survives_kill_9
from tests.kit.product.scene import Scene
from tests.kit.product.web_person import WebPerson

pytestmark = [pytest.mark.journeys, pytest.mark.timeout(300)]


def test_after_kill_9_the_same_replies_go_on(scene: Scene, web: WebPerson):
    survives_kill_9(scene, web)
