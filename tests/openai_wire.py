"""Messages as OpenAI Chat has them, for the tests of its client."""

from chatmemory.clients.openai import from_openai, to_openai
from chatmemory.messages import (
    AiMessage,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
)


def request(**fields):
    return ToolExecutionRequest(**{"name": "f", "arguments": "{}"} | fields)


def call(call_id="c1", **fields):
    function = {"name": "f", "arguments": "{}"}
    return {"id": call_id, "type": "function", "function": function} | fields


def calling(*calls):
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def result(call_id="c1", **fields):
    return {"role": "tool", "tool_call_id": call_id, "content": "4"} | fields


def user(*parts, **fields):
    return {"role": "user", "content": list(parts)} | fields


def assert_comes_back(*history):
    assert list(history) == to_openai(from_openai(history))


def written(message):
    (fields,) = to_openai([message])
    return fields


def image(url="https://example.org/a.png", **fields):
    return {"type": "image_url", "image_url": {"url": url} | fields}


def exchange(call_ids, result_ids):
    return [
        AiMessage(
            tool_execution_requests=[request(id=call_id) for call_id in call_ids]
        ),
        *(ToolExecutionResultMessage(id=call_id, text="4") for call_id in result_ids),
    ]
