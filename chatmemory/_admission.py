"""What a memory lets in: checks of a batch, and of each message against the state."""

from collections.abc import Container, Sequence
from typing import Literal, TypeAlias

from chatmemory._structure import Conversation
from chatmemory._unit import Unit
from chatmemory.errors import (
    ConflictingSystemMessagesError,
    DuplicateToolCallError,
    MessageTypeError,
    OrphanToolResultError,
)
from chatmemory.messages import (
    MESSAGE_TYPES,
    AiMessage,
    ChatMessage,
    SystemMessage,
    ToolExecutionResultMessage,
)
from chatmemory.placeholders import is_placeholder


def checked_batch(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """
    Return the messages of a batch, without placeholders.

    Raises for what no state could take: what is no message, calls that share an id
    within one message, and two different system messages.
    """
    batch: list[ChatMessage] = []
    system: SystemMessage | None = None
    for position, message in enumerate(messages):
        _check_type(message, position)
        if isinstance(message, AiMessage):
            _check_calls(message, position)
        if isinstance(message, SystemMessage):
            system = _check_system(message, system)
        if not is_placeholder(message):
            batch.append(message)
    return batch


def _check_type(message: object, position: int) -> None:
    if isinstance(message, MESSAGE_TYPES):
        return
    ways_out: dict[type, str] = {
        str: "UserMessage(text) makes a message of a text",
        dict: "chatmemory.clients has the converters, e.g. from_openai([message])",
        list: "pass the messages one by one: add(*messages)",
        tuple: "pass the messages one by one: add(*messages)",
    }
    way_out = ways_out.get(type(message), "chatmemory.clients has the converters")
    msg = f"argument {position} is no message but {type(message).__name__}: {way_out}"
    raise MessageTypeError(msg)


def _check_calls(message: AiMessage, position: int) -> None:
    ids = [request.id for request in message.tool_execution_requests if request.id]
    for call_id in ids:
        if ids.count(call_id) > 1:
            msg = (
                f"argument {position} uses the call id {call_id!r} twice: give each "
                "call an id of its own, or add what conversation.repair makes of it"
            )
            raise DuplicateToolCallError(msg)


def _check_system(
    message: SystemMessage, before: SystemMessage | None
) -> SystemMessage:
    if before is None or before == message:
        return message
    msg = (
        "two different system messages in one step, but a memory has one: "
        "join their texts into one SystemMessage"
    )
    raise ConflictingSystemMessagesError(msg)


def take(
    conversation: Conversation, message: ChatMessage, evicted: Container[str]
) -> bool:
    """
    Append a message to a conversation, and tell whether it says anything new.

    The present system message and a result that is there already are left out; another
    system message replaces the present one. *evicted* are ids of calls that are known
    to be gone. Raises `OrphanToolResultError` for a result that answers nothing.
    """
    if isinstance(message, SystemMessage):
        if message == conversation.system:
            return False
        conversation.replace_system(message)
        return True
    if isinstance(message, ToolExecutionResultMessage) and not conversation.answers(
        message
    ):
        if _is_repeated(conversation, message):
            return False
        raise _orphan(conversation, message, evicted)
    conversation.append(message)
    return True


def _is_repeated(
    conversation: Conversation, result: ToolExecutionResultMessage
) -> bool:
    return any(result in unit.answers for unit in _callers(conversation, result))


def _callers(
    conversation: Conversation, result: ToolExecutionResultMessage
) -> list[Unit]:
    first = 0 if result.id else conversation.live + 1
    return [
        unit
        for unit in conversation.units[first:]
        if any((request.id or "") == (result.id or "") for request in unit.requests)
    ]


_Reason: TypeAlias = Literal["never called", "evicted", "already answered"]


def _orphan(
    conversation: Conversation,
    result: ToolExecutionResultMessage,
    evicted: Container[str],
) -> OrphanToolResultError:
    reason: _Reason = "never called"
    if _callers(conversation, result):
        reason = "already answered"
    elif result.id and result.id in evicted:
        reason = "evicted"
    ways_out = {
        "never called": "add the AiMessage with the call before its result",
        "evicted": "the window is too small for this tool loop: raise the limit",
        "already answered": "each call takes one result: add it once",
    }
    msg = (
        f"the result with id {result.id!r} of tool {result.tool_name!r} answers no call "
        f"in this memory ({reason}): {ways_out[reason]}"
    )
    return OrphanToolResultError(msg, reason=reason)
