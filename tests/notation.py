"""
Conversations as one reads them in a bug report.

`S U1 A[c1,c2] T:c1 (c2) A` is a system message, a question, two calls, the result of
the first, a placeholder for the second, and an answer. A word is also the text of its
message, so equal words are equal messages; `A[c1]` has no text, `A1[c1]` has. A call is
`id`, `id:tool` or `id:tool=arguments` (`:tool` has no id), and so is what a result
answers, with its text at the end. `C` is a custom message.
"""

import re

from collections.abc import Iterable

from chatmemory.messages import (
    AiMessage,
    ChatMessage,
    CustomMessage,
    SystemMessage,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
    UserMessage,
)
from chatmemory.placeholders import is_placeholder, placeholder_for


TOOL = "tool"
ARGUMENTS = "{}"
CALL = re.compile(r"(?P<id>[^:=]*)(?::(?P<tool>[^=]*))?(?:=(?P<text>.*))?")
SPOKEN = re.compile(r"(?P<text>[SUA]\w*)(?:\[(?P<calls>.+)\])?")


def conversation(text: str) -> list[ChatMessage]:
    """Read messages."""
    return [message(word) for word in text.split()]


def message(word: str) -> ChatMessage:
    """Read one message."""
    if word == "C":
        return CustomMessage()
    if word.startswith("("):
        return placeholder_for(call(word.strip("()")))
    if word.startswith("T:"):
        return _result(word)
    spoken = SPOKEN.fullmatch(word)
    if spoken is None:
        raise ValueError(word)
    return _spoken(spoken["text"], spoken["calls"])


def call(word: str) -> ToolExecutionRequest:
    """Read one call."""
    found = _parts(word)
    return ToolExecutionRequest(
        id=found["id"] or None,
        name=found["tool"] or TOOL,
        arguments=found["text"] or ARGUMENTS,
    )


def shown(messages: Iterable[ChatMessage]) -> str:
    """Write messages; what `conversation` reads comes back."""
    return " ".join(map(_shown, messages))


def _result(word: str) -> ToolExecutionResultMessage:
    found = _parts(word.removeprefix("T:"))
    return ToolExecutionResultMessage(
        id=found["id"] or None,
        tool_name=found["tool"] or TOOL,
        text=word if found["text"] is None else found["text"],
    )


def _spoken(text: str, calls: str | None) -> ChatMessage:
    if text.startswith("S"):
        return SystemMessage(text)
    if text.startswith("U"):
        return UserMessage(text)
    if calls is None:
        return AiMessage(text)
    requests = [call(word) for word in calls.split(",")]
    spoken = None if text == "A" else text
    return AiMessage(spoken, tool_execution_requests=requests)


def _parts(word: str) -> re.Match[str]:
    found = CALL.fullmatch(word)
    if found is None:
        raise ValueError(word)
    return found


def _shown(message: ChatMessage) -> str:
    match message:
        case CustomMessage():
            return "C"
        case ToolExecutionResultMessage():
            return _shown_result(message)
        case AiMessage():
            return _shown_reply(message)
        case _:
            return message.text


def _shown_result(result: ToolExecutionResultMessage) -> str:
    answered = _shown_call(result.id, result.tool_name)
    if is_placeholder(result):
        return f"({answered})"
    word = f"T:{answered}"
    return word if result.text == word else f"{word}={result.text}"


def _shown_reply(message: AiMessage) -> str:
    calls = [
        _shown_call(request.id, request.name)
        + ("" if request.arguments == ARGUMENTS else f"={request.arguments}")
        for request in message.tool_execution_requests
    ]
    text = message.text or "A"
    return f"{text}[{','.join(calls)}]" if calls else text


def _shown_call(call_id: str | None, tool: str | None) -> str:
    return (call_id or "") + ("" if tool == TOOL else f":{tool}")
