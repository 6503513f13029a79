"""What was recorded comes back, and can be sent."""

import copy
import json

from pathlib import Path

import pytest

from chatmemory.cli.openai_rules import violations
from chatmemory.clients.openai import from_openai, to_openai
from chatmemory.messages import AiMessage


DATA = Path(__file__).parents[2] / "data" / "openai_recorded.jsonl"
RECORDS = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]


def normalised(message):
    """Write a message as the docstring says that it comes back."""
    message = copy.deepcopy(message)
    content = message.get("content") or None
    if isinstance(content, list) and [part.keys() for part in content] == [
        {"type", "text"}
    ]:
        message["content"] = content[0]["text"]
    if message["role"] == "assistant":
        message["content"] = message.get("content", None)
        if message["content"] == []:
            message["content"] = None
        if message.get("function_call") == {"name": "", "arguments": ""}:
            del message["function_call"]
        if message.get("audio", {}).get("id") == "":
            del message["audio"]
    for part in message["content"] if isinstance(message["content"], list) else []:
        if part.get("image_url", {}).get("detail") == "auto":
            del part["image_url"]["detail"]
    return message


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["id"])
def test_recorded_conversation_comes_back(record):
    """What a provider accepted comes back equal, up to what the docstring lists."""
    history = record["messages"]

    assert [normalised(message) for message in history] == to_openai(
        from_openai(history)
    )


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["id"])
def test_converted_conversation_breaks_no_rule(record):
    """What is made of a recorded conversation can be sent before each answer."""
    messages = from_openai(record["messages"])

    for end, message in enumerate(messages):
        if end and isinstance(message, AiMessage):
            assert [] == violations(to_openai(messages[:end]))
