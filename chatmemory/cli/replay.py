"""
A recorded conversation, message by message through a memory.

A model would be called before each message of the assistant, but for one that nothing
was said before, and at the end if the user or the tools spoke last and no call is open.
There the view is counted, converted and checked.

Where the message before was refused by the memory, or a call is still open, the request
is withheld: an application could not make it.
"""

from collections.abc import Sequence
from functools import partial

import attrs

from chatmemory._counts import Counts
from chatmemory._structure import Conversation
from chatmemory.cli.openai_rules import violations
from chatmemory.cli.recordings import Recording
from chatmemory.cli.settings import Settings
from chatmemory.cli.tally import Tally
from chatmemory.clients.openai import to_openai
from chatmemory.conversation import unanswered
from chatmemory.errors import (
    InvalidMessageError,
    UnsupportedContentError,
    WindowOverflowError,
)
from chatmemory.messages import (
    AiMessage,
    ChatMessage,
    SystemMessage,
    ToolExecutionResultMessage,
    UserMessage,
)
from chatmemory.store import ChatMemoryStore
from chatmemory.tokens import TokenCountEstimator


@attrs.frozen
class Outcome:
    """What came of one recording; `problems` say why requests are invalid."""

    recording: Recording
    tally: Tally
    problems: list[str]


class Replay:
    """The replay of one recording through a memory that *store* does not have yet."""

    def __init__(
        self,
        recording: Recording,
        settings: Settings,
        store: ChatMemoryStore,
        estimator: TokenCountEstimator,
        memory_id: str,
    ) -> None:
        self._recording = recording
        self._settings = settings
        self._memory = settings.memory(memory_id, store, estimator)
        self._stored = partial(store.get_messages, memory_id)
        self._state: Sequence[ChatMessage] = []
        self._was_refused = False
        self._counts = Counts(estimator)
        self._whole = Conversation(cost=self._counts)
        self._tally = Tally(conversations=1)
        self._problems: list[str] = []

    def run(self) -> Outcome:
        """Replay all of it, once."""
        messages = self._recording.messages
        for index, message in enumerate(messages):
            if index > 0 and isinstance(message, AiMessage):
                self._request()
            self._say(message)
        if _waits_for_reply(messages):
            self._request()
        self._close(messages)
        return Outcome(self._recording, self._tally, self._problems)

    def _say(self, message: ChatMessage) -> None:
        self._whole.append(message)
        try:
            self._memory.add(message)
        except (InvalidMessageError, WindowOverflowError):
            self._was_refused = True
            self._tally.refused += 1
        else:
            self._was_refused = False
            before, self._state = self._state, self._stored()
            self._tally.evicted += _count_evicted(before, message, self._state)

    def _request(self) -> None:
        view = self._memory.messages()
        if self._was_refused or unanswered(view):
            self._tally.withheld += 1
            return
        self._tally.requests += 1
        self._count(view)
        problems = problems_of(view)
        self._tally.invalid += bool(problems)
        number = self._tally.requests
        self._problems += [f"request {number}: {problem}" for problem in problems]

    def _count(self, view: Sequence[ChatMessage]) -> None:
        tally = self._tally
        messages, tokens = len(view), self._cost(Conversation(view, cost=self._counts))
        tally.tokens_sent += tokens
        tally.tokens_without_window += self._cost(self._whole)
        tally.largest_request_messages = max(tally.largest_request_messages, messages)
        tally.largest_request_tokens = max(tally.largest_request_tokens, tokens)
        need = messages if self._settings.measure == "messages" else tokens
        tally.over_limit += need > self._settings.limit

    def _close(self, messages: Sequence[ChatMessage]) -> None:
        tally = self._tally
        tally.messages = len(messages)
        tally.kept = len(self._state)
        gone = tally.evicted + tally.refused
        tally.replaced = tally.messages - tally.kept - gone
        if not any(isinstance(message, UserMessage) for message in messages):
            has_others = _count_spoken(messages) > 0
            tally.without_user_message = int(has_others)
            tally.system_messages_only = int(not has_others)

    def _cost(self, conversation: Conversation) -> int:
        return self._counts.fixed + conversation.total


def problems_of(view: Sequence[ChatMessage]) -> list[str]:
    """List why a view is no valid request to OpenAI Chat."""
    try:
        return violations(to_openai(view))
    except UnsupportedContentError as error:
        return [str(error)]


def _waits_for_reply(messages: Sequence[ChatMessage]) -> bool:
    spoken = [m for m in messages if not isinstance(m, SystemMessage)]
    if not spoken or isinstance(spoken[-1], AiMessage):
        return False
    return not unanswered(messages)


def _count_spoken(messages: Sequence[ChatMessage]) -> int:
    return sum(not isinstance(message, SystemMessage) for message in messages)


def _count_evicted(
    before: Sequence[ChatMessage], message: ChatMessage, after: Sequence[ChatMessage]
) -> int:
    # A system message is replaced, not evicted, and a repeated result changes nothing.
    is_repeated = isinstance(message, ToolExecutionResultMessage) and before == after
    added = 0 if is_repeated else _count_spoken([message])
    return _count_spoken(before) + added - _count_spoken(after)
