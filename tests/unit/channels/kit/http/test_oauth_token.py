"""An app's access token."""

import asyncio

import pytest

from parley.channels.kit.http.oauth_token import AccessToken, TokenCache
from parley.core.model.errors import AuthenticationRefused, ChannelError, ChannelUnavailable
from tests.kit.virtual_time import loop_time, run_in_virtual_time


class Platform:
    """Hands out numbered tokens, or raises what stands in `errors` first."""

    def __init__(self, life: float = 7200.0) -> None:
        self.life = life
        self.asked: list[float] = []
        self.errors: list[ChannelError] = []

    async def fetch(self) -> AccessToken:
        self.asked.append(loop_time())
        await asyncio.sleep(1)
        if self.errors:
            raise self.errors.pop(0)
        return AccessToken(f"token {len(self.asked)}", self.life)

    def cache(self) -> TokenCache:
        return TokenCache(self.fetch, 300.0, lambda error: 10.0, loop_time)


@run_in_virtual_time
async def test_many_who_need_one_wait_for_one_request():
    platform = Platform()
    tokens = platform.cache()
    assert set(await asyncio.gather(*(tokens.get() for _ in range(9)))) == {"token 1"}
    await asyncio.sleep(7201)
    assert await tokens.get() == "token 2"


@run_in_virtual_time
async def test_a_refused_token_is_replaced_once():
    platform = Platform()
    tokens = platform.cache()
    used: list[str] = []

    async def work(token: str) -> str:
        used.append(token)
        if token == "token 1":
            raise ChannelUnavailable("stale")
        return "done"

    assert await tokens.call(ChannelUnavailable, work) == "done"
    assert used == ["token 1", "token 2"]
    with pytest.raises(ChannelUnavailable):
        await tokens.call(AuthenticationRefused, lambda token: work("token 1"))


@run_in_virtual_time
async def test_it_is_renewed_early_and_again_after_a_failure():
    platform = Platform()
    tokens = platform.cache()
    await tokens.get()
    platform.errors = [ChannelUnavailable("busy")]
    renewing = asyncio.create_task(tokens.keep_fresh())
    await asyncio.sleep(7000)
    renewing.cancel()
    await asyncio.gather(renewing, return_exceptions=True)
    assert await tokens.get() == "token 3"
    assert platform.asked == pytest.approx([0.0, 6901.0, 6912.0])


@run_in_virtual_time
async def test_refused_credentials_end_the_renewal():
    platform = Platform(life=10.0)
    tokens = platform.cache()
    platform.errors = [AuthenticationRefused("no")]
    with pytest.raises(AuthenticationRefused):
        await tokens.keep_fresh()
    assert platform.asked == [0.0]
