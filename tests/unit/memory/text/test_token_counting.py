"""Tokens: exact without a network, estimated while a tokenizer is away, and never waited for."""

import gzip
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from parley.memory.options import MemoryOptions, TokenCounting
from parley.memory.text.token_counting import (
    COOLDOWN,
    CharacterCounter,
    TokenCounter,
    estimate_with_margin,
    token_counter,
)
from parley.memory.text.token_estimate import estimate
from parley.memory.text.tokenizers import CL100K, VENDORED, load_encoding, load_vendored
from tests.kit.machine import patience

# True counts, by tiktoken 0.14 with the same vocabulary.
SAMPLES = {
    "en": "User works as a nurse in Hamburg and prefers short answers without long introductions.",
    "zh": "用户最近在学习做菜，周末喜欢和朋友一起爬山，对花生过敏，请不要推荐含坚果的食物。",
    "ja": "週末は友達と京都へ旅行に行く予定です。コーヒーよりお茶の方が好きだと言っていました。",
    "ko": "주말에 친구랑 부산에 여행 갈 예정이고, 커피보다 차를 더 좋아한다고 말했습니다.",
    "ru": "Пользователь живёт в Казани, работает инженером и не любит длинные совещания по утрам.",
    "th": "ผู้ใช้ชอบดื่มชามากกว่ากาแฟ และทำงานเป็นวิศวกรที่กรุงเทพมหานคร",
    "hi": "उपयोगकर्ता दिल्ली में रहता है और उसे सुबह की लंबी बैठकें पसंद नहीं हैं।",
    "vi": "Người dùng thích uống trà hơn cà phê và làm việc ở thành phố Hồ Chí Minh.",
    "emoji": "so happy 😀🎉 see you tomorrow ☕🐶 love it ❤️✨",
}


# Chinese, Japanese and Korean characters.
_CJK = ((0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xAC00, 0xD7AF), (0xF900, 0xFAFF))


def classic_estimate(text: str) -> int:
    """Estimate by the reference system's rule: four other characters, or two of CJK, a token."""
    cjk = sum(any(low <= ord(char) <= high for low, high in _CJK) for char in text)
    return (len(text) - cjk) // 4 + cjk // 2


class Words:
    """An encoder that takes words for tokens."""

    def encode_ordinary(self, text: str) -> list[int]:
        return [0] * len(text.split())


class Gate:
    """A tokenizer that arrives when it is let in, and counts how often it was sent for."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.open = threading.Event()
        self.asked = 0
        self.error = error
        self.thread = ""

    def __call__(self) -> Words:
        self.asked += 1
        self.thread = threading.current_thread().name
        assert self.open.wait(patience(30))
        if self.error is not None:
            raise self.error
        return Words()


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def exact():
    return load_encoding(CL100K)


def test_the_vendored_vocabulary_is_that_of_tiktoken(exact):
    assert exact.n_vocab == 100277
    assert exact.encode_ordinary("hello world") == [15339, 1917]
    assert exact.decode(exact.encode_ordinary(SAMPLES["zh"])) == SAMPLES["zh"]
    assert exact.encode("<|endoftext|>", allowed_special="all") == [100257]


def test_no_network_is_ever_needed():
    """A process that may not open a socket counts exactly (A26, issue 3402 of the reference system)."""
    code = """if True:
        import socket
        def refuse(*args, **kwargs):
            raise SystemExit("a socket was opened")
        socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
        from parley.memory.options import MemoryOptions
        from parley.memory.text.token_counting import token_counter
        counter = token_counter(MemoryOptions())
        assert counter.wait(600)
        print(counter.count("hello world"))"""
    root = Path(__file__).parents[4]
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
        timeout=patience(50),
    )
    assert done.stdout.strip() == "2"


def test_a_changed_vocabulary_is_refused(tmp_path):
    changed = tmp_path / "other.gz"
    changed.write_bytes(gzip.compress(gzip.decompress(VENDORED.read_bytes())[:-10]))
    with pytest.raises(ValueError, match="not the vocabulary"):
        load_vendored(changed)


def test_a_damaged_vocabulary_is_refused(tmp_path):
    cut = tmp_path / "cut.gz"
    cut.write_bytes(VENDORED.read_bytes()[:5000])
    with pytest.raises(ValueError, match="damaged"):
        load_vendored(cut)


def test_whoever_counts_during_a_load_gets_the_estimate_at_once_and_starts_no_second_load():
    """A30: the sentinel of a load under way."""
    gate = Gate()
    counter = TokenCounter(gate)
    text = "one two three"
    counts = []
    callers = [threading.Thread(target=lambda: counts.append(counter.count(text))) for _ in range(20)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(patience(30))
    assert counts == [estimate_with_margin(text)] * 20
    assert not counter.exact
    gate.open.set()
    assert counter.wait(patience(30))
    assert counter.count(text) == 3
    assert gate.asked == 1


def test_a_tokenizer_is_loaded_in_a_thread_of_its_own():
    """E26: nothing that reads a disk or a network runs on the event loop."""
    gate = Gate()
    gate.open.set()
    counter = TokenCounter(gate)
    assert counter.wait(patience(30))
    assert gate.thread == "parley-tokenizer"


@pytest.mark.parametrize("error", [OSError("no network"), ValueError("wrong hash"), ImportError("tiktoken")])
def test_a_failed_load_is_tried_again_after_its_cool_down_only(error):
    """A31: remembered with a monotonic time, heals by itself."""
    gate, clock = Gate(error), Clock()
    gate.open.set()
    counter = TokenCounter(gate, clock=clock)
    assert not counter.wait(patience(30))
    clock.now += COOLDOWN - 1
    assert counter.count("one two three") == estimate_with_margin("one two three")
    assert not counter.wait(patience(30))
    assert gate.asked == 1
    gate.error = None
    clock.now += 1
    assert counter.wait(patience(30))
    assert counter.count("one two three") == 3
    assert gate.asked == 2


def test_a_load_that_breaks_in_a_way_nobody_foresaw_is_a_failed_one(monkeypatch):
    ended = threading.Event()
    monkeypatch.setattr(threading, "excepthook", lambda _: ended.set())
    gate, clock = Gate(RuntimeError("odd")), Clock()
    gate.open.set()
    counter = TokenCounter(gate, clock=clock)
    assert not counter.wait(patience(30))
    assert ended.wait(patience(30))
    gate.error = None
    clock.now += COOLDOWN
    assert counter.wait(patience(30))


def test_nobody_waits_longer_for_a_tokenizer_than_they_said():
    """A32: the wait has a limit, and the load goes on behind it."""
    gate = Gate()
    counter = TokenCounter(gate)
    assert not counter.wait(0.01)
    gate.open.set()
    assert counter.wait(patience(30))


def test_counting_characters_never_touches_a_tokenizer():
    """A29: a process that counts characters has not even imported tiktoken."""
    code = """if True:
        import sys
        from parley.memory import format_memory_for_injection
        from parley.memory.options import MemoryOptions, TokenCounting
        options = MemoryOptions(token_counting=TokenCounting.CHAR)
        block = format_memory_for_injection({"facts": [{"content": "Likes tea"}]}, options=options)
        assert "Likes tea" in block
        assert "tiktoken" not in sys.modules"""
    root = Path(__file__).parents[4]
    subprocess.run([sys.executable, "-c", code], cwd=root, check=True, timeout=patience(50))


def test_the_options_choose_the_counter():
    assert isinstance(token_counter(MemoryOptions(token_counting=TokenCounting.CHAR)), CharacterCounter)
    first = token_counter(MemoryOptions())
    assert first is token_counter(MemoryOptions())
    assert first is not token_counter(MemoryOptions(encoding="o200k_base"))


def test_an_unknown_encoding_is_estimated():
    counter = token_counter(MemoryOptions(encoding="no_such_encoding"))
    assert not counter.wait(patience(30))
    assert counter.count(SAMPLES["en"]) == estimate_with_margin(SAMPLES["en"])


def test_a_count_is_made_once_for_each_text():
    class Counting(Words):
        made = 0

        def encode_ordinary(self, text: str) -> list[int]:
            self.made += 1
            return super().encode_ordinary(text)

    encoder = Counting()
    counter = TokenCounter(lambda: encoder)
    assert counter.wait(patience(30))
    assert [counter.count("one two") for _ in range(5)] == [2] * 5
    assert encoder.made == 1


@pytest.mark.parametrize("script", SAMPLES)
def test_an_estimate_is_near_the_truth_in_every_script(exact, script):
    """F13: the classic rule finds less than half of it for Chinese, Japanese, Korean, Thai, Hindi."""
    true = len(exact.encode_ordinary(SAMPLES[script]))
    assert 0.75 * true <= estimate(SAMPLES[script]) <= 1.3 * true


@pytest.mark.parametrize("script", ["zh", "ja", "ko", "th", "hi", "emoji"])
def test_the_classic_rule_finds_far_too_few_tokens(exact, script):
    assert classic_estimate(SAMPLES[script]) < 0.62 * len(exact.encode_ordinary(SAMPLES[script]))


def test_the_classic_rule_is_that_of_the_reference_system():
    """A28: `(other // 4) + (cjk // 2)`."""
    assert classic_estimate("abcdefgh") == 2
    assert classic_estimate("你好世界") == 2
    assert classic_estimate("abcdefg你好世") == 2
    assert classic_estimate("") == 0


@pytest.mark.parametrize("text", ["\n", "a", "é", "。", "\ud800"])
def test_no_text_is_estimated_at_nothing(text):
    """F13: floor division made short lines free."""
    assert estimate(text) >= 1


class Failing(Words):
    """An encoder that fails at one text."""

    def encode_ordinary(self, text: str) -> list[int]:
        if "odd" in text:
            raise ValueError("cannot be encoded")
        return super().encode_ordinary(text)


@pytest.mark.parametrize("text", ["an odd text", "an odd text " * 300])
def test_a_text_that_cannot_be_encoded_is_estimated(text, caplog):
    counter = TokenCounter(Failing)
    assert counter.wait(patience(10))
    assert counter.count("two words") == 2
    assert counter.count(text) == estimate_with_margin(text)
    assert "are estimated" in caplog.text
