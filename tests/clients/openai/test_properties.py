"""What holds for every history."""

import json

from hypothesis import given
from hypothesis import strategies as st

from chatmemory.cli.openai_rules import violations
from chatmemory.clients.openai import from_openai, to_openai
from chatmemory.conversation import repair
from chatmemory.messages import (
    AiMessage,
    SystemMessage,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
    UserMessage,
)
from openai_wire import call, calling, image, result, user


# Drawn from few values each, so that an example costs no more than what it tests.
texts = st.sampled_from(["", " ", "Hi", "NUL \x00", "a lone half \udc80", "Zoë 👩‍👩‍👧"])
values = [None, True, 0, -1.5, 2**70, "x", [], [1, [None]], {}, {"": {"type": ["x"]}}]
unknown = st.dictionaries(
    st.sampled_from(["x", "cache_control", "index", "metadata", "prefix"]),
    st.sampled_from(values),
    max_size=2,
)
call_ids = st.sampled_from(["a", "b", "call_0_0", "x" * 40])


def with_fields(known, fields, inner=(), *, within=None):
    """Return a message, part or call with fields that nobody knows."""
    if within is not None:
        known = known | {within: known[within] | dict(inner)}
    return known | fields


TEXT = {"type": "text", "text": "Hi"}
FILE = {"type": "file", "file": {"file_id": "f"}}
parts = st.one_of(
    st.builds(with_fields, st.just(TEXT), unknown),
    st.builds(with_fields, st.just(FILE), unknown, unknown, within=st.just("file")),
    st.builds(
        with_fields,
        st.sampled_from([image(), image("data:image/png;base64,AA==")]),
        unknown,
        unknown,
        within=st.just("image_url"),
    ),
)
calls = st.lists(
    st.builds(with_fields, st.builds(call, call_ids), unknown),
    min_size=1,
    max_size=2,
    unique_by=lambda made: made["id"],
)
wire_messages = st.builds(
    with_fields,
    st.one_of(
        st.sampled_from([{"role": "system", "content": "Be brief."}]),
        st.sampled_from([{"role": "developer", "content": "Be brief."}]),
        st.builds(lambda text: {"role": "user", "content": text}, texts),
        st.lists(parts, min_size=2, max_size=3).map(lambda several: user(*several)),
        st.builds(lambda text: {"role": "assistant", "content": f"I. {text}"}, texts),
        st.builds(lambda made: calling(*made), calls),
        st.builds(lambda text: calling(call()) | {"reasoning": text}, texts),
        st.builds(lambda call_id, text: result(call_id, content=text), call_ids, texts),
    ),
    unknown,
)


@given(st.lists(wire_messages, max_size=6))
def test_history_comes_back(history):
    """Whatever fields a history has, in whatever order: nothing is lost."""
    messages = from_openai(history)

    assert history == to_openai(messages)
    assert json.loads(json.dumps(history)) == to_openai(messages)


some_ids = st.sampled_from([None, "", "a", "call_1_0", "x" * 41, "y" * 41, "é", "a b"])
names = st.sampled_from(["f", "g"])
requests = st.builds(
    ToolExecutionRequest, id=some_ids, name=names, arguments=st.none() | texts
)
any_messages = st.one_of(
    st.just(SystemMessage("Be brief.")),
    st.builds(UserMessage, texts, name=st.none() | texts),
    st.builds(
        AiMessage,
        st.none() | texts,
        thinking=st.none() | texts,
        tool_execution_requests=st.lists(requests, max_size=3),
    ),
    st.builds(
        ToolExecutionResultMessage,
        id=some_ids,
        tool_name=st.none() | names,
        text=texts,
    ),
)


@given(st.lists(any_messages, max_size=8))
def test_repaired_conversation_can_be_sent(messages):
    """What repair returns makes a request that breaks no rule, whatever was given."""
    repaired = repair([*messages, UserMessage("Hi")]).messages

    assert [] == violations(to_openai(repaired))


@given(st.lists(any_messages, max_size=8))
def test_sent_conversation_is_stable(messages):
    """A request read back makes the same request again."""
    sent = to_openai(repair([*messages, UserMessage("Hi")]).messages)

    assert sent == to_openai(from_openai(sent))
