"""The tool calls of OpenAI Chat, in both directions, and the ids that it takes."""

import hashlib
import itertools
import re

from collections.abc import Iterable, Iterator, Sequence

import attrs

from chatmemory.clients._openai_fields import (
    fields_of,
    kept,
    own,
    take_fields,
    take_text,
    unsupported,
    with_own,
)
from chatmemory.conversation import match
from chatmemory.messages import (
    AiMessage,
    ChatMessage,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
)


ACCEPTED = re.compile(r"[!-~]{1,40}")
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


@attrs.frozen
class WireIds:
    """
    What calls and results are called in a request.

    A call stands at the index of its message and its own in it, a result at the index
    of its message. A result that has no id and answers nothing is not in `results`.
    """

    calls: dict[tuple[int, int], str]
    results: dict[int, str]


def wire_ids(messages: Sequence[ChatMessage]) -> WireIds:
    """
    Give every call, and the result that answers it, an id that OpenAI Chat takes.

    An id stays as it is if it is 1 to 40 visible ASCII characters; others are replaced
    by a hash. A call without an id is named by its position. None of the new ids is
    one that the conversation has already.
    """
    given = dict.fromkeys(_given(messages))
    taken = {call_id for call_id in given if ACCEPTED.fullmatch(call_id)}
    renamed = {
        call_id: call_id if call_id in taken else _free(_hashes(call_id), taken)
        for call_id in given
    }
    calls = {
        (index, n): renamed[request.id]
        if request.id
        else _free(_positions(index, n), taken)
        for index, message in _calling(messages)
        for n, request in enumerate(message.tool_execution_requests)
    }
    return WireIds(calls, _of_results(messages, renamed, calls))


def _given(messages: Iterable[ChatMessage]) -> Iterator[str]:
    for message in messages:
        if isinstance(message, AiMessage):
            yield from (r.id for r in message.tool_execution_requests if r.id)
        elif isinstance(message, ToolExecutionResultMessage) and message.id:
            yield message.id


def _calling(messages: Iterable[ChatMessage]) -> Iterator[tuple[int, AiMessage]]:
    for index, message in enumerate(messages):
        if isinstance(message, AiMessage):
            yield index, message


def _of_results(
    messages: Sequence[ChatMessage],
    renamed: dict[str, str],
    calls: dict[tuple[int, int], str],
) -> dict[int, str]:
    results = {
        index: message.id
        for index, message in enumerate(messages)
        if isinstance(message, ToolExecutionResultMessage)
    }
    answers = {} if all(results.values()) else match(messages)
    named = {index: renamed[call_id] for index, call_id in results.items() if call_id}
    return {index: calls[call] for index, call in answers.items()} | named


def _free(candidates: Iterator[str], taken: set[str]) -> str:
    found = next(candidate for candidate in candidates if candidate not in taken)
    taken.add(found)
    return found


def _hashes(call_id: str) -> Iterator[str]:
    return (_hash(f"{attempt}:{call_id}") for attempt in itertools.count())


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"call_{digest[:35]}"


def _positions(index: int, n: int) -> Iterator[str]:
    name = f"call_{index}_{n}"
    others = (f"{name}_{attempt}" for attempt in itertools.count(1))
    return itertools.chain([name], others)
