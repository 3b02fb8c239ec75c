"""Text as terms."""

from hypothesis import given
from hypothesis import strategies as st

from parley.memory.search.synonyms import related_terms
from parley.memory.text.search_terms import small_talk_terms, terms


def test_forms_of_a_word_are_one_term():
    assert terms("She was painting; he paints, they painted") == ["paint", "paint", "paint"]


def test_grammar_is_no_term():
    assert terms("What did you do with all of these, and why?") == []


def test_possessives_and_accents_do_not_matter():
    assert terms("Zoë’s café") == terms("zoe cafe")


def test_chinese_is_read_as_characters_and_pairs():
    assert terms("喝茶") == ["喝", "茶", "喝茶"]


def test_chinese_function_characters_are_terms_in_pairs_only():
    assert terms("我的茶") == ["茶", "的茶"]


def test_scripts_may_be_mixed_in_one_word():
    assert terms("用Python写") == ["用", "python", "写"]


def test_japanese_korean_and_thai_give_terms_that_parts_of_them_share():
    for whole, part in (("東京タワーに行った", "タワー"), ("한국어를공부한다", "공부"), ("ฉันชอบชา", "ชา")):
        assert set(terms(whole)) & set(terms(part)), whole


def test_russian_words_are_stemmed_by_their_own_rules():
    assert terms("собака") == terms("собаки")


def test_width_does_not_matter():
    assert terms("Ｐｙｔｈｏｎ ３") == terms("python 3")


def test_numbers_stay_whole():
    assert terms("version 3.11, 2 cats") == ["version", "3.11", "2", "cat"]


def test_what_keeps_a_conversation_going_is_small_talk():
    assert small_talk_terms().issuperset(terms("well, that sounds really good, go on!"))
    assert not small_talk_terms().issuperset(terms("well, that garden sounds good"))


def test_a_word_for_a_kind_also_looks_for_what_is_of_that_kind_and_the_other_way_round():
    assert {"dog", "cat"} <= related_terms("pet").keys()
    assert "pet" in related_terms("dog")
    assert "cat" not in related_terms("dog")
    assert "小狗" in related_terms("宠物")


def test_a_special_word_says_more_about_what_is_meant_than_a_general_one():
    assert related_terms("pet")["dog"] > related_terms("dog")["pet"]


@given(st.text())
def test_any_text_gives_terms_that_are_not_empty(text):
    assert all(terms(text))


@given(st.text())
def test_case_of_ascii_does_not_matter(text):
    plain = text.encode("ascii", "ignore").decode()
    assert terms(plain.upper()) == terms(plain.lower())
