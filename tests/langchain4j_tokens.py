"""
What LangChain4j counts for GPT-4o mini, and messages that cost a given number.

The rule is that of OpenAiTokenCountEstimator of LangChain4j. Each word and each mark is
a token here: that is what OpenAI's vocabulary makes of the few texts that are used.
"""

import json
import re

from collections.abc import Sequence

from chatmemory import (
    AiMessage,
    ChatMessage,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
)
from notation import message


FOR_A_REQUEST = 3
FOR_A_MESSAGE = 4
ARGUMENTS = '{"a":2,"b":2}'
SPOKEN = re.compile(r"(?P<label>[SUA]\d*)x(?P<tokens>\d+)")


class LangChain4jEstimator:
    """Counts messages one by one; a tool group gets no discount."""

    def count_text(self, text: str) -> int:
        return len(re.findall(r"\w+|[^\w\s]", text))

    def count_unit(self, unit: Sequence[ChatMessage]) -> int:
        return sum(map(self._count_message, unit))

    def count_messages(self, messages: Sequence[ChatMessage]) -> int:
        return FOR_A_REQUEST + self.count_unit(messages)

    def _count_message(self, message: ChatMessage) -> int:
        if not isinstance(message, AiMessage):
            return FOR_A_MESSAGE + self.count_text(message.text)
        count = FOR_A_MESSAGE + self.count_text(message.text or "")
        requests = message.tool_execution_requests
        if len(requests) == 1:
            return count + self._count_only_request(requests[0])
        if requests:
            count += 21
        return count + sum(map(self._count_parallel_request, requests))

    def _count_only_request(self, request: ToolExecutionRequest) -> int:
        name = self.count_text(request.name)
        return 5 + 2 * name + self.count_text(request.arguments)

    def _count_parallel_request(self, request: ToolExecutionRequest) -> int:
        arguments = json.loads(request.arguments).items()
        return (
            7
            + self.count_text(request.name)
            + sum(
                2 + self.count_text(key) + self.count_text(str(value))
                for key, value in arguments
            )
        )


def costing(text: str) -> list[ChatMessage]:
    """
    Read messages that cost what they say.

    `Ux12` is a user message of 12 tokens. `A[1]` calls a calculator and costs 24,
    `A[1,2]` calls it twice and costs 57, and each result, `T:1`, costs 5.
    """
    return [_costing(word) for word in text.split()]


def _costing(word: str) -> ChatMessage:
    if word.startswith("T:"):
        return ToolExecutionResultMessage.of(_call(word.removeprefix("T:")), "4")
    if word.startswith("A["):
        calls = [_call(call_id) for call_id in word[2:-1].split(",")]
        return AiMessage(tool_execution_requests=calls)
    spoken = SPOKEN.fullmatch(word)
    text = type(message(spoken["label"]))
    words = int(spoken["tokens"]) - FOR_A_MESSAGE
    return text(" ".join([spoken["label"], *["and"] * (words - 1)]))


def _call(call_id: str) -> ToolExecutionRequest:
    return ToolExecutionRequest(id=call_id, name="calculator", arguments=ARGUMENTS)
