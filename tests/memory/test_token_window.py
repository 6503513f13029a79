"""What the token window adds to what both windows do."""

import gc
import weakref

from collections.abc import Sequence

import attrs
import pytest

from chatmemory import (
    ChatMessage,
    CustomMessage,
    InMemoryChatMemoryStore,
    TextTokenCountEstimator,
    TokenWindowChatMemory,
    UserMessage,
    WindowOverflowError,
)
from chatmemory.store import Changing
from notation import conversation, message, shown
from stores_for_tests import OptimisticStore, PicklingStore, TwiceStore


# With `len` as estimator: 3 for a request, 4 for a message and 1 for each character,
# so "U1" costs 6, "A1" and "S1" as well, "A[c1]" costs 18 and "T:c1" 12.
LIMITS = [
    (15, "U1 A1", "U1 A1"),
    (15, "U1 A1 U2", "U2"),
    (20, "U1 A1 U2", "U2"),
    (21, "U1 A1 U2", "U1 A1 U2"),
    (21, "S1 U1 A1 U2", "S1 U2"),
    (27, "S1 U1 A1 U2", "S1 U1 A1 U2"),
    (39, "U1 A[c1] T:c1", "U1 A[c1] T:c1"),
    (39, "U1 A[c1] T:c1 A[c2] T:c2", "U1 A[c2] T:c2"),
    (69, "U1 A[c1] T:c1 A[c2] T:c2", "U1 A[c1] T:c1 A[c2] T:c2"),
    (15, "U1 C C C A1 C", "U1 C C C A1 C"),
]


@pytest.mark.parametrize(("limit", "added", "left"), LIMITS)
def test_limits(token_window, limit: int, added: str, left: str):
    """A request costs at most the limit, its fixed part included."""
    memory = token_window(limit, estimator=len)
    for each in conversation(added):
        memory.add(each)
    assert left == shown(memory.messages())


def test_what_has_to_stay_is_refused(token_window):
    """By default a token window raises: the limit of a model is a hard one."""
    memory = token_window(21, estimator=len)
    memory.add(*conversation("S1 U1"))
    with pytest.raises(WindowOverflowError) as caught:
        memory.add(message("A" * 100))
    error = caught.value
    assert (21, 119) == (error.limit, error.need)
    assert ("AiMessage", 104) == (error.largest_type, error.largest_cost)
    assert str(error).startswith("119 tokens have to stay, but the limit is 21")
    assert "S1 U1" == shown(memory.messages())
    memory.add(message("A1"))
    with pytest.raises(WindowOverflowError):
        memory.set(message("U" * 100))
    memory.add(message("U2"))
    assert "S1 U2" == shown(memory.messages())


def test_what_has_to_stay_can_be_kept(token_window, caplog):
    """`overflow="keep"` keeps it and says so, as the message window does."""
    memory = token_window(14, estimator=len, overflow="keep")
    memory.add(*conversation("U1 A1"))
    assert "U1 A1" == shown(memory.messages())
    expected = "memory 'user': what has to stay exceeds max_tokens; it is kept"
    assert [expected] == [record.getMessage() for record in caplog.records]


def test_placeholders_cost(token_window):
    """The view is what is sent, so a placeholder counts."""
    view = conversation("U1 A[c1] (c1) U2")
    need = TextTokenCountEstimator(len).count_messages(view)
    memory = token_window(need, estimator=len)
    memory.add(*conversation("U1 A[c1] U2"))
    assert view == memory.messages()
    memory = token_window(need - 1, estimator=len)
    memory.set(*conversation("U1 A[c1] U2"))
    assert "U2" == shown(memory.messages())


def test_sliding_by_tokens(token_window):
    """LangChain4j's rule, counted in tokens; one message too large empties the window."""
    memory = token_window(20, estimator=len, eviction="sliding")
    for each in conversation("U1 A1 U2"):
        memory.add(each)
    assert "A1 U2" == shown(memory.messages())
    memory.add(message("U" * 20))
    assert [] == memory.messages()
    memory.add(message("S" * 20))
    assert "S" * 20 == shown(memory.messages())


@attrs.define(eq=False)
class Tokenizer:
    """Counts a token for each character, and keeps what it was asked."""

    asked: list[str] = attrs.field(factory=list)

    def count(self, text: str) -> int:
        self.asked.append(text)
        return len(text)


def test_a_message_is_counted_once():
    """Whatever the window and however long it lives, no text is tokenised twice."""
    tokenizer = Tokenizer()
    memory = TokenWindowChatMemory(max_tokens=40, estimator=tokenizer.count)
    said = [UserMessage(f"question {number}") for number in range(20)]
    for each in said:
        memory.add(each)
        memory.messages()
    assert [each.text for each in said] == tokenizer.asked


def test_all_memories_share_what_was_counted():
    """A new memory object on the same store counts nothing again."""
    tokenizer, store = Tokenizer(), InMemoryChatMemoryStore()
    options = {"max_tokens": 99, "estimator": tokenizer.count, "store": store}
    first = TokenWindowChatMemory(id="user", **options)
    first.add(*conversation("U1 A[c1] T:c1"))
    asked = len(tokenizer.asked)
    second = TokenWindowChatMemory(id="user", **options)
    second.add(*conversation("A1"))
    assert "U1 A[c1] T:c1 A1" == shown(second.messages())
    assert ["A1"] == tokenizer.asked[asked:]
    memory = TokenWindowChatMemory(max_tokens=99, estimator=Tokenizer().count)
    memory.add(*first.messages())
    assert ["A1"] == tokenizer.asked[asked:]


def test_equal_messages_are_counted_once():
    """A store that makes new objects of what it keeps costs no new counts."""
    asked = []
    for options in [{}, {"id": "user", "store": PicklingStore()}]:
        tokenizer = Tokenizer()
        memory = TokenWindowChatMemory(
            max_tokens=99, estimator=tokenizer.count, **options
        )
        for each in conversation("U1 A[c1] T:c1 A1"):
            memory.add(each)
            memory.messages()
        asked.append(tokenizer.asked)
    assert asked[0] == asked[1]


class BilledInGroups(TextTokenCountEstimator):
    """A provider's rule: a complete group costs 10, whatever is in it."""

    def __init__(self) -> None:
        super().__init__(len)
        self.units: list[str] = []

    def count_unit(self, unit: Sequence[ChatMessage]) -> int:
        self.units.append(shown(unit))
        return 10 if len(unit) > 1 else super().count_unit(unit)


def test_a_group_is_counted_as_one_when_it_is_complete():
    """While results are missing their messages are added up; then comes one count."""
    estimator = BilledInGroups()
    memory = TokenWindowChatMemory(max_tokens=99, estimator=estimator)
    estimator.units.clear()
    for each in conversation("U1 A[c1,c2] T:c2 T:c1"):
        memory.add(each)
    expected = ["U1", "A[c1,c2]", "T:c2", "A[c1,c2] T:c1 T:c2"]
    assert expected == estimator.units


def test_a_complete_group_costs_less():
    """A batch that completes its group costs what the group does, not its messages."""
    group = conversation("U1 A[c1,c2] T:c2 T:c1")
    memory = TokenWindowChatMemory(max_tokens=19, estimator=BilledInGroups())
    memory.add(*group)
    assert group == memory.messages()
    memory = TokenWindowChatMemory(max_tokens=18, estimator=BilledInGroups())
    with pytest.raises(WindowOverflowError) as caught:
        memory.add(*group)
    assert 3 + 6 + 10 == caught.value.need


def test_another_result_makes_another_group():
    """A group's count is remembered with its results, not for its calls alone."""
    memory = TokenWindowChatMemory(max_tokens=60, estimator=len)
    memory.add(*conversation("U1 A[c1] T:c1"))
    with pytest.raises(WindowOverflowError):
        memory.set(*conversation("U1 A[c1]"), message("T:c1=" + "long" * 10))
    assert "U1 A[c1] T:c1" == shown(memory.messages())


class LockableTokenizer:
    """Must not be asked while a store holds its lock."""

    is_locked = False

    def count(self, text: str) -> int:
        assert not self.is_locked
        return len(text)


@pytest.mark.parametrize("kind", [InMemoryChatMemoryStore, TwiceStore, OptimisticStore])
@pytest.mark.parametrize("verb", ["add", "set"])
def test_tokens_are_counted_before_the_change(kind: type, verb: str):
    """A change may run while a row is locked, and tokenising takes its time."""
    tokenizer = LockableTokenizer()

    class LockingStore(kind):
        def change_messages(self, memory_id: str, change: Changing):
            tokenizer.is_locked = True
            try:
                return super().change_messages(memory_id, change)
            finally:
                tokenizer.is_locked = False

    store = LockingStore()
    store.update_messages("user", conversation("U1 A[c1]"))
    options = {"max_tokens": 99, "estimator": tokenizer.count, "store": store}
    memory = TokenWindowChatMemory(id="user", **options)
    getattr(memory, verb)(*conversation("U2 A2"))
    memory.add(*conversation("U3"))
    assert shown(memory.messages()).endswith("U2 A2 U3")


def test_what_costs_nothing_never_overflows(token_window):
    """A `CustomMessage` is sent to nobody, even if the fixed part exceeds the limit."""
    memory = token_window(2, estimator=len)
    memory.add(CustomMessage())
    assert "C" == shown(memory.messages())
    with pytest.raises(WindowOverflowError):
        memory.add(UserMessage(""))


@pytest.mark.parametrize("kind", [dict, list])
def test_estimators_that_cannot_be_remembered(kind: type):
    """One that is not hashable is asked by each memory, which remembers for itself."""

    class Unhashable(TextTokenCountEstimator, kind):
        def __init__(self) -> None:
            TextTokenCountEstimator.__init__(self, self.length)
            self.asked = []

        def length(self, text: str) -> int:
            self.asked.append(text)
            return len(text)

    estimator = Unhashable()
    for _ in range(2):
        memory = TokenWindowChatMemory(max_tokens=99, estimator=estimator)
        memory.add(*conversation("U1"))
        memory.add(*conversation("A1"))
    assert ["U1", "A1"] * 2 == estimator.asked


def test_estimators_are_not_kept_alive():
    """What was counted goes when its estimator goes."""
    estimator = TextTokenCountEstimator(len)
    alive = weakref.ref(estimator)
    said = conversation("U1 A[c1] T:c1")
    memory = TokenWindowChatMemory(max_tokens=99, estimator=estimator)
    memory.add(*said)
    del memory, estimator
    gc.collect()
    assert alive() is None
