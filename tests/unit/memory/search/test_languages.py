"""Retrieval in eight languages: ten facts and ten questions each."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from parley.memory.model.document import Fact
from parley.memory.search.date_terms import written_days
from parley.memory.search.index import FactIndex
from parley.memory.text.search_terms import search_words, terms

LANGUAGES = yaml.safe_load((Path(__file__).parent / "data" / "languages.yaml").read_text("utf-8"))
LEAST_FIRST = 8


def facts_of(contents):
    return [
        Fact(
            id=f"f{place}",
            content=content,
            created_at=f"2026-01-{place + 1:02}T10:00:00Z",
            source=f"t{place}",
        )
        for place, content in enumerate(contents)
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_find_their_fact_first(language):
    facts = facts_of(LANGUAGES[language]["facts"])
    index = FactIndex(facts)
    found = [index.search([question], 1) for question in LANGUAGES[language]["questions"]]
    first = [bool(hits) and hits[0][0] is fact for hits, fact in zip(found, facts, strict=True)]
    assert len(first) == 10
    assert sum(first) >= LEAST_FIRST


@pytest.mark.parametrize("language", LANGUAGES)
def test_languages_are_told_apart(language):
    texts = [*LANGUAGES[language]["facts"], *LANGUAGES[language]["questions"]]
    assert {search_words(text).language for text in texts} == {language}


@pytest.mark.parametrize(
    "text",
    [
        "The son of a man who came in for a fine hat war",
        "User is from Las Vegas, Los Angeles and La Paz",
        "User studied at Des Moines and sang in Die Fledermaus with her",
        "User's note: me and the sea",
        "用户喜欢 Python",
        "",
        "42",
    ],
)
def test_other_texts_count_as_english(text):
    assert search_words(text).language == "en"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ich habe die Häuser gesehen", "Das ist ein Haus"),
        ("J'ai vu les écoles", "l'école est là"),
        ("Dell'amico ho sentito poco", "Gli amici sono qui"),
        ("Estoy viviendo en las ciudades", "¿Qué ciudad?"),
        ("Estou a estudar com os amigos", "O amigo é meu"),
        ("Я вижу красивый дом", "Мы в красивых домах"),
    ],
)
def test_forms_of_a_word_share_a_term(one, other):
    assert set(terms(one)) & set(terms(other))


def test_a_word_alone_finds_a_fact_in_another_language():
    facts = facts_of(["Der Nutzer isst am liebsten Kartoffelsalat.", "Der Nutzer ist in Paris geboren."])
    index = FactIndex(facts)
    assert index.search(["Kartoffelsalat?"])[0][0] is facts[0]
    assert index.search(["Paris"])[0][0] is facts[1]


@pytest.mark.parametrize(
    "text",
    [
        "am 4. Mai 2024", "le 4 mai 2024", "el 4 de mayo de 2024", "a 4 de maio de 2024", "il 4 maggio 2024",
        "4 мая 2024 года", "2024年5月4日", "2024년 5월 4일",
    ],
)  # fmt: skip
def test_days_are_read_in_every_language(text):
    assert written_days(text) == ["#2024", "#-05", "#2024-05", "#-05-04"]


@pytest.mark.parametrize(
    "text", ["im Mai", "en mai", "en mayo", "em maio", "a maggio", "в мае", "5月", "5월"]
)
def test_months_are_read_in_every_language(text):
    assert written_days(text) == ["#-05"]


@pytest.mark.parametrize(
    "question",
    ["Wann war ich in Wien?", "Quand étais-je à Vienne ?", "¿Cuándo estuve en Viena?", "Quando fui a Viena?",
     "Quando sono stato a Vienna?", "Когда я был в Вене?", "ウィーンにはいつ行った？", "빈에 언제 갔나요?"],
)  # fmt: skip
def test_questions_for_a_time_prefer_facts_that_tell_one(question):
    said = question.rstrip("?？ ")
    plain, dated = facts_of([f"{said} x", f"{said} 2019年"])
    hits = FactIndex([dated, plain]).search([question])
    assert hits[0][0].content == dated.content
