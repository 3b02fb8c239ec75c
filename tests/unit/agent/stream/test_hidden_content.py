"""Whatever a server sends, hidden words stay hidden and the assistant's words are complete."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from parley.agent.stream.final_answer import TurnAnchor
from parley.agent.stream.transcript import RunTranscript
from parley.core.model.types import Json
from tests.kit.doubles.langgraph_server import Frame
from tests.kit.samples.langgraph_messages import MESSAGE_ID, ai, chunk, human, update

SECRET = "SECRET"
HIDDEN_TYPES = (
    *("human", "system", "tool", "function", "developer", "HumanMessageChunk", "SystemMessage"),
    *("ToolMessageChunk", "user", "generic", "", "Ai", "ai ", "constructor"),
)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.just(SECRET) | st.sampled_from(["", "tool", "human"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "id", "x"]), inner),
    max_leaves=6,
)


def _shaped(message: dict[str, Json], shape: str) -> Json:
    if shape == "plain":
        return message
    if shape == "role":
        return {**{k: v for k, v in message.items() if k != "type"}, "role": message["type"]}
    if shape == "lying":
        return {"type": "ai", "role": message["type"], "content": message["content"], "id": "l"}
    name = {"human": "HumanMessage", "tool": "ToolMessage"}.get(str(message["type"]), "SystemMessage")
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", name], "kwargs": message}


contents = st.sampled_from(
    [SECRET, [{"type": "text", "text": SECRET}], [SECRET], {"type": "text", "text": SECRET}]
)
hidden_messages = st.builds(
    lambda kind, content, name, shape: _shaped({"type": kind, "id": name, "content": content}, shape),
    st.sampled_from(HIDDEN_TYPES),
    contents,
    st.sampled_from(["a1", "a2", "x", ""]),
    st.sampled_from(["plain", "role", "lying", "constructor"]),
)
unshown_messages = st.sampled_from(
    [
        ai(SECRET, "do-not-render-1"),
        ai(SECRET, "x", additional_kwargs={"hide_from_ui": True}),
        ai([{"type": "reasoning", "text": SECRET, "reasoning": SECRET}], "x"),
        ai([{"type": "tool_use", "name": "t", "text": SECRET}], "x"),
        ai("", "x", additional_kwargs={"reasoning_content": SECRET}),
        ai("", "x", tool_calls=[{"name": "look", "args": {"q": SECRET}, "id": "c"}]),
        ai("", "x", tool_call_chunks=[{"name": None, "args": SECRET, "id": None, "index": 0}]),
    ]
)
secret_messages = hidden_messages | unshown_messages
metas: st.SearchStrategy[Json] = st.sampled_from([{}, {"langgraph_node": "model"}, {"tags": []}, None])
quiet_metas = st.sampled_from(
    [{"tags": ["nostream"]}, {"langgraph_checkpoint_ns": "a:1|b:2"}, {"lc_source": "summarization"}]
)


def _frame(event: str, data: Json) -> Frame:
    return event, data


several = st.lists(secret_messages, max_size=3)
events = st.sampled_from(["messages", "updates", "values", "custom", "metadata", "end"])
secret_frames = st.one_of(
    st.builds(lambda m, meta: _frame("messages", [m, meta]), secret_messages, metas),
    st.builds(lambda meta: _frame("messages", [ai(SECRET, "quiet"), meta]), quiet_metas),
    st.builds(lambda m: _frame("messages/partial", [m]), secret_messages),
    st.builds(
        lambda ms: _frame("updates", {"node": {"messages": ms}}), st.lists(secret_messages, max_size=3)
    ),
    st.builds(lambda m: _frame("updates", {"node": [{"messages": m}]}), secret_messages),
    st.just(_frame("updates", {"node": {"messages": [], "context": SECRET, "memory": [SECRET]}})),
    st.builds(
        lambda ms: _frame("values", {"messages": ms, "x": SECRET}), st.lists(secret_messages, max_size=3)
    ),
    st.just(_frame("updates|sub:1", {"model": {"messages": [ai(SECRET, "s")]}})),
    st.just(_frame("messages|sub:1", [ai(SECRET, "s"), {}])),
    st.just(_frame("custom", {"data": SECRET})),
    st.just(_frame("error", {"error": "E", "message": SECRET})),
    st.builds(
        # A string alone is a line of progress, or the result of a function: meant for people.
        _frame,
        st.sampled_from(["messages", "updates", "values", "custom", "metadata", "end"]),
        json_values.filter(lambda value: value != SECRET),
    ),
)
pieces = st.lists(st.sampled_from(["ha", "ha", "#", "##", "谢", "a", " ", "b\n"]), min_size=1, max_size=6)


@settings(max_examples=400, deadline=None)
@given(st.lists(pieces, min_size=1, max_size=3), st.data())
def test_nothing_hidden_is_ever_shown(spoken: list[list[str]], data: st.DataObject) -> None:
    transcript = RunTranscript(TurnAnchor(MESSAGE_ID, "hi"))
    shown = ""

    def play(frame: Frame) -> None:
        nonlocal shown
        transcript.apply(*frame, None)
        shown += transcript.text() + repr(transcript.steps.shown())

    for number, message in enumerate(spoken):
        for piece in message:
            for noise in data.draw(st.lists(secret_frames, max_size=2)):
                play(noise)
            play(chunk(piece, f"spoken-{number}"))
        play(update(ai("".join(message), f"spoken-{number}")))
    final = transcript.final(concluded=True)
    assert SECRET not in shown + final.text
    words = ["".join(message) for message in spoken]
    assert final.text == "\n\n".join(word for word in words if word.strip())


@settings(max_examples=200, deadline=None)
@given(st.lists(hidden_messages, max_size=4), st.lists(hidden_messages, max_size=4))
def test_a_threads_state_shows_only_what_was_said_in_this_turn(before: list[Json], after: list[Json]) -> None:
    transcript = RunTranscript(TurnAnchor(MESSAGE_ID, "hi"))
    history: list[Json] = [human("x", "h0"), ai(SECRET, "a0"), *before, human()]
    transcript.apply("values", {"messages": [*history, *after, ai("said", "a9")]}, None)
    assert transcript.final(concluded=True).text == "said"
