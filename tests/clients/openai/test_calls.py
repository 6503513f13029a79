"""Calls, their ids, and results."""

import attrs
import pytest

from chatmemory.clients.openai import from_openai, to_openai
from chatmemory.errors import (
    MessageTypeError,
    UnsupportedContentError,
)
from chatmemory.messages import (
    AiMessage,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
    UserMessage,
)
from openai_wire import (
    assert_comes_back,
    call,
    calling,
    exchange,
    image,
    request,
    result,
    written,
)


def test_call_becomes_a_request():
    """A call is its id, its tool and the arguments as the model wrote them."""
    function = {"name": "add", "arguments": '{"a": 1, '}
    history = [calling(call(function=function)), result()]

    messages = from_openai(history)

    assert (
        ToolExecutionRequest(id="c1", name="add", arguments='{"a": 1, '),
    ) == messages[0].tool_execution_requests
    assert history == to_openai(messages)


def test_custom_call_comes_back():
    """A call of a custom tool has an input, which is any text."""
    custom = {"name": "sh", "input": "ls", "x": 1}
    history = [
        calling({"id": "c1", "type": "custom", "custom": custom}),
        result(),
    ]

    messages = from_openai(history)

    assert "ls" == messages[0].tool_execution_requests[0].arguments
    assert history == to_openai(messages)


def test_call_keeps_unknown_fields_of_its_function():
    """Fields within the function of a call are kept as well."""
    function = {"name": "f", "arguments": "{}", "strict": True}

    assert_comes_back(calling(call(function=function)), result())


def test_call_without_type_is_one_of_a_function():
    """Some servers leave the type out, and OpenAI wants it."""
    untyped = call()
    del untyped["type"]

    assert [calling(call()), result()] == to_openai(
        from_openai([calling(untyped), result()])
    )


@pytest.mark.parametrize(
    ("arguments", "expected"), [(None, "{}"), ("", ""), ("{}", "{}")]
)
def test_arguments_are_a_text(arguments, expected):
    """No arguments are an empty object; an empty text is what the model wrote."""
    message = AiMessage(tool_execution_requests=[request(arguments=arguments)])

    sent = written(message)["tool_calls"][0]["function"]["arguments"]

    assert expected == sent


@pytest.mark.parametrize("name", [None, ""])
def test_call_without_a_name_is_refused(name):
    """A call has to say which tool it is of."""
    message = AiMessage(tool_execution_requests=[request(id="c1", name=name)])

    with pytest.raises(UnsupportedContentError, match="name of its tool") as caught:
        to_openai([message])

    assert "ToolExecutionRequest" == caught.value.content_type


def test_call_of_an_unknown_type_is_refused():
    """A call is one of a function or of a custom tool."""
    with pytest.raises(UnsupportedContentError, match="function or custom"):
        from_openai([calling(call(type="mcp"))])


@pytest.mark.parametrize(
    "tool_calls",
    [
        "c1",
        ["c1"],
        [call(function=None)],
        [call(1)],
        [call(function={"name": "f", "arguments": {"a": 1}})],
    ],
)
def test_malformed_calls_are_refused(tool_calls):
    """Calls of a wrong type are a typed error that names the message."""
    with pytest.raises(MessageTypeError, match=r"^message 0: "):
        from_openai([{"role": "assistant", "tool_calls": tool_calls}])


def sent_ids(messages):
    """Return the ids of calls, and those that results refer to, in order."""
    sent = to_openai(messages)
    calls = [c["id"] for m in sent for c in m.get("tool_calls", ())]
    return calls, [m["tool_call_id"] for m in sent if m["role"] == "tool"]


@pytest.mark.parametrize("missing", [None, ""])
def test_missing_ids_follow_from_the_position(missing):
    """Calls without an id get one, and the results that answer them the same."""
    messages = [UserMessage("Hi"), *exchange([missing] * 2, [missing] * 2)]

    calls, results = sent_ids(messages)

    assert ["call_1_0", "call_1_1"] == calls == results


def test_result_without_id_answers_the_call_of_its_tool():
    """Results without an id are told apart by their tool's name."""
    messages = [
        AiMessage(
            tool_execution_requests=[request(name="first"), request(name="second")]
        ),
        ToolExecutionResultMessage(tool_name="second", text="2"),
        ToolExecutionResultMessage(tool_name="first", text="1"),
    ]

    assert ["call_0_1", "call_0_0"] == sent_ids(messages)[1]


def test_new_id_is_none_that_is_there():
    """An id from the position gives way to one that the conversation has."""
    messages = [*exchange([None, "call_0_0"], [None, "call_0_0"])]

    calls, results = sent_ids(messages)

    assert ["call_0_0_1", "call_0_0"] == calls == results


@pytest.mark.parametrize("call_id", ["x" * 41, "a b", "é", "\udc80", "a\x00"])
def test_id_that_openai_refuses_is_replaced(call_id):
    """A long or odd id becomes a hash, the same on the call and on its result."""
    calls, results = sent_ids(exchange([call_id], [call_id]))

    assert calls == results
    assert calls == sent_ids([UserMessage("Hi"), *exchange([call_id], [])])[0]
    assert [40] == [len(found) for found in calls]


@pytest.mark.parametrize("call_id", ["1", "x" * 40, "functions.f:0", "call_A|fc_B"])
def test_id_that_openai_takes_is_kept(call_id):
    """An id of up to 40 visible ASCII characters stays as it is."""
    assert ([call_id], [call_id]) == sent_ids(exchange([call_id], [call_id]))


def test_hash_of_an_id_is_none_that_is_there():
    """Should a conversation have the very id that a hash gives, another is taken."""
    long_id = "x" * 41
    ((taken,), _) = sent_ids(exchange([long_id], []))

    calls, results = sent_ids(exchange([long_id, taken], [long_id, taken]))

    assert taken == calls[1]
    assert 2 == len(set(calls))
    assert calls == results


def test_result_without_id_that_answers_nothing_is_refused():
    """A result has to say which call it answers; repair leaves it out."""
    with pytest.raises(UnsupportedContentError, match="repair"):
        to_openai([UserMessage("Hi"), ToolExecutionResultMessage(text="4")])


def test_result_gets_the_name_of_its_tool():
    """A result in the API has no name, but the call that it answers has."""
    history = [
        calling(call("c1"), call("c2")),
        result("c2"),
        result("c1"),
        result("c3"),
    ]

    messages = from_openai(history)

    assert ["f", "f", None] == [message.tool_name for message in messages[1:]]
    assert history == to_openai(messages)


@pytest.mark.parametrize("name", ["g", None])
def test_result_keeps_its_name(name):
    """A result that came with a name is sent with it, another is not."""
    history = [calling(call()), result(name=name)]

    messages = from_openai(history)

    assert (name or "f") == messages[1].tool_name
    assert history == to_openai(messages)


def test_changed_tool_name_is_sent_as_name():
    """Where a result has a name, it is the name that the message has."""
    messages = from_openai([calling(call()), result(name="g")])
    messages[1] = attrs.evolve(messages[1], tool_name="h")

    assert "h" == to_openai(messages)[1]["name"]


def test_parts_of_a_result_come_back():
    """A result may have several texts; one that is bare is a str."""
    a, b = {"type": "text", "text": "a"}, {"type": "text", "text": "b", "x": 1}

    assert_comes_back(calling(call()), result(content=[a, b]))
    assert (
        "a"
        == to_openai(from_openai([calling(call()), result(content=[a])]))[1]["content"]
    )


def test_media_in_a_result_are_refused():
    """Results are text in Chat; the error says where media go."""
    history = [calling(call()), result(content=[image()])]

    with pytest.raises(UnsupportedContentError, match="user message") as caught:
        to_openai(from_openai(history))

    assert (1, "ImageContent") == (
        caught.value.message_index,
        caught.value.content_type,
    )


@pytest.mark.parametrize("is_error", [True, False, None])
def test_error_flag_is_not_sent(is_error):
    """Chat has no flag for it: a tool's error is its text."""
    message = ToolExecutionResultMessage(id="c1", text="4", is_error=is_error)

    assert result() == written(message)
