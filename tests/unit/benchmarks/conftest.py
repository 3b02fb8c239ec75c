"""Small files of the shapes of LoCoMo and LongMemEval, invented for these tests."""

import json

import pytest

LOCOMO = [
    {
        "sample_id": "a",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bo",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "I keep bees behind the barn."},
                {"speaker": "Bo", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a red van"},
                {"speaker": "Ann", "dia_id": "D1:3", "text": "  "},
            ],
            "session_2_date_time": "12:09 am on 13 September, 2023",
            "session_2": [{"speaker": "Bo", "dia_id": "D2:1", "text": "I sing in a choir on Mondays."}],
        },
        "qa": [
            {
                "question": "Where are the bees?",
                "answer": "the barn",
                "evidence": ["D1:1"],
                "category": 4,
            },
            {"question": "What does Bo drive?", "answer": "a van", "evidence": ["D1:2; D9:9"], "category": 1},
            {"question": "When was it?", "answer": 2023, "evidence": ["D2:1"], "category": 2},
            {"question": "Who flies?", "adversarial_answer": "Bo", "evidence": ["D1:1"], "category": 5},
            {"question": "Nobody knows", "answer": "-", "evidence": ["D7:1"], "category": 3},
        ],
    }
]


def longmemeval(name="q1", **changes):
    return {
        "question_id": name,
        "question_type": "single-session-user",
        "question": "Which instrument does my sister play?",
        "answer": "the cello",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_dates": ["2023/05/25 (Thu) 10:00", "2023/05/20 (Sat) 02:21"],
        "haystack_session_ids": ["later", "answer_1"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "Which wine goes with fish?"},
                {"role": "assistant", "content": "A dry white one."},
            ],
            [
                {"role": "user", "content": "My sister plays the cello.", "has_answer": True},
                {"role": "assistant", "content": "How lovely!"},
            ],
        ],
        "answer_session_ids": ["answer_1"],
        **changes,
    }


@pytest.fixture
def written(tmp_path):
    def write(entries):
        path = tmp_path / "data.json"
        path.write_text(entries if isinstance(entries, str) else json.dumps(entries))
        return path

    return write
