"""What a store promises that changes a memory in one step."""

import asyncio
import pickle

from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias, cast

import pytest

from chatmemory.messages import AiMessage, ChatMessage, UserMessage
from chatmemory.store import (
    AsyncAtomicChatMemoryStore,
    AtomicChatMemoryStore,
    Change,
    Changing,
)
from chatmemory.testing._machine import AtomicStoreMachine, CallerError
from chatmemory.testing._races import (
    BATCHES,
    batch,
    check_complete,
    check_whole,
    in_processes,
    in_threads,
    write_batches,
)
from chatmemory.testing._samples import HARD_TO_STORE, MESSAGES
from chatmemory.testing._suite import (
    ANSWER,
    QUESTION,
    ChatMemoryStoreSuite,
    blocking_or_skip,
)


Reopened: TypeAlias = Callable[[], AtomicChatMemoryStore]

NEW_IDS = 20
PROCESSES = 2
# After how many turns of the event loop a change is cancelled.
MOMENTS = (0, 1, 2, 3, 5, 8, 13, 21, 34, 55)


class CallerStop(BaseException):
    """What is no `Exception`, as `KeyboardInterrupt` is none."""


def adding(*new: ChatMessage) -> Changing:
    """Make a change that adds messages."""
    return lambda state: Change([*state, *new], list(new))


def no_change(_state: list[ChatMessage]) -> None:
    """Decide that there is nothing to write."""


class AtomicChatMemoryStoreSuite(ChatMemoryStoreSuite):
    """
    The promises of an `AtomicChatMemoryStore`, those of any other store included.

    Fixtures and settings are those of `ChatMemoryStoreSuite`.
    """

    machine = AtomicStoreMachine

    # The verb

    def test_it_can_be_told_to_be_atomic(self, store: object) -> None:
        """A store with `change_messages` is recognised by the memories."""
        assert isinstance(store, AtomicChatMemoryStore)

    def test_a_change_makes_the_next_state(self, store: AtomicChatMemoryStore) -> None:
        """A change is given what is stored, and what it returns is stored."""
        assert store.change_messages("user", adding(QUESTION)) == [QUESTION]
        after = store.change_messages("user", adding(ANSWER, QUESTION))
        assert after == [QUESTION, ANSWER, QUESTION]
        assert list(store.get_messages("user")) == after

    def test_a_change_drops_messages(self, store: AtomicChatMemoryStore) -> None:
        """What a change leaves out is gone, wherever it stood."""
        store.update_messages("user", list(MESSAGES.values()))
        expected = list(MESSAGES.values())
        for dropped in (slice(0, 2), slice(3, 9, 2), slice(-2, None), slice(None)):
            del expected[dropped]
            after = store.change_messages("user", _dropping(dropped))
            assert after == expected
            assert list(store.get_messages("user")) == expected

    def test_what_is_said_and_dropped_at_once(
        self, store: AtomicChatMemoryStore
    ) -> None:
        """What was said in a step but does not stay is no part of the memory."""
        spoken: list[ChatMessage] = [QUESTION, ANSWER, UserMessage("last")]
        after = store.change_messages("user", lambda _: Change(spoken[2:], spoken))
        assert after == spoken[2:]
        assert list(store.get_messages("user")) == spoken[2:]

    @pytest.mark.parametrize("messages", [[], [QUESTION]], ids=["new", "known"])
    def test_no_change_writes_nothing(
        self, store: AtomicChatMemoryStore, messages: list[ChatMessage]
    ) -> None:
        """A change that returns None leaves what was there, and is told it."""
        store.update_messages("user", messages.copy())
        assert store.change_messages("user", no_change) == messages
        assert list(store.get_messages("user")) == messages

    def test_what_was_added_comes_back_equal(
        self, store: AtomicChatMemoryStore
    ) -> None:
        """A change stores every message as an update does."""
        messages = list(MESSAGES.values())
        after = store.change_messages("user", adding(*messages))
        assert after == messages
        assert list(store.get_messages("user")) == messages

    def test_lists_are_not_shared(self, store: AtomicChatMemoryStore) -> None:
        """What a caller does to a list, given or returned, is no change of a memory."""
        given: list[ChatMessage] = [QUESTION]
        store.update_messages("user", given)
        given.clear()
        for read in (store.get_messages, _unchanged(store)):
            cast("list[ChatMessage]", read("user"))[:] = []
        made: list[ChatMessage] = []

        def clearing(state: list[ChatMessage]) -> Change:
            made[:] = [*state, ANSWER]
            state.clear()
            return Change(made, [ANSWER])

        store.change_messages("user", clearing).clear()
        made.clear()
        assert list(store.get_messages("user")) == [QUESTION, ANSWER]

    def test_lists_do_not_change_later(self, store: AtomicChatMemoryStore) -> None:
        """A state that was handed out stays as it was, whatever is written then."""
        seen: list[list[ChatMessage]] = []

        def noting(state: list[ChatMessage]) -> Change:
            seen.append(state)
            return Change([*state, ANSWER], [ANSWER])

        store.update_messages("user", [QUESTION])
        seen.append(cast("list[ChatMessage]", store.get_messages("user")))
        seen.append(store.change_messages("user", noting))
        copies = [list(each) for each in seen]
        store.change_messages("user", adding(QUESTION))
        store.update_messages("user", [ANSWER])
        store.delete_messages("user")
        assert [list(each) for each in seen] == copies

    # Failure and cancellation

    @pytest.mark.parametrize("kind", [CallerError, CallerStop])
    @pytest.mark.parametrize("messages", [[], [QUESTION]], ids=["new", "known"])
    def test_a_change_that_fails_changes_nothing(
        self,
        store: AtomicChatMemoryStore,
        messages: list[ChatMessage],
        kind: type[BaseException],
    ) -> None:
        """What a change raises passes through as it is; the store goes on as before."""
        error = kind("the caller's own")

        def failing(state: list[ChatMessage]) -> Change:
            state.append(ANSWER)
            raise error

        store.update_messages("user", messages.copy())
        with pytest.raises(kind) as caught:
            store.change_messages("user", failing)
        assert caught.value is error
        assert list(store.get_messages("user")) == messages
        after = store.change_messages("user", adding(ANSWER))
        assert after == [*messages, ANSWER]

    def test_a_refused_change_changes_nothing(
        self, store: AtomicChatMemoryStore
    ) -> None:
        """A change that fails while it is written leaves what was there."""
        state = store.change_messages("user", adding(QUESTION)).copy()
        with suppress(Exception):
            state = store.change_messages("user", adding(ANSWER, HARD_TO_STORE)).copy()
        assert list(store.get_messages("user")) == state
        after = store.change_messages("user", adding(ANSWER))
        assert after == [*state, ANSWER]

    def test_a_cancelled_change_is_before_or_after(
        self, store: AtomicChatMemoryStore
    ) -> None:
        """A change that is cancelled at any moment is whole or not there, for good."""
        blocking = blocking_or_skip(store)
        async_store = cast("AsyncAtomicChatMemoryStore", blocking.store)

        async def cancelled(number: int, moment: int) -> list[ChatMessage]:
            change = adding(*batch(0, number))
            step = asyncio.ensure_future(async_store.achange_messages("user", change))
            for _ in range(moment):
                await asyncio.sleep(0)
            step.cancel()
            await asyncio.wait([step])
            return list(await async_store.aget_messages("user"))

        for number, moment in enumerate(MOMENTS):
            state = blocking.run(cancelled(number, moment))
            check_whole(state)
            # Nothing of it comes later.
            after = store.change_messages("user", adding(*batch(1, number)))
            assert after == [*state, *batch(1, number)]

    # Many at once

    def test_first_writers_of_a_new_id(self, store: AtomicChatMemoryStore) -> None:
        """Two who begin a memory at the same moment both succeed."""
        for number in range(NEW_IDS):
            memory_id = f"user {number}"
            _add_at_once(store, memory_id)
            found = list(store.get_messages(memory_id))
            one, other = batch(0, 0), batch(1, 0)
            assert found in ([*one, *other], [*other, *one])

    def test_readers_see_whole_states(self, store: AtomicChatMemoryStore) -> None:
        """Who reads while others write sees no part of a batch, and never less."""
        done: list[int] = []

        def read() -> None:
            seen = 0
            while len(done) < 2:
                found = list(store.get_messages("user"))
                check_whole(found)
                assert len(found) >= seen
                seen = len(found)

        def write(actor: int) -> None:
            try:
                write_batches(store, "user", actor)
            finally:
                done.append(actor)

        in_threads(lambda actor: read() if actor % 2 else write(actor), 4)

    def test_deleting_while_others_write(self, store: AtomicChatMemoryStore) -> None:
        """Deletions come between batches: each is there or gone as a whole."""

        def act(actor: int) -> None:
            for number in range(BATCHES):
                if actor:
                    change = adding(*batch(actor, number))
                    check_whole(store.change_messages("user", change))
                else:
                    store.delete_messages("user")

        in_threads(act, 4)

    # A second object on the same data

    def test_objects_lose_nothing(
        self, store: AtomicChatMemoryStore, reopened: Reopened
    ) -> None:
        """Threads that write through two objects lose nothing."""
        stores = [store, reopened()]
        in_threads(lambda writer: write_batches(stores[writer % 2], "user", writer))
        for each in stores:
            check_complete(each.get_messages("user"))

    def test_processes_lose_nothing(
        self, store: AtomicChatMemoryStore, reopened: Reopened
    ) -> None:
        """Batches from several processes are there once, whole, and in order."""
        try:
            pickle.dumps(reopened)
        except (pickle.PicklingError, AttributeError, TypeError):
            pytest.skip("`reopened` can't be pickled: no test with other processes")
        assert in_processes(reopened, "user", PROCESSES) == [0] * PROCESSES
        check_complete(store.get_messages("user"), PROCESSES)

    def test_the_order_is_that_of_the_commits(
        self, store: AtomicChatMemoryStore, reopened: Reopened
    ) -> None:
        """What two objects write in turns stands in turns, whatever a clock says."""
        stores = [store, reopened()]
        turns: list[ChatMessage] = [AiMessage(str(n * 7 % 20)) for n in range(20)]
        for number, message in enumerate(turns):
            stores[number % 2].change_messages("user", adding(message))
        assert list(store.get_messages("user")) == turns

    def test_a_change_sees_a_memory_that_was_made_anew(
        self, store: AtomicChatMemoryStore, reopened: Reopened
    ) -> None:
        """A change is given what others made of a memory after deleting it."""
        other = reopened()
        store.change_messages("user", adding(QUESTION))
        other.delete_messages("user")
        other.change_messages("user", adding(ANSWER))
        after = store.change_messages("user", adding(QUESTION))
        assert after == [ANSWER, QUESTION]
        assert list(other.get_messages("user")) == after


def _dropping(dropped: slice) -> Changing:
    def changed(state: list[ChatMessage]) -> Change:
        kept = state.copy()
        del kept[dropped]
        return Change(kept, [])

    return changed


def _unchanged(store: AtomicChatMemoryStore) -> Callable[[str], list[ChatMessage]]:
    return lambda memory_id: store.change_messages(memory_id, no_change)


def _add_at_once(store: AtomicChatMemoryStore, memory_id: str) -> None:
    def add(writer: int) -> None:
        store.change_messages(memory_id, adding(*batch(writer, 0)))

    in_threads(add, 2)
