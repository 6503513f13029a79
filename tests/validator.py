"""
Whether messages can be sent: written from what providers demand, not from our code.

It knows the message classes and nothing else of the library.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile

from chatmemory.messages import (
    AiMessage,
    ChatMessage,
    SystemMessage,
    ToolExecutionResultMessage,
    UserMessage,
)


def problems(
    messages: Sequence[ChatMessage], *, said: Sequence[ChatMessage] = ()
) -> list[str]:
    """
    List what is wrong with a view; an open group at its end is not.

    With *said*, all that was ever added, it is also wrong to begin with anything but a
    user message or what was said before the first one, and to lack the last question or
    the system message.
    """
    spoken = [m for m in messages if not isinstance(m, SystemMessage)]
    found = list(_pairing(spoken))
    if len(messages) - len(spoken) > 1:
        found.append("several system messages")
    if said:
        found.extend(_losses(messages, said))
        found.extend(_beginning(spoken, said))
    return found


def _pairing(spoken: Sequence[ChatMessage]) -> Iterator[str]:
    index = 0
    while index < len(spoken):
        message = spoken[index]
        if isinstance(message, ToolExecutionResultMessage):
            yield f"{index}: a result without its call"
        index += 1
        if isinstance(message, AiMessage) and message.tool_execution_requests:
            results = _results_from(spoken, index)
            is_last = index + len(results) == len(spoken)
            yield from _group(index - 1, message, results, is_last=is_last)
            index += len(results)


def _results_from(
    spoken: Sequence[ChatMessage], index: int
) -> list[ToolExecutionResultMessage]:
    results: list[ToolExecutionResultMessage] = []
    for message in spoken[index:]:
        if not isinstance(message, ToolExecutionResultMessage):
            break
        results.append(message)
    return results


def _group(
    index: int,
    message: AiMessage,
    results: list[ToolExecutionResultMessage],
    *,
    is_last: bool,
) -> Iterator[str]:
    calls = Counter((call.id, call.name) for call in message.tool_execution_requests)
    answers = Counter((result.id, result.tool_name) for result in results)
    ids = [call.id for call in message.tool_execution_requests if call.id]
    if len(set(ids)) < len(ids):
        yield f"{index}: calls share an id"
    if answers - calls:
        yield f"{index}: a result that answers none of the calls before it"
    if calls - answers and not is_last:
        yield f"{index}: a call without its result"


def _losses(
    messages: Sequence[ChatMessage], said: Sequence[ChatMessage]
) -> Iterator[str]:
    for kind in (UserMessage, SystemMessage):
        last = [m for m in said if isinstance(m, kind)][-1:]
        if last and last[0] not in messages:
            yield f"the last {kind.__name__} is gone"


def _beginning(
    spoken: Sequence[ChatMessage], said: Sequence[ChatMessage]
) -> Iterator[str]:
    if not any(isinstance(m, UserMessage) for m in spoken):
        return
    before = list(takewhile(lambda m: not isinstance(m, UserMessage), said))
    if not isinstance(spoken[0], UserMessage) and spoken[0] not in before:
        yield "it begins with neither a user message nor what was said before the first"
