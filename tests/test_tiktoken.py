"""How OpenAI's models count; what they reported is in test_reported_tokens.py."""

import importlib
import random
import sys

import pytest

from hypothesis import given
from hypothesis import strategies as st

from chatmemory import (
    AiMessage,
    CustomMessage,
    InvalidOptionError,
    MissingExtraError,
    SystemMessage,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
    UserMessage,
)
from chatmemory._vocabulary import encoding_named
from chatmemory.contents import AudioContent, PdfFileContent, TextContent, VideoContent
from chatmemory.conversation import grouped
from chatmemory.tiktoken import TiktokenEstimator
from chatmemory.tokens import TextTokenCountEstimator
from notation import conversation
from strategies import PHRASES, messages


# Models


MODELS = [
    ("gpt-3.5-turbo", "cl100k_base", 3),
    ("gpt-35-turbo-16k", "cl100k_base", 3),
    ("gpt-4", "cl100k_base", 3),
    ("gpt-4-turbo-2024-04-09", "cl100k_base", 3),
    ("gpt-4-32k", "cl100k_base", 3),
    ("ft:gpt-4:my-org::id", "cl100k_base", 3),
    ("ft:gpt-3.5-turbo-0125:my-org::id", "cl100k_base", 3),
    ("azure/gpt-4", "cl100k_base", 3),
    ("gpt-4o", "o200k_base", 3),
    ("GPT-4o-mini", "o200k_base", 3),
    ("gpt-4.1-nano-2025-04-14", "o200k_base", 3),
    ("gpt-4.5-preview", "o200k_base", 3),
    ("chatgpt-4o-latest", "o200k_base", 3),
    ("openrouter/openai/gpt-4o", "o200k_base", 3),
    ("o1", "o200k_base", 2),
    ("o3-mini", "o200k_base", 2),
    ("o4-mini", "o200k_base", 2),
    ("gpt-5", "o200k_base", 2),
    ("gpt-5.2-chat-latest", "o200k_base", 2),
    ("gpt-6-mini", "o200k_base", 2),
    ("gpt-10", "o200k_base", 2),
    ("my-deployment", "o200k_base", 3),
    ("gpt-oss-20b", "o200k_base", 3),
]


@pytest.mark.parametrize(("name", "vocabulary", "reply"), MODELS)
def test_models(name, vocabulary, reply):
    """A name's beginning says how its model counts; an unknown one counts as gpt-4o."""
    text = "请帮我找一班飞往里斯本的航班。"
    estimator = TiktokenEstimator(name)
    tokens = len(encoding_named(vocabulary).encode_ordinary(text))
    assert tokens == estimator.count_text(text)
    assert reply == estimator.count_messages([])
    assert f"TiktokenEstimator({name!r})" == repr(estimator)


@pytest.mark.parametrize("name", ["", None, 4, b"gpt-4o"])
def test_names_of_models(name):
    """The name of a model is a text."""
    with pytest.raises(InvalidOptionError) as caught:
        TiktokenEstimator(name)
    expected = f'model must be the name of a model, as in "gpt-4o": {name!r}'
    assert expected == str(caught.value)


# Texts


VOCABULARIES = {"gpt-4": "cl100k_base", "gpt-4o": "o200k_base"}


@pytest.fixture(params=VOCABULARIES)
def name(request):
    """A model for each vocabulary."""
    return request.param


@pytest.mark.parametrize(
    ("text", "cl100k", "o200k"),
    [
        ("", 0, 0),
        ("Hello world", 2, 2),
        ("请帮我找航班", 9, 6),
        ("👩‍👩‍👧", 13, 8),
        ("<|endoftext|>", 7, 7),
        ("<|im_start|>system<|im_sep|>", 13, 13),
        ("\x00", 1, 1),
        ("\ud83d", 1, 1),
        ("\ud83d\ude00", 2, 1),
    ],
)
def test_texts(text, cl100k, o200k):
    """Any text has a count, and the name of a special token is text like other text."""
    counted = [TiktokenEstimator(name).count_text(text) for name in VOCABULARIES]
    assert [cl100k, o200k] == counted


@given(st.text() | st.sampled_from(PHRASES))
def test_any_text(text):
    """A count is the number of tokens that tiktoken makes of ordinary text."""
    for name, vocabulary in VOCABULARIES.items():
        tokens = encoding_named(vocabulary).encode(text, disallowed_special=())
        assert len(tokens) == TiktokenEstimator(name).count_text(text)


@pytest.mark.parametrize("separator", [" ", "\n", ",", ""])
def test_long_texts_fall_apart_where_tokens_do(name, separator):
    """Where words end at spaces and marks, counting in parts makes no difference."""
    text = separator.join(random.Random(7).choices(PHRASES, k=2_000))
    tokens = encoding_named(VOCABULARIES[name]).encode_ordinary(text)
    assert len(tokens) == TiktokenEstimator(name).count_text(text)


@pytest.mark.parametrize("character", ["a", "-", "=", "\n", "\t"])
def test_long_runs(name, character):
    """Time for a run is linear: it is counted in parts of 1,000 characters."""
    count = TiktokenEstimator(name).count_text
    assert 100 * count(character * 1_000) == count(character * 100_000)


def test_a_million_spaces(name):
    """A run on which tiktoken alone overflows its stack is counted like any other."""
    count = TiktokenEstimator(name).count_text
    assert 1_000 * count(" " * 1_000) == count(" " * 1_000_000)


# Messages


@pytest.fixture
def count():
    """What a unit costs gpt-4o."""
    return TiktokenEstimator("gpt-4o").count_unit


def request(**fields):
    return ToolExecutionRequest(**{"id": "c1", "name": "f", "arguments": "{}"} | fields)


def calling(*requests, text=None):
    return AiMessage(text, tool_execution_requests=requests)


@pytest.mark.parametrize(
    ("message", "cost"),
    [
        (SystemMessage("Hello world"), 4 + 2),
        (UserMessage("Hello world"), 4 + 2),
        (UserMessage("Hello world", name="Ann"), 4 + 2 + 1 + 1),
        (UserMessage([TextContent("Hel"), TextContent("lo")]), 4 + 1),
        (UserMessage(""), 4),
        (AiMessage("Hello world", thinking="It is the first program."), 4 + 2),
        (AiMessage(), 4),
        (calling(request()), 4 + 5 + 1 + 1),
        (calling(request(), text="Hello world"), 4 + 2 + 5 + 1 + 1),
        (ToolExecutionResultMessage(tool_name="f", text="Hello world"), 3 + 2 + 2),
        (CustomMessage({"text": "Hello world"}), 0),
    ],
)
def test_costs_of_messages(count, message, cost):
    """Beside texts it costs the role, a name and the frame of a call; not what stays here."""
    assert cost == count([message])


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ('{ "city" :\n "Oslo" }', '{"city":"Oslo"}'),
        ('{"city": "\\u6771\\u4eac"}', '{"city":"東京"}'),
        (None, "{}"),
        ("", ""),
        ('{"city": ', '{"city": '),
        ("1" * 5_000, "1" * 5_000),
        ("[" * 100_000, "[" * 100_000),
    ],
    ids=["spaces", "escapes", "None", "empty", "half", "long number", "deep"],
)
def test_arguments(count, arguments, shown):
    """A model sees arguments as compact JSON, and what is no JSON as it is."""
    counted = count([calling(request(arguments=arguments))])
    text = TiktokenEstimator("gpt-4o").count_text
    assert 4 + 5 + 1 + text(shown) == counted


def test_a_single_call_and_its_result(count):
    """They cost what they cost apart."""
    call, result = conversation('A[c1:add={"a":2}] T:c1:add=4')
    assert count([call]) + count([result]) == count([call, result])


def test_parallel_calls_and_their_results():
    """They are billed as one call with a list of calls, and one list of results."""
    estimator = TiktokenEstimator("gpt-4o")
    calls = '{"tool_uses":[{"recipient_name":"functions.add","parameters":{"a":2}},'
    calls += '{"recipient_name":"functions.f","parameters":{}}]}'
    results = '["two\\nlines","\\"quoted\\""]'
    expected = 20 + estimator.count_text(calls) + estimator.count_text(results)
    group = [
        calling(request(name="add", arguments='{"a": 2}'), request(id="c2")),
        ToolExecutionResultMessage(id="c1", tool_name="add", text="two\nlines"),
        ToolExecutionResultMessage(id="c2", tool_name="f", text='"quoted"'),
    ]
    assert expected == estimator.count_unit(group)
    assert 20 + estimator.count_text(calls) == estimator.count_unit(group[:1])
    assert 3 + expected == estimator.count_messages(group)


def test_a_request_is_its_units():
    """Results are billed with their calls, wherever they stand."""
    estimator = TiktokenEstimator("gpt-4o")
    said = conversation("S U1 A[c1,c2] T:c2 U2 T:c1 A2")
    system, question, call, second, other, first, answer = said
    units = [[system], [question], [call, first, second], [other], [answer]]
    assert 3 + sum(map(estimator.count_unit, units)) == estimator.count_messages(said)


def test_what_gpt_5_adds():
    """From gpt-5 on calls cost 6 more, and what the assistant has said 2."""
    other, gpt_5 = TiktokenEstimator("gpt-4o"), TiktokenEstimator("gpt-5")
    for unit, more in [("U1", 0), ("A1", 2), ("A[c1] T:c1", 6), ("A[a,b] T:a T:b", 6)]:
        messages = conversation(unit)
        assert other.count_unit(messages) + more == gpt_5.count_unit(messages)


@pytest.mark.parametrize("kind", [AudioContent, VideoContent, PdfFileContent])
def test_other_media(count, kind):
    """What can't be measured counts as for the other estimators, in results too."""
    message = UserMessage([TextContent("Hello world"), kind(url="https://a.example")])
    assert TextTokenCountEstimator(lambda text: 2).count_unit([message]) == count(
        [message]
    )
    results = [
        ToolExecutionResultMessage(id=i, tool_name="f", contents=message.contents)
        for i in ("c1", "c2")
    ]
    group = [calling(request(), request(id="c2")), *results]
    assert 2 * 765 < count(group) < 3 * 765


@given(st.lists(messages(), max_size=8))
def test_any_messages(said):
    """Whatever the messages, their cost is a whole number, and that of their units."""
    for name in VOCABULARIES:
        estimator = TiktokenEstimator(name)
        counts = [estimator.count_unit(unit) for unit in grouped(said)]
        assert all(isinstance(count, int) and count >= 0 for count in counts)
        assert 3 + sum(counts) == estimator.count_messages(said)


# What has to be installed


def test_the_extra_that_is_missing(monkeypatch):
    """Without tiktoken the import says what to install."""
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    monkeypatch.delitem(sys.modules, "chatmemory.tiktoken")
    with pytest.raises(MissingExtraError) as caught:
        importlib.import_module("chatmemory.tiktoken")
    expected = (
        "chatmemory.tiktoken needs tiktoken: pip install 'chatmemory-py[tiktoken]'"
    )
    assert expected == str(caught.value)
