"""Channels under a name of their own."""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from parley.app.supervision.channel_names import named_click, named_message
from parley.channels.kit.webhook import Webhook, routes_of
from parley.core.model.address import Conversation, User
from parley.core.model.questions import Click
from parley.core.model.types import InboundMessage

ANN = User("slack", "U1", "Ann")
MESSAGE = InboundMessage("C1:1", Conversation("slack", "C1", "1"), ANN, "hello", True, False, 1.0)


def test_messages_bear_the_name_of_their_channel() -> None:
    renamed = named_message("support", MESSAGE)
    assert (renamed.conversation.key, renamed.sender) == ("support:C1:1", User("support", "U1", "Ann"))
    assert named_message("slack", MESSAGE) is MESSAGE


def test_so_do_presses() -> None:
    click = Click("c", "q", "yes", ANN, Conversation("slack", "C1"), private=False)
    renamed = named_click("support", click)
    assert (renamed.conversation.key, renamed.sender.channel) == ("support:C1", "support")
    assert named_click("slack", click) is click


async def _endpoint(request: Request) -> Response:
    return PlainTextResponse("")


class Posted:
    """Something that is posted to."""

    def routes(self) -> Sequence[BaseRoute]:
        return (Webhook("/hooks/slack", _endpoint, methods=["POST"]), Route("/else", _endpoint))


def test_its_hook_is_under_its_name() -> None:
    def paths(name: str) -> list[str]:
        return [route.path for route in routes_of(Posted(), name, "slack") if isinstance(route, Route)]

    assert paths("slack") == ["/hooks/slack", "/else"]
    assert paths("support") == ["/hooks/support", "/else"]
    renamed, _ = routes_of(Posted(), "support", "slack")
    assert isinstance(renamed, Webhook)
    assert renamed.methods == {"POST"}
