"""The tool calls of OpenAI Chat, in both directions."""

import re

from chatmemory.clients._fields import with_own
from chatmemory.clients._openai_fields import (
    fields_of,
    kept,
    own,
    take_fields,
    take_text,
    unsupported,
)
from chatmemory.messages import ToolExecutionRequest


ACCEPTED_IDS = re.compile(r"[!-~]{1,40}")
ARGUMENTS = {"function": "arguments", "custom": "input"}


def read_call(index: int, call: object) -> ToolExecutionRequest:
    """Build a request of a tool call of the message at *index*."""
    fields = fields_of(call, "a tool call")
    kind = _take_kind(index, fields)
    inner = take_fields(fields, kind)
    request_id, name = take_text(fields, "id"), take_text(inner, "name")
    arguments = take_text(inner, ARGUMENTS[kind])
    inner.pop("parsed_arguments", None)
    if inner:
        fields[kind] = inner
    if kind != "function":
        fields["type"] = kind
    return ToolExecutionRequest(
        id=request_id, name=name, arguments=arguments, attributes=kept(fields)
    )


def _take_kind(index: int, fields: dict[str, object]) -> str:
    kind = take_text(fields, "type") or "function"
    if kind in ARGUMENTS:
        return kind
    why = f"a tool call is of type {' or '.join(ARGUMENTS)}"
    raise unsupported(index, f"tool call of type {kind!r}", why)


def write_call(
    index: int, request: ToolExecutionRequest, call_id: str
) -> dict[str, object]:
    """Return a request as a tool call; without arguments it takes none."""
    if not request.name:
        why = "a call needs the name of its tool"
        raise unsupported(index, type(request).__name__, why)
    fields = own(request.attributes)
    kind = "custom" if fields.get("type") == "custom" else "function"
    arguments = "{}" if request.arguments is None else request.arguments
    inner = with_own(
        {"name": request.name, ARGUMENTS[kind]: arguments},
        take_fields(fields, kind) if kind in fields else {},
    )
    return with_own({"id": call_id, "type": kind, kind: inner}, fields)
