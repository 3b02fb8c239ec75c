"""What is known of people."""

from parley.channels.kit.user_cache import MAX_USERS, UserCache


def test_a_value_is_fresh_for_its_life_and_known_after_it():
    now = [0.0]
    cache: UserCache[str] = UserCache(lambda: now[0])
    assert cache.fresh("ann") is None
    assert cache.last("ann") is None
    assert cache.put("ann", "", 10) == ""
    assert cache.fresh("ann") == ""
    now[0] = 10.0
    assert cache.fresh("ann") is None
    assert cache.last("ann") == ""


def test_the_oldest_answers_are_dropped():
    cache: UserCache[int] = UserCache()
    for number in range(MAX_USERS + 1):
        cache.put(str(number), number, 60)
    assert cache.last("0") is None
    assert cache.fresh("1") == 1
