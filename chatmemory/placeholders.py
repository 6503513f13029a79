"""The synthetic results that are shown for calls that were never answered."""

from chatmemory.messages import (
    ChatMessage,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
)


PLACEHOLDER = "chatmemory.placeholder"
PLACEHOLDER_TEXT = "The call was interrupted: it has no result."


def placeholder_for(request: ToolExecutionRequest) -> ToolExecutionResultMessage:
    """Answer a call with an error that says that it was interrupted."""
    return ToolExecutionResultMessage(
        id=request.id,
        tool_name=request.name,
        text=PLACEHOLDER_TEXT,
        is_error=True,
        attributes={PLACEHOLDER: True},
    )


def is_placeholder(message: ChatMessage) -> bool:
    """Tell whether a message is such a result, also after it was stored or sent."""
    return (
        isinstance(message, ToolExecutionResultMessage)
        and message.attributes.get(PLACEHOLDER) is True
    )
