import copy
import json

from pathlib import Path

import pytest

from chatmemory.cli.openai_rules import BLOCK_RULES, MESSAGE_RULES, violations


DATA = Path(__file__).parents[1] / "data" / "openai_recorded.jsonl"
RECORDS = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
PNG = "data:image/png;base64,iVBORw0KGgo="


def by_id(ending):
    return next(r["messages"] for r in RECORDS if r["id"].endswith(ending))


def requests():
    """Yield what a model was called with: each prefix before an assistant's message."""
    for record in RECORDS:
        messages = record["messages"]
        for end, message in enumerate(messages):
            if end and message["role"] == "assistant":
                yield pytest.param(messages[:end], id=f"{record['id']}[:{end}]")
        if not any("has no result" in found for found in violations(messages)):
            yield pytest.param(messages, id=record["id"])


@pytest.mark.parametrize("request_", list(requests()))
def test_recorded_request_is_valid(request_):
    """A request that a provider accepted breaks no rule."""
    assert [] == violations(request_)


def test_open_calls_at_the_end_are_reported():
    """A conversation whose last calls wait for results is no request yet."""
    messages = by_id("openllmetry-openai-476f61dbe5")

    assert ["messages[5].tool_calls[0]: has no result directly behind"] == violations(
        messages
    )


def valid():
    """Return a recorded request with two parallel calls, and a part of each type."""
    request = copy.deepcopy(by_id("pydantic-ai-openai-15d8cacedc"))
    request.append(
        {
            "role": "user",
            "name": "Zoë",
            "content": [
                {"type": "text", "text": ""},
                {"type": "image_url", "image_url": {"url": PNG}},
                {"type": "image_url", "image_url": {"url": "https://example.org/a"}},
                {"type": "input_audio", "input_audio": {"data": "", "format": "wav"}},
                {"type": "file", "file": {"file_id": "file-1"}},
                {"type": "file", "file": {"file_data": "data:,", "filename": "f"}},
                {"type": "video_url", "video_url": {"url": "https://example.org/v"}},
            ],
        }
    )
    return request


def caller(request):
    return next(m for m in request if len(m.get("tool_calls") or []) > 1)


def call(request):
    return caller(request)["tool_calls"][0]


def result(request):
    return next(m for m in request if m["role"] == "tool")


def part(request, kind):
    return next(p for p in request[-1]["content"] if p["type"] == kind)


def test_the_request_that_mutants_are_made_of_is_valid():
    """What the mutants differ from breaks no rule."""
    assert [] == violations(valid())


def without_the_first_call(request):
    del caller(request)["tool_calls"][0]


def result_before_everything(request):
    request.insert(0, {"role": "tool", "tool_call_id": "call_1", "content": ""})


def without_the_first_result(request):
    request.remove(result(request))


def message_between_call_and_result(request):
    request.insert(request.index(result(request)), {"role": "user", "content": "Wait!"})


def open_at_the_end(request):
    del request[request.index(caller(request)) + 1 :]


def unknown_role(request):
    request[0]["role"] = "bot"


def content_is_an_object(request):
    request[0]["content"] = {"type": "text", "text": "Hi"}


def content_is_missing(request):
    del request[0]["content"]


def result_without_content(request):
    result(request)["content"] = None


def assistant_has_nothing_to_say(request):
    request.insert(0, {"role": "assistant", "content": None, "refusal": None})


def content_is_an_empty_list(request):
    request[-1]["content"] = []


def part_without_type(request):
    del part(request, "text")["type"]


def image_in_a_result(request):
    result(request)["content"] = [part(request, "image_url")]


def unknown_part_type(request):
    part(request, "text")["type"] = "input_text"


def image_of_another_type(request):
    part(request, "image_url")["image_url"]["url"] = "data:image/bmp;base64,Qk0="


def file_without_name(request):
    request[-1]["content"] = [{"type": "file", "file": {"file_data": "data:,"}}]


def calls_are_an_empty_list(request):
    request.insert(0, {"role": "assistant", "content": "Hi", "tool_calls": []})


def call_without_type(request):
    del call(request)["type"]


def long_id(request):
    result(request)["tool_call_id"] = call(request)["id"] = "x" * 41


def call_without_id(request):
    del call(request)["id"]


def arguments_are_an_object(request):
    call(request)["function"]["arguments"] = {"a": 1}


def tool_name_with_a_dot(request):
    call(request)["function"]["name"] = "math.add"


def long_tool_name(request):
    call(request)["function"]["name"] = "f" * 65


def call_without_name(request):
    del call(request)["function"]["name"]


def name_with_a_space(request):
    request[-1]["name"] = "Ann Smith"


MUTANTS = {
    without_the_first_call: "is not that of a call directly before",
    result_before_everything: "is not that of a call directly before",
    without_the_first_result: "has no result directly behind",
    message_between_call_and_result: "has no result directly behind",
    open_at_the_end: "has no result directly behind",
    unknown_role: "role: is not known",
    content_is_an_object: "is neither a text nor a list",
    content_is_missing: "content: is missing or null",
    result_without_content: "content: is missing or null",
    assistant_has_nothing_to_say: "content: is missing or null",
    content_is_an_empty_list: "content: is an empty list",
    part_without_type: "content[0].type: is missing",
    image_in_a_result: "content[0].type: is not one for this role",
    unknown_part_type: "content[0].type: is not one for this role",
    image_of_another_type: "content[1].image_url.url: is no png, jpeg, gif or webp",
    file_without_name: "content[0].file: has neither file_id nor data and filename",
    calls_are_an_empty_list: "tool_calls: is an empty list",
    call_without_type: "tool_calls[0].type: is not known",
    long_id: "tool_calls[0].id: is not a text of 1 to 40 characters",
    call_without_id: "tool_calls[0].id: is not a text of 1 to 40 characters",
    arguments_are_an_object: "tool_calls[0].function.arguments: is no text",
    tool_name_with_a_dot: "tool_calls[0].function.name: does not match",
    long_tool_name: "tool_calls[0].function.name: does not match",
    call_without_name: "tool_calls[0].function.name: does not match",
    name_with_a_space: "name: has a space in it",
}


@pytest.mark.parametrize(
    ("mutate", "expected"), list(MUTANTS.items()), ids=[m.__name__ for m in MUTANTS]
)
def test_mutant_is_refused(mutate, expected):
    """A valid request with one thing wrong is refused, and the entry says what."""
    request = valid()
    mutate(request)

    assert any(expected in found for found in violations(request))


@pytest.mark.parametrize("rule", [*BLOCK_RULES, *MESSAGE_RULES])
def test_every_rule_has_a_mutant(rule, monkeypatch):
    """Each rule is the only one that refuses some mutant: none is there for nothing."""
    monkeypatch.setattr(
        "chatmemory.cli.openai_rules.BLOCK_RULES",
        tuple(other for other in BLOCK_RULES if other is not rule),
    )
    monkeypatch.setattr(
        "chatmemory.cli.openai_rules.MESSAGE_RULES",
        tuple(other for other in MESSAGE_RULES if other is not rule),
    )
    passing = []
    for mutate, expected in MUTANTS.items():
        request = valid()
        mutate(request)
        if not any(expected in found for found in violations(request)):
            passing.append(mutate)

    assert passing


def test_empty_request_is_refused():
    """A request has at least one message."""
    assert ["messages: is empty"] == violations([])


@pytest.mark.parametrize("instead", ["refusal", "audio", "function_call"])
def test_assistant_without_content_may_say_something_else(instead):
    """A refusal, audio or a legacy function call stands in for an assistant's content."""
    message = {"role": "assistant", "content": None, instead: {"id": "a"}}

    assert [] == violations([message])


def test_empty_content_beside_calls_is_accepted():
    """Mistral takes [] beside calls, so the rule is as lax."""
    calls = [
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": ""}},
        {"id": "b", "type": "custom", "custom": {"name": "g.h", "input": ""}},
    ]

    assert [] == violations(
        [
            {"role": "assistant", "content": [], "tool_calls": calls},
            {"role": "tool", "tool_call_id": "b", "content": ""},
            {"role": "tool", "tool_call_id": "a", "content": ""},
        ]
    )


def test_legacy_function_result_may_be_null():
    """The role function, which the API still takes, has null content for nothing."""
    assert [] == violations([{"role": "function", "name": "f", "content": None}])


def test_violation_names_its_message():
    """An entry begins with the message it is about, as the API's own errors do."""
    messages = [{"role": "user", "content": "Hi"}, {"role": "user", "content": []}]

    assert ["messages[1].content: is an empty list"] == violations(messages)
