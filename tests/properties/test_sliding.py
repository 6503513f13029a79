"""The sliding windows, held against LangChain4j's code said in Python, line by line."""

from collections.abc import Callable

import attrs

from hypothesis import given
from hypothesis import strategies as st

from chatmemory import (
    AiMessage,
    ChatMessage,
    MessageWindowChatMemory,
    OrphanToolResultError,
    SystemMessage,
    TextTokenCountEstimator,
    TokenWindowChatMemory,
    ToolExecutionResultMessage,
)
from chatmemory.conversation import repair
from conversations import conversations
from notation import conversation, shown
from stores_for_tests import ThreeVerbStore


@attrs.define
class NaiveWindow:
    """`MessageWindowChatMemory` and `TokenWindowChatMemory` of LangChain4j."""

    cost: Callable[[list[ChatMessage]], int]
    stored: list[ChatMessage] = attrs.field(factory=list)

    def add(self, message: ChatMessage, limit: int) -> None:
        messages = self.messages(limit)
        if isinstance(message, SystemMessage):
            first = next((m for m in messages if isinstance(m, SystemMessage)), None)
            if first == message:
                return
            if first is not None:
                messages.remove(first)
        messages.append(message)
        self.ensure_capacity(messages, limit)
        self.stored = messages

    def messages(self, limit: int) -> list[ChatMessage]:
        messages = self.stored.copy()
        self.ensure_capacity(messages, limit)
        return messages

    def ensure_capacity(self, messages: list[ChatMessage], limit: int) -> None:
        while messages and self.cost(messages) > limit:
            index = 1 if isinstance(messages[0], SystemMessage) else 0
            if index == len(messages):
                return
            evicted = messages.pop(index)
            if isinstance(evicted, AiMessage) and evicted.tool_execution_requests:
                while index < len(messages) and isinstance(
                    messages[index], ToolExecutionResultMessage
                ):
                    messages.pop(index)


def follows_langchain4j(memory_on, cost, said: str, limit: int, other: int) -> None:
    """
    Add messages one by one and compare after each, also the view under another limit.

    LangChain4j evicts before it adds as well; who lowers the limit between two messages
    can tell, as a result may outlive its call there.
    """
    store, naive, present = ThreeVerbStore(), NaiveWindow(cost), [limit]
    memory = memory_on(store, lambda _id: present[-1])
    for message in conversation(said):
        if is_taken(memory, store, message):
            naive.add(message, limit)
        assert shown(naive.stored) == shown(store.get_messages("user"))
        for each in (other, limit):
            present.append(each)
            view = repair(naive.messages(each)).messages
            assert shown(view) == shown(memory.messages())


def is_taken(memory, store: ThreeVerbStore, message: ChatMessage) -> bool:
    """
    Add a message, and tell whether it is one for LangChain4j as well.

    It would take results that answer nothing, or that are there already.
    """
    before = store.get_messages("user")
    try:
        memory.add(message)
    except OrphanToolResultError:
        return False
    is_result = isinstance(message, ToolExecutionResultMessage)
    return not is_result or before != store.get_messages("user")


LIMITS = st.integers(1, 8)


@given(conversations(), LIMITS, LIMITS)
def test_message_window(said: str, limit: int, other: int):
    """What is stored is what LangChain4j stores, and the view is that, repaired."""
    follows_langchain4j(
        lambda store, present: MessageWindowChatMemory(
            id="user", max_messages=present, store=store, eviction="sliding"
        ),
        len,
        said,
        limit,
        other,
    )


@given(conversations(), LIMITS, LIMITS)
def test_token_window(said: str, limit: int, other: int):
    """The same holds in tokens, the fixed part of a request included."""
    estimator = TextTokenCountEstimator(len)
    follows_langchain4j(
        lambda store, present: TokenWindowChatMemory(
            id="user",
            max_tokens=present,
            estimator=estimator,
            store=store,
            eviction="sliding",
        ),
        estimator.count_messages,
        said,
        10 * limit,
        10 * other,
    )
