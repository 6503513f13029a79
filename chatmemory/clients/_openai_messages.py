"""The messages of OpenAI Chat, in both directions."""

import contextlib
import re

from collections.abc import Callable, Generator, Sequence
from typing import TypeAlias

from chatmemory.clients._fields import with_own
from chatmemory.clients._ids import WireIds
from chatmemory.clients._openai_calls import read_call, write_call
from chatmemory.clients._openai_contents import (
    read_contents,
    take_kind,
    write_contents,
    write_texts,
)
from chatmemory.clients._openai_fields import (
    fields_of,
    kept,
    own,
    take_fields,
    take_list,
    take_required_text,
    take_text,
    unsupported,
)
from chatmemory.errors import (
    InvalidMessageError,
    MessageTypeError,
    UnsupportedContentError,
)
from chatmemory.messages import (
    MESSAGE_TYPES,
    AiMessage,
    ChatMessage,
    SystemMessage,
    ToolExecutionResultMessage,
    UserMessage,
)


Fields: TypeAlias = dict[str, object]

REASONING = ("reasoning_content", "reasoning")
# Keeps which of the two a thinking came from, under a name that no field has.
REASONING_MARK = "chatmemory.thinking"
REFUSED_IN_NAMES = re.compile(r"[\s<|\\/>]")
TO_SEND = ("content", "tool_calls", "refusal", "audio")


def read(index: int, fields: Fields) -> ChatMessage:
    """Build a message of its fields, which are used up."""
    role = fields.pop("role", None)
    reader = _READERS.get(role) if isinstance(role, str) else None
    if reader is None:
        raise _unknown_role(index, role)
    with _at(index):
        return reader(index, fields)


@contextlib.contextmanager
def _at(index: int) -> Generator[None]:
    try:
        yield
    except (MessageTypeError, InvalidMessageError) as error:
        msg = f"message {index}: {error}"
        raise type(error)(msg) from error


def _unknown_role(index: int, role: object) -> UnsupportedContentError:
    if role == "function":
        why = "rewrite it as the tool result of an item of tool_calls"
        return unsupported(index, "role 'function'", why)
    why = f"its role must be one of {', '.join(_READERS)}"
    return unsupported(index, f"role {role!r}", why)


def _read_system(index: int, fields: Fields) -> SystemMessage:
    text = _take_joined(index, fields, ["text"])
    return SystemMessage(text or "", attributes=kept(fields))


def _read_developer(index: int, fields: Fields) -> SystemMessage:
    return _read_system(index, fields | {"role": "developer"})


def _read_user(index: int, fields: Fields) -> UserMessage:
    contents = read_contents(index, fields)
    name = take_text(fields, "name") if fields.get("name") is not None else None
    return UserMessage(contents, name=name, attributes=kept(fields))


def _read_assistant(index: int, fields: Fields) -> AiMessage:
    _drop_function_call(index, fields)
    fields.pop("parsed", None)
    text = _take_joined(index, fields, ["text", "refusal"])
    calls = [read_call(index, call) for call in take_list(fields, "tool_calls")]
    thinking = _take_thinking(fields)
    return AiMessage(
        text,
        thinking=thinking,
        tool_execution_requests=calls,
        attributes=kept(fields),
    )


def _read_result(index: int, fields: Fields) -> ToolExecutionResultMessage:
    name = fields.get("name")
    return ToolExecutionResultMessage(
        id=take_text(fields, "tool_call_id"),
        tool_name=name if isinstance(name, str) else None,
        contents=read_contents(index, fields),
        attributes=kept(fields),
    )


_READERS: dict[str, Callable[[int, Fields], ChatMessage]] = {
    "system": _read_system,
    "developer": _read_developer,
    "user": _read_user,
    "assistant": _read_assistant,
    "tool": _read_result,
}


def _drop_function_call(index: int, fields: Fields) -> None:
    if fields.get("function_call") is None:
        return
    call = take_fields(fields, "function_call")
    if call.get("name") or call.get("arguments"):
        why = "rewrite it as an item of tool_calls"
        raise unsupported(index, "function_call", why)


def _take_thinking(fields: Fields) -> str | None:
    for name in REASONING:
        if isinstance(fields.get(name), str):
            fields[REASONING_MARK] = name
            return take_text(fields, name)
    return None


def _take_joined(index: int, fields: Fields, kinds: Sequence[str]) -> str | None:
    content = fields.get("content")
    if content is None or isinstance(content, str):
        return take_text(fields, "content")
    parts = [_checked_part(index, part, kinds) for part in take_list(fields, "content")]
    text = _joined(parts)
    if parts and parts != [{"type": "text", "text": text}]:
        fields["content"] = parts
    return text


def _checked_part(index: int, part: object, kinds: Sequence[str]) -> Fields:
    fields = fields_of(part, "a content part")
    kind = take_kind(index, fields.copy(), kinds)
    if kind == "text":
        take_required_text(fields.copy(), "text")
    return fields


def _joined(parts: Sequence[Fields]) -> str | None:
    texts = [str(part.get("text")) for part in parts if part.get("type") == "text"]
    return "".join(texts) if texts else None


def write(index: int, message: ChatMessage, ids: WireIds) -> Fields | None:
    """Return the fields of a message, or None if it has nothing to send."""
    with _at(index):
        if not isinstance(message, MESSAGE_TYPES):
            raise MessageTypeError(_not_a_message(message))
        return _write(index, message, ids)


def _not_a_message(item: object) -> str:
    return (
        f"{type(item).__name__} is no message: "
        "a provider's own dicts become messages with from_openai"
    )


def _write(index: int, message: ChatMessage, ids: WireIds) -> Fields | None:
    fields = own(message.attributes)
    match message:
        case SystemMessage():
            return _write_system(message, fields)
        case UserMessage():
            return _write_user(index, message, fields)
        case AiMessage():
            return _write_assistant(index, message, fields, ids)
        case ToolExecutionResultMessage():
            return _write_result(index, message, fields, ids)
        case _:  # CustomMessage: no other is left
            why = "turn it into a message of another type, or leave it out"
            raise unsupported(index, type(message).__name__, why)


def _write_system(message: SystemMessage, fields: Fields) -> Fields:
    role = "developer" if fields.get("role") == "developer" else "system"
    content = _write_joined(message.text, fields)
    return with_own({"role": role, "content": content}, fields)


def _write_user(index: int, message: UserMessage, fields: Fields) -> Fields:
    known = {"role": "user", "content": write_contents(index, message.contents)}
    if message.name:
        known["name"] = REFUSED_IN_NAMES.sub("_", message.name)
    return with_own(known, fields)


def _write_assistant(
    index: int, message: AiMessage, fields: Fields, ids: WireIds
) -> Fields | None:
    content = _write_joined(message.text, fields)
    known: Fields = {"role": "assistant", "content": content}
    if message.tool_execution_requests:
        known["tool_calls"] = [
            write_call(index, request, ids.calls[index, n])
            for n, request in enumerate(message.tool_execution_requests)
        ]
    reasoning = fields.pop(REASONING_MARK, None)
    if message.thinking is not None and reasoning in REASONING:
        known[str(reasoning)] = message.thinking
    _shorten_audio(fields)
    written = with_own(known, fields)
    return written if any(written.get(name) for name in TO_SEND) else None


def _shorten_audio(fields: Fields) -> None:
    if fields.get("audio") is None:
        return
    audio_id = take_fields(fields, "audio").get("id")
    if audio_id:
        fields["audio"] = {"id": audio_id}


def _write_result(
    index: int, message: ToolExecutionResultMessage, fields: Fields, ids: WireIds
) -> Fields:
    call_id = ids.results.get(index)
    if call_id is None:
        why = (
            "it has no id and answers no call; chatmemory.conversation.repair drops it"
        )
        raise unsupported(index, type(message).__name__, why)
    content = write_texts(index, message.contents)
    known = {"role": "tool", "tool_call_id": call_id, "content": content}
    if fields.get("name") is not None and message.tool_name is not None:
        known["name"] = message.tool_name
    return with_own(known, fields)


def _write_joined(text: str | None, fields: Fields) -> object:
    parts = [fields_of(part, "a kept part") for part in take_list(fields, "content")]
    # Whoever changed the text wants the new one to be sent.
    return parts if parts and _joined(parts) == text else text
