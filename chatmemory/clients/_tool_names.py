"""The names of tools, for results of which the provider tells only the call."""

from typing import cast

import attrs

from chatmemory.conversation import match
from chatmemory.messages import AiMessage, ChatMessage, ToolExecutionResultMessage


def with_tool_names(messages: list[ChatMessage]) -> list[ChatMessage]:
    """Name each result without a name after the tool whose call it answers."""
    nameless = {
        index: message
        for index, message in enumerate(messages)
        if isinstance(message, ToolExecutionResultMessage) and message.tool_name is None
    }
    answered = match(messages) if nameless else {}
    for index in nameless.keys() & answered.keys():
        caller, call = answered[index]
        name = cast("AiMessage", messages[caller]).tool_execution_requests[call].name
        messages[index] = attrs.evolve(nameless[index], tool_name=name)
    return messages
