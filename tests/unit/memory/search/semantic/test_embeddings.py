"""Closeness in meaning: an aid to the words that never gets in their way."""

import itertools
import json
import math
import random
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from parley.core.model.errors import MemoryFailed
from parley.memory.model.document import Fact
from parley.memory.options import MemoryOptions, Ranking
from parley.memory.search.index import FactIndex
from parley.memory.search.ranking import rank
from parley.memory.search.semantic.embedders import RemoteEmbedder
from parley.memory.search.semantic.embeddings import PAUSE, EmbeddingIndex
from parley.memory.search.semantic.scoring import PrecomputedScores, rank_blended
from parley.memory.search.semantic.vector_store import VectorStore
from tests.kit.machine import patience


class Topics:
    """An embedder that knows three topics by their words, and counts what it was asked for."""

    name = "topics"
    words = (("cello", "orchestra", "music"), ("hotel", "lodging", "bed"), ("dog", "walk", "pet"))

    def __init__(self):
        self.asked = []
        self.fails = False

    def reads(self, text):
        return text.isascii()

    def embed(self, texts):
        if self.fails:
            raise MemoryFailed("no")
        self.asked.append(list(texts))
        rows = [[0.1 + sum(word in text.lower() for word in each) for each in self.words] for text in texts]
        array = np.array(rows, np.float32)
        return array / np.linalg.norm(array, axis=1, keepdims=True)


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


FACTS = (
    Fact("1", "Plays the cello", confidence=0.9),
    Fact("2", "Wants quiet lodging", confidence=0.7),
    Fact("3", "Has a small dog", confidence=0.95),
    Fact("4", "喜欢喝茶", confidence=0.99),
)


@pytest.fixture
def home(tmp_path):
    home = EmbeddingIndex(Topics(), tmp_path, Clock())
    yield home
    home.close()


# Words and meaning together


def test_a_fact_without_a_common_word_is_found_by_its_meaning(home):
    scorer = home.scorer_for("ann")
    scorer.sync(FACTS)
    index, options = FactIndex(FACTS), MemoryOptions()
    question = ["Book me a hotel"]
    assert rank(index, question, options)[0].id != "2"
    assert next(iter(rank_blended(index, FACTS, question, options, scorer))).id == "2"


def test_every_fact_is_ranked_once(home):
    scorer = home.scorer_for("ann")
    scorer.sync(FACTS)
    for question in ("Book me a hotel", "喝茶", "music for the dog", "zzz"):
        order = list(rank_blended(FactIndex(FACTS), FACTS, [question], MemoryOptions(), scorer))
        assert sorted(fact.id for fact in order) == ["1", "2", "3", "4"]


def test_a_chinese_question_is_answered_by_words_alone(home):
    scorer = home.scorer_for("ann")
    scorer.sync(FACTS)
    home.embedder.asked.clear()
    index = FactIndex(FACTS)
    order = list(rank_blended(index, FACTS, ["你想喝茶吗"], MemoryOptions(), scorer))
    assert order == rank(index, ["你想喝茶吗"], MemoryOptions())
    assert order[0].id == "4"
    assert home.embedder.asked == []


def test_a_chinese_fact_is_judged_by_its_words_beside_english_ones(home):
    scorer = home.scorer_for("ann")
    scorer.sync(FACTS)
    close = scorer.score(["cello or 喝茶"[:5]], FACTS)
    assert math.isnan(close[3])
    assert not any(map(math.isnan, close[:3]))


@pytest.mark.parametrize("ranking", [Ranking.WEIGHTED, Ranking.CONFIDENCE])
def test_the_other_orders_are_left_as_they_are(home, ranking):
    index, options = FactIndex(FACTS), MemoryOptions(ranking=ranking)
    scorer = home.scorer_for("ann")
    scorer.sync(FACTS)
    assert list(rank_blended(index, FACTS, ["a hotel"], options, scorer)) == rank(index, ["a hotel"], options)


def test_without_a_model_the_order_is_that_of_the_words():
    index = FactIndex(FACTS)
    order = list(rank_blended(index, FACTS, ["the dog"], MemoryOptions(), PrecomputedScores(())))
    assert order == rank(index, ["the dog"], MemoryOptions())


def test_a_bare_thanks_does_not_push_out_the_question(home):
    scorer = home.scorer_for("ann")
    scorer.sync(FACTS)
    close = scorer.score(["Do you know music for an orchestra?", "pet"], FACTS)
    assert max(range(3), key=close.__getitem__) == 0


# Vectors


def test_recall_does_not_wait_for_vectors_of_facts(home):
    """They are made behind it, and are there the next time."""
    scorer = home.scorer_for("ann")
    first = scorer.score(["a hotel"], FACTS)
    assert all(map(math.isnan, first))
    made = threading.Event()
    home.run_in_background(made.set)
    assert made.wait(patience(30))
    later = scorer.score(["a hotel"], FACTS[:3])
    assert later[1] == max(later)


def test_vectors_are_made_once_and_found_again_after_a_restart(tmp_path):
    first = EmbeddingIndex(Topics(), tmp_path)
    first.scorer_for("ann").sync(FACTS)
    first.close()
    topics = Topics()
    second = EmbeddingIndex(topics, tmp_path)
    close = second.scorer_for("ann").score(["a hotel"], FACTS)
    second.close()
    assert topics.asked == [["a hotel"]]
    assert close[1] == pytest.approx(max(close[:3]))


def test_what_is_forgotten_has_no_vector_any_more(tmp_path):
    """E14: sidecar data goes with the fact."""
    file = tmp_path / "v.npz"
    vectors = VectorStore(file)
    vectors.sync(["tea", "coffee"], Topics().embed)
    assert vectors.stale(["tea"])
    vectors.sync(["tea"], Topics().embed)
    again = VectorStore(file)
    assert again.missing(["tea", "coffee"]) == ["coffee"]
    assert not again.stale(["tea"])


@pytest.mark.parametrize("damage", [b"", b"not a file of vectors", b"PK\x03\x04 cut short"])
def test_a_damaged_file_of_vectors_is_made_anew(tmp_path, damage):
    file = tmp_path / "v.npz"
    file.write_bytes(damage)
    vectors = VectorStore(file)
    assert vectors.missing(["dog"]) == ["dog"]
    vectors.sync(["dog"], Topics().embed)
    assert VectorStore(file).missing(["dog"]) == []


def test_another_model_under_the_same_name_replaces_all_vectors(tmp_path):
    vectors = VectorStore(tmp_path / "v.npz")
    vectors.sync(["dog"], lambda texts: np.ones((len(texts), 5), np.float32))
    vectors.sync(["dog", "cello"], Topics().embed)
    query = Topics().embed(["pet"])[0]
    close = vectors.close_to(query, ["dog", "cello"])
    assert close[0] > close[1]


def test_two_people_have_files_of_their_own(home, tmp_path):
    home.scorer_for("ann").sync(FACTS)
    home.scorer_for("Ann").sync(FACTS[:1])
    assert len(list(tmp_path.rglob("*.npz"))) == 2
    assert home.scorer_for("ann") is home.scorer_for("ann")


def test_a_failed_embedder_is_left_alone_for_a_while(tmp_path):
    clock = Clock()
    topics = Topics()
    home = EmbeddingIndex(topics, tmp_path, clock)
    scorer = home.scorer_for("ann")
    scorer.sync(FACTS)
    topics.fails = True
    assert scorer.score(["a hotel"], FACTS) == ()
    topics.fails = False
    clock.now = PAUSE - 1
    assert scorer.score(["a hotel"], FACTS) == ()
    clock.now = PAUSE
    assert len(scorer.score(["a hotel"], FACTS)) == 4
    home.close()


# A service


class Server(ThreadingHTTPServer):
    """Keeps what it was asked, and answers as it is told to."""

    seen: list[tuple[object, ...]]
    answer: str | None
    status: int


class Service(BaseHTTPRequestHandler):
    """An /embeddings that answers in reverse order, as services may."""

    server: Server

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, self.headers.get("Authorization"), body))
        data = [
            {"index": place, "embedding": [float(len(text)), 1.0]} for place, text in enumerate(body["input"])
        ]
        answer = self.server.answer or json.dumps({"data": data[::-1]})
        self.send_response(self.server.status)
        self.end_headers()
        self.wfile.write(answer.encode())

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def server():
    server = Server(("127.0.0.1", 0), Service)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def remote(server):
    embedder = RemoteEmbedder(f"http://127.0.0.1:{server.server_port}/v1/", "any-model", "secret")
    yield embedder
    embedder.close()


@pytest.fixture
def service(server):
    server.seen, server.answer, server.status = [], None, 200
    return server


def test_a_service_is_asked_as_openai_is_and_its_rows_put_in_order(service, remote):
    rows = remote.embed(["a", "abc"])
    assert np.allclose(rows, [[1 / math.sqrt(2)] * 2, [3 / math.sqrt(10), 1 / math.sqrt(10)]])
    body = {"model": "any-model", "input": ["a", "abc"]}
    assert service.seen == [("/v1/embeddings", "Bearer secret", body)]
    assert remote.reads("喜欢喝茶")


def test_many_texts_are_sent_in_parts(service, remote):
    texts = ["x" * (1 + n) for n in range(300)]
    assert remote.embed(texts).shape == (300, 2)
    sent = [body["input"] for _, _, body in service.seen]
    assert list(itertools.chain(*sent)) == texts
    assert max(map(len, sent)) <= 128


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        (500, "{}"),
        (401, "{}"),
        (200, "not JSON"),
        (200, "[]"),
        (200, '{"data": []}'),
        (200, '{"data": [{"index": 0}]}'),
        (200, '{"data": [{"index": 0, "embedding": []}, {"index": 1, "embedding": [1]}]}'),
        (200, '{"data": [{"index": 0, "embedding": [NaN, 1]}]}'),
        (200, '{"data": 5}'),
    ],
)
def test_whatever_a_service_does_wrong_words_alone_decide(service, remote, tmp_path, status, answer):
    service.status, service.answer = status, answer
    with pytest.raises(MemoryFailed):
        remote.embed(["tea"])
    home = EmbeddingIndex(remote, tmp_path)
    index = FactIndex(FACTS)
    order = list(rank_blended(index, FACTS, ["the dog"], MemoryOptions(), home.scorer_for("ann")))
    home.close()
    assert order == rank(index, ["the dog"], MemoryOptions())


def test_a_service_that_is_away_is_a_failure_like_any_other():
    embedder = RemoteEmbedder("http://127.0.0.1:9", "any-model", timeout=1)
    with pytest.raises(MemoryFailed):
        embedder.embed(["tea"])
    embedder.close()


def test_meaning_does_not_depend_on_the_order_of_the_facts(home):
    scorer = home.scorer_for("ann")
    scorer.sync(FACTS)
    before = dict(zip([fact.id for fact in FACTS], scorer.score(["a walk"], FACTS), strict=True))
    shuffled = random.Random(3).sample(FACTS, len(FACTS))
    after = dict(zip([fact.id for fact in shuffled], scorer.score(["a walk"], shuffled), strict=True))
    assert {key: value for key, value in before.items() if key != "4"} == pytest.approx(
        {key: value for key, value in after.items() if key != "4"}
    )
