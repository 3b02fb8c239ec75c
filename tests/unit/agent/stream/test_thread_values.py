"""What of a thread's values is read for a turn."""

from parley.agent.stream.final_answer import TurnAnchor
from parley.agent.stream.thread_values import ThreadValues


class Counted(dict[str, str]):
    """A message that counts how often it is looked at."""

    looked = 0

    def get(self, *key):
        type(self).looked += 1
        return super().get(*key)


def message(kind, identity, text):
    return Counted(type=kind, id=identity, content=text)


def thread_of(earlier):
    old = [message("ai", f"old-{number}", "an older answer") for number in range(earlier)]
    ours = [message("human", "ours", "Hello"), message("ai", "new", "Hi there")]
    return ThreadValues({"messages": old + ours}, TurnAnchor("ours", "Hello"))


def looked_at(earlier):
    thread = thread_of(earlier)
    Counted.looked = 0
    assert thread.ends_with_answer()
    assert thread.answer(concluded=True).text == "Hi there"
    assert [found.id for found in thread.messages(concluded=True)] == ["new"]
    return Counted.looked


def test_older_messages_are_not_looked_at():
    assert looked_at(1_000) == looked_at(0)


def test_without_our_message_all_are_read():
    thread = ThreadValues(thread_of(3).values, TurnAnchor("lost", "Hello"))
    assert [found.id for found in thread.messages(concluded=True)] == ["new"]
    assert not ThreadValues(thread_of(3).values, TurnAnchor("lost", "Something else")).ends_with_answer()
