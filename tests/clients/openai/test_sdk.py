"""The SDK itself between a memory and a model: what it sends, and what it returns."""

import asyncio
import json

from pathlib import Path

import openai
import pydantic
import pytest

from chatmemory import (
    AiMessage,
    MessageWindowChatMemory,
    SystemMessage,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
    UserMessage,
)
from chatmemory.clients.openai import from_openai, reply_from_openai, to_openai
from chatmemory.conversation import repair, unanswered
from openai_stub import ANSWER, stub
from openai_wire import call, calling, result


DATA = Path(__file__).parents[2] / "data" / "openai_recorded.jsonl"
RECORDS = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
MODEL = "gpt-4o"


class Weather(pydantic.BaseModel):
    """Tell the weather in a city."""

    city: str


TOOLS = [openai.pydantic_function_tool(Weather)]
CALL = call("call_1", function={"name": "Weather", "arguments": '{"city": "Oslo"}'})


@pytest.fixture
def model():
    """Run a model on this machine; give a client of it, and the requests it gets."""
    with (
        stub() as (url, requests),
        openai.OpenAI(base_url=url, api_key="none", max_retries=0) as client,
    ):
        yield client.chat.completions, requests


def ask(memory, completions) -> str | None:
    """Let a model answer, with as many tool calls as it wants."""
    while True:
        response = completions.create(
            model=MODEL, messages=to_openai(memory.messages()), tools=TOOLS
        )
        memory.add(reply_from_openai(response))
        calls = unanswered(memory.messages())
        if not calls:
            return memory.messages()[-1].text
        memory.add(*(ToolExecutionResultMessage.of(each, "rain") for each in calls))


def test_a_conversation_with_a_tool_call(model):
    """What the model is sent is the conversation so far, call and result included."""
    completions, requests = model
    memory = MessageWindowChatMemory(max_messages=10)
    memory.add(SystemMessage("Be brief."), UserMessage("The weather in Oslo?"))

    assert ANSWER == ask(memory, completions)

    said = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "The weather in Oslo?"},
        calling(CALL),
        result("call_1", content="rain"),
    ]
    assert [said[:2], said] == [request["messages"] for request in requests]
    assert AiMessage(ANSWER) == memory.messages()[-1]


@pytest.mark.parametrize("window", [1, 3, 5, 7])
def test_a_window_never_breaks_a_request(model, window):
    """However little is shown of a long conversation, the model accepts it."""
    completions, requests = model
    memory = MessageWindowChatMemory(max_messages=window)
    memory.add(SystemMessage("Be brief."))

    for number in range(4):
        memory.add(UserMessage(f"Question {number}"))
        assert ANSWER == ask(memory, completions)

    # System message, question, call and result are what has to stay.
    assert max(window, 4) >= max(len(request["messages"]) for request in requests)


def test_a_broken_request_is_refused(model):
    """The model is as strict as OpenAI's, so the tests above say something."""
    completions, _ = model
    with pytest.raises(openai.BadRequestError, match="tool_call_id"):
        completions.create(model=MODEL, messages=[result()])


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["id"])
def test_the_sdk_sends_what_was_made(model, record):
    """The SDK leaves no field of a recorded conversation out, and adds none."""
    completions, requests = model
    history = from_openai(record["messages"])
    messages = to_openai(repair([*history, UserMessage("And now?")]).messages)
    completions.create(model=MODEL, messages=messages)
    assert messages == requests[0]["messages"]


def test_a_reply_is_the_same_in_each_form(model):
    """The SDK's objects and what they dump make the same message."""
    completions, _ = model
    response = completions.create(
        model=MODEL, messages=to_openai([UserMessage("Hi")]), tools=TOOLS
    )
    (choice,) = response.choices

    request = ToolExecutionRequest(
        id="call_1", name="Weather", arguments='{"city": "Oslo"}'
    )
    reply = AiMessage(tool_execution_requests=[request])
    forms = [response, choice, choice.message]
    assert [reply] * 6 == [
        reply_from_openai(form) for each in forms for form in (each, each.model_dump())
    ]
    assert [reply] == from_openai([choice.message])


def test_what_the_sdk_parsed_is_not_sent_back(model):
    """`parse` gives objects beside the text; the conversation goes on without them."""
    completions, requests = model
    memory = MessageWindowChatMemory(max_messages=10)
    memory.add(UserMessage("The weather in Oslo?"))
    response = completions.parse(
        model=MODEL, messages=to_openai(memory.messages()), tools=TOOLS
    )
    (called,) = response.choices[0].message.tool_calls
    assert Weather(city="Oslo") == called.function.parsed_arguments

    memory.add(reply_from_openai(response))
    memory.add(ToolExecutionResultMessage(id="call_1", text="rain"))
    completions.create(model=MODEL, messages=to_openai(memory.messages()))

    assert calling(CALL) == requests[-1]["messages"][1]


def test_the_async_client():
    """It takes and returns the same."""

    async def converse(url: str) -> str | None:
        memory = MessageWindowChatMemory(max_messages=10)
        async with openai.AsyncOpenAI(
            base_url=url, api_key="none", max_retries=0
        ) as client:
            await memory.aadd(UserMessage("Hi"))
            response = await client.chat.completions.create(
                model=MODEL, messages=to_openai(await memory.amessages())
            )
            await memory.aadd(reply_from_openai(response))
        return (await memory.amessages())[-1].text

    with stub() as (url, _requests):
        assert ANSWER == asyncio.run(converse(url))
