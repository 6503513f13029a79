"""What a store with three methods promises."""

import asyncio

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import pytest

from hypothesis.stateful import RuleBasedStateMachine

from chatmemory.json import messages_to_json
from chatmemory.memory import MessageWindowChatMemory
from chatmemory.messages import AiMessage, ChatMessage, UserMessage
from chatmemory.store import ChatMemoryStore
from chatmemory.testing._machine import StoreMachine, run_machine
from chatmemory.testing._races import (
    BATCHES,
    LARGE_WINDOW,
    WRITERS,
    batch,
    check_complete,
    in_threads,
    write_batches,
)
from chatmemory.testing._samples import HARD_TO_STORE, IDS, MESSAGES
from chatmemory.testing.blocking import Blocking


Reopened: TypeAlias = Callable[[], ChatMemoryStore]

QUESTION: ChatMessage = UserMessage("question")
ANSWER: ChatMessage = AiMessage("answer")


class ChatMemoryStoreSuite:
    """
    The promises of a `ChatMemoryStore`; an async one enters as `Blocking(store)`.

    Override the fixture `store`; the ids that the tests use are theirs, so a store may
    hold other memories. Override `reopened` as well if several store objects can be
    open on the same data: a function that opens another one. If it can be pickled, it
    is called in other processes, too.

    `examples` and `steps` say how long the state machine runs: less for a slow store.
    """

    examples = 20
    steps = 20
    machine: Callable[[Any], RuleBasedStateMachine] = StoreMachine

    @pytest.fixture
    def store(self) -> ChatMemoryStore:
        """Return the store to test, for one test."""
        msg = f"{type(self).__name__} needs a fixture `store` that returns one"
        raise NotImplementedError(msg)

    @pytest.fixture
    def reopened(self) -> Reopened:
        """Return a function that opens another store object on the same data."""
        pytest.skip("there is no fixture `reopened`: no test with a second object")

    # The verbs

    def test_an_unknown_id_has_no_messages(self, store: ChatMemoryStore) -> None:
        """A memory that nobody wrote is an empty sequence, never None."""
        found = store.get_messages("nobody")
        assert isinstance(found, Sequence)
        assert list(found) == []

    def test_an_update_replaces_all_messages(self, store: ChatMemoryStore) -> None:
        """What was written last is all that there is."""
        for messages in ([QUESTION, ANSWER], [ANSWER], [], [QUESTION]):
            store.update_messages("user", messages.copy())
            assert list(store.get_messages("user")) == messages

    def test_a_deleted_memory_is_forgotten(self, store: ChatMemoryStore) -> None:
        """A memory that was deleted is as good as new."""
        store.update_messages("user", [QUESTION, ANSWER])
        store.delete_messages("user")
        assert list(store.get_messages("user")) == []
        store.update_messages("user", [ANSWER])
        assert list(store.get_messages("user")) == [ANSWER]

    def test_deleting_an_unknown_id_does_nothing(self, store: ChatMemoryStore) -> None:
        """To delete what is not there is no error, however often."""
        store.update_messages("user", [QUESTION])
        for _ in range(2):
            store.delete_messages("nobody")
        assert list(store.get_messages("user")) == [QUESTION]

    # Fidelity and order

    def test_what_was_stored_comes_back_equal(self, store: ChatMemoryStore) -> None:
        """Every message comes back equal, down to the types of its attributes."""
        changed: list[str] = []
        for name, message in MESSAGES.items():
            store.update_messages("user", [message])
            found = list(store.get_messages("user"))
            # As values 1, 1.0 and True are equal; as JSON they are not.
            if found != [message] or _json(found) != _json([message]):
                changed.append(name)
        assert changed == []

    def test_messages_keep_their_order(self, store: ChatMemoryStore) -> None:
        """Messages come back in the order of the list: no clock or text decides it."""
        # No sorting of these gives their order, and some are equal.
        messages: list[ChatMessage] = [
            UserMessage(str(number * 389 % 500)) for number in range(1_000)
        ]
        store.update_messages("user", messages.copy())
        assert list(store.get_messages("user")) == messages

    def test_messages_are_in_the_order_of_the_batches(
        self, store: ChatMemoryStore
    ) -> None:
        """What was added later comes later, also within the same second."""
        memory = MessageWindowChatMemory(
            id="user", max_messages=LARGE_WINDOW, store=store
        )
        batches = [batch(number * 7 % 8, number) for number in range(BATCHES)]
        for each in batches:
            memory.add(*each)
        expected = [message for each in batches for message in each]
        assert list(store.get_messages("user")) == expected

    # Ids

    def test_ids_are_told_apart(self, store: ChatMemoryStore) -> None:
        """Ids are compared by code point, and no part of one means anything."""
        for memory_id in IDS:
            store.update_messages(memory_id, [UserMessage(memory_id)])
        found = {each: list(store.get_messages(each)) for each in IDS}
        assert found == {each: [UserMessage(each)] for each in IDS}

    def test_deleting_one_id_leaves_the_others(self, store: ChatMemoryStore) -> None:
        """Only the memory of that very id is forgotten."""
        for memory_id in IDS:
            store.update_messages(memory_id, [UserMessage(memory_id)])
        for memory_id in IDS[::2]:
            store.delete_messages(memory_id)
        found = {each: list(store.get_messages(each)) for each in IDS}
        kept = {each: [UserMessage(each)] for each in IDS[1::2]}
        assert found == {each: kept.get(each, []) for each in IDS}

    # Failure

    def test_what_a_store_refuses_changes_nothing(self, store: ChatMemoryStore) -> None:
        """An update that fails at its last message leaves what was there."""
        before: list[ChatMessage] = [QUESTION, ANSWER]
        after: list[ChatMessage] = [ANSWER, HARD_TO_STORE]
        store.update_messages("user", before.copy())
        with suppress(Exception):
            store.update_messages("user", after.copy())
            before = after
        assert list(store.get_messages("user")) == before

    # Many at once

    def test_threads_lose_nothing(self, store: ChatMemoryStore) -> None:
        """Batches from many threads are there once, whole, each thread's in order."""
        in_threads(lambda writer: write_batches(store, "user", writer))
        check_complete(store.get_messages("user"))

    def test_memories_do_not_mix(self, store: ChatMemoryStore) -> None:
        """Threads that write different memories at once don't touch each other's."""
        in_threads(lambda writer: write_batches(store, f"user {writer}", 0), 3)
        for writer in range(3):
            check_complete(store.get_messages(f"user {writer}"), 1)

    def test_tasks_lose_nothing(self, store: ChatMemoryStore) -> None:
        """Batches from many tasks are there once, whole, each task's in order."""
        blocking = blocking_or_skip(store)

        async def write(writer: int) -> None:
            memory = MessageWindowChatMemory(
                id="user", max_messages=LARGE_WINDOW, store=blocking.store
            )
            for number in range(BATCHES):
                await memory.aadd(*batch(writer, number))

        async def write_all() -> None:
            await asyncio.gather(*map(write, range(WRITERS)))

        blocking.run(write_all())
        check_complete(store.get_messages("user"))

    # A second object on the same data

    def test_data_outlives_its_object(
        self, store: ChatMemoryStore, reopened: Reopened
    ) -> None:
        """What one object has written is what another one finds."""
        messages = list(MESSAGES.values())
        store.update_messages("user", messages.copy())
        assert list(reopened().get_messages("user")) == messages

    def test_a_reader_sees_what_others_wrote(
        self, store: ChatMemoryStore, reopened: Reopened
    ) -> None:
        """An object that has read before sees what another one has written since."""
        other = reopened()
        for messages in ([QUESTION], [QUESTION, ANSWER], [ANSWER], []):
            other.update_messages("user", messages.copy())
            assert list(store.get_messages("user")) == messages

    def test_a_reader_sees_a_memory_that_was_made_anew(
        self, store: ChatMemoryStore, reopened: Reopened
    ) -> None:
        """A memory that was deleted and written as often as before is another one."""
        other = reopened()
        store.update_messages("user", [QUESTION])
        assert list(store.get_messages("user")) == [QUESTION]
        other.delete_messages("user")
        other.update_messages("user", [ANSWER])
        assert list(store.get_messages("user")) == [ANSWER]

    # Any steps

    def test_any_steps(self, store: ChatMemoryStore) -> None:
        """Whatever is done in whatever order, a store holds what a dict would."""
        self.run_machine([store])

    def test_any_steps_on_two_objects(
        self, store: ChatMemoryStore, reopened: Reopened
    ) -> None:
        """The same through two objects on the same data, step by step."""
        self.run_machine([store, reopened()])

    def run_machine(self, stores: list[ChatMemoryStore]) -> None:
        """Take any steps on store objects that share their data."""
        run_machine(
            lambda: self.machine(stores), examples=self.examples, steps=self.steps
        )


def blocking_or_skip(store: object) -> Blocking:
    """Return an async store; what only those promise is skipped for others."""
    if isinstance(store, Blocking):
        return store
    pytest.skip("the store has no async verbs: an async one enters as Blocking(store)")


def _json(messages: list[ChatMessage]) -> str:
    return messages_to_json(messages, extended=True)
