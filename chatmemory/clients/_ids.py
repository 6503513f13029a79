"""The ids of calls, mapped to what a provider takes on call and result alike."""

import hashlib
import itertools
import re

from collections.abc import Iterable, Iterator, Sequence

import attrs

from chatmemory.conversation import match
from chatmemory.messages import (
    AiMessage,
    ChatMessage,
    ToolExecutionResultMessage,
)


@attrs.frozen
class WireIds:
    """
    What calls and results are called in a request.

    A call stands at the index of its message and its own in it, a result at the index
    of its message. A result that has no id and answers nothing is not in `results`.
    """

    calls: dict[tuple[int, int], str]
    results: dict[int, str]


def wire_ids(messages: Sequence[ChatMessage], accepted: re.Pattern[str]) -> WireIds:
    """
    Give every call, and the result that answers it, an id that is *accepted*.

    An id that is stays as it is; others are replaced by a hash, which is 40 letters,
    digits and _. A call without an id is named by its position. None of the new ids is
    one that the conversation has already.
    """
    given = dict.fromkeys(_given(messages))
    taken = {call_id for call_id in given if accepted.fullmatch(call_id)}
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
