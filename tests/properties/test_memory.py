"""What holds of every memory, whatever is said to it and in whatever portions."""

import logging

from collections.abc import Generator, Iterator

import attrs
import pytest

from hypothesis import given
from hypothesis import strategies as st

from chatmemory import (
    ChatMessage,
    InMemoryChatMemoryStore,
    InvalidMessageError,
    MessageWindowChatMemory,
    SystemMessage,
    TextTokenCountEstimator,
    TokenWindowChatMemory,
    UserMessage,
    WindowOverflowError,
)
from chatmemory.conversation import is_valid, unanswered
from chatmemory.placeholders import is_placeholder
from conversations import batches
from notation import conversation, shown
from stores_for_tests import (
    InPlaceStore,
    OptimisticStore,
    PicklingStore,
    ThreeVerbStore,
    TwiceStore,
)
from validator import problems


@pytest.fixture(autouse=True, scope="module")
def quiet_log() -> Generator[None]:
    """Overflows are no news here."""
    logger = logging.getLogger("chatmemory")
    logger.disabled = True
    yield
    logger.disabled = False


@attrs.frozen
class Window:
    """How a memory is bounded; `limit` is in messages, of about ten tokens each."""

    kind: str
    limit: int
    evict_to: int
    options: dict[str, object]

    def on(self, store: object) -> MessageWindowChatMemory | TokenWindowChatMemory:
        """Make a memory on a store."""
        if self.kind == "messages":
            return MessageWindowChatMemory(
                id="user",
                store=store,
                max_messages=self.limit,
                evict_to=self.evict_to,
                **self.options,
            )
        return TokenWindowChatMemory(
            id="user",
            store=store,
            max_tokens=10 * self.limit,
            evict_to=10 * self.evict_to,
            estimator=len,
            **self.options,
        )


def windows(**options: object) -> st.SearchStrategy[Window]:
    """Windows of a few messages; a lone message may be too much for one."""
    return st.builds(
        Window,
        st.sampled_from(["messages", "tokens"]),
        st.integers(1, 9),
        st.integers(1, 9),
        st.just(options),
    )


KEEPING = windows(overflow="keep")
RAISING = windows(overflow="raise")
SLIDING = windows(eviction="sliding")
WINDOWS = {"keep": KEEPING, "raise": RAISING, "sliding": SLIDING}


def added(memory, said: list[str]) -> Iterator[list[ChatMessage]]:
    """Add batches, and yield after each what the memory took of it."""
    for batch in map(conversation, said):
        try:
            memory.add(*batch)
        except (InvalidMessageError, WindowOverflowError):
            yield []
        else:
            yield batch


@given(KEEPING, batches())
def test_every_view_can_be_sent(window: Window, said: list[str]):
    """Pairs are whole, it starts where it may, and question and system are there."""
    memory, taken = window.on(ThreeVerbStore()), []
    for batch in added(memory, said):
        taken += batch
        view = memory.messages()
        assert [] == problems(view, said=taken)
        assert is_valid(view) == (not unanswered(view))


@given(RAISING, batches())
def test_every_view_fits(window: Window, said: list[str]):
    """With `overflow="raise"` no view costs more than the limit."""
    memory, taken = window.on(ThreeVerbStore()), []
    for batch in added(memory, said):
        taken += batch
        view = memory.messages()
        assert [] == problems(view, said=taken)
        assert not view or cost(window, view) <= window.limit


def cost(window: Window, view: list[ChatMessage]) -> float:
    if window.kind == "messages":
        return len(view)
    return TextTokenCountEstimator(len).count_messages(view) / 10


@given(SLIDING, batches())
def test_every_sliding_view_is_repaired(window: Window, said: list[str]):
    """It may have lost the question, but no half of a pair is left."""
    memory = window.on(ThreeVerbStore())
    for _ in added(memory, said):
        assert [] == problems(memory.messages())


@pytest.mark.parametrize("windows", WINDOWS.values(), ids=WINDOWS)
@given(st.data(), batches())
def test_what_is_stored_was_added(windows, data: st.DataObject, said: list[str]):
    """The stored state is a subsequence of what was added, with one system message."""
    store, taken = ThreeVerbStore(), []
    for batch in added(data.draw(windows).on(store), said):
        taken += batch
        stored = store.get_messages("user")
        rest = iter(map(id, taken))
        assert all(each in rest for each in map(id, stored))
        assert sum(isinstance(each, SystemMessage) for each in stored) <= 1


@pytest.mark.parametrize("windows", WINDOWS.values(), ids=WINDOWS)
@given(st.data(), batches())
def test_what_is_refused_changes_nothing(windows, data: st.DataObject, said: list[str]):
    """After an error both the store and the view are as they were before."""
    store = ThreeVerbStore()
    memory = data.draw(windows).on(store)
    stored, view = [], []
    for batch in added(memory, said):
        if not batch:
            assert stored == store.get_messages("user")
            assert view == memory.messages()
        stored, view = list(store.get_messages("user")), memory.messages()


STORES = [
    *(InMemoryChatMemoryStore, TwiceStore, OptimisticStore),
    *(ThreeVerbStore, InPlaceStore, PicklingStore),
]


@pytest.mark.parametrize("windows", WINDOWS.values(), ids=WINDOWS)
@given(st.data(), batches())
def test_a_new_memory_is_as_good_as_an_old_one(
    windows, data: st.DataObject, said: list[str]
):
    """One that has lived through a conversation shows what a new one shows on any store."""
    window, kind = data.draw(windows), data.draw(st.sampled_from(STORES))
    one, other = window.on(None), kind()
    for batch, same in zip(
        added(one, said), added(NewEachTime(window, other), said), strict=True
    ):
        assert bool(batch) == bool(same)
        assert shown(one.messages()) == shown(window.on(other).messages())


@attrs.frozen
class NewEachTime:
    """Adds each batch through a memory object of its own."""

    window: Window
    store: object

    def add(self, *batch: ChatMessage) -> None:
        self.window.on(self.store).add(*batch)


@pytest.mark.parametrize("windows", WINDOWS.values(), ids=WINDOWS)
@given(st.data(), batches())
def test_a_view_fits_its_own_window(windows, data: st.DataObject, said: list[str]):
    """
    A view that a new memory of the same limit is set to is its view as well.

    Calls whose placeholders stood at its end are open again: nothing follows them now.
    """
    window = data.draw(windows)
    memory = window.on(None)
    for _ in added(memory, said):
        pass
    view = memory.messages()
    again = window.on(None)
    if view:
        again.set(*view)
    view_again = again.messages()
    assert without_placeholders(view) == without_placeholders(view_again)
    assert unanswered(view_again) or view == view_again


def without_placeholders(messages: list[ChatMessage]) -> list[ChatMessage]:
    return [message for message in messages if not is_placeholder(message)]


@given(KEEPING, batches(), st.lists(st.integers(1, 9), min_size=1))
def test_a_limit_that_changes(window: Window, said: list[str], limits: list[int]):
    """Whatever the limit was before, the view is that of the present one."""
    present = [1]
    memory = attrs.evolve(window, kind="messages", limit=lambda _id: present[-1]).on(
        ThreeVerbStore()
    )
    taken = []
    for index, batch in enumerate(added(memory, said)):
        taken += batch
        present.append(limits[index % len(limits)])
        assert [] == problems(memory.messages(), said=taken)


@given(KEEPING, batches())
def test_set_is_clear_and_add(window: Window, said: list[str]):
    """What `set` leaves is what `add` leaves in a memory that is empty."""
    memory = window.on(InMemoryChatMemoryStore())
    for batch in added(memory, said):
        if batch:
            fresh, memory_set = window.on(None), window.on(InMemoryChatMemoryStore())
            memory_set.add(UserMessage("before"))
            outcomes = []
            for verb in (fresh.add, memory_set.set):
                try:
                    outcomes.append(verb(*batch))
                except InvalidMessageError as error:
                    outcomes.append(type(error))
            assert outcomes[0] == outcomes[1]
            if outcomes == [None, None]:
                assert fresh.messages() == memory_set.messages()
