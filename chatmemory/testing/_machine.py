"""Any steps in any order, on a store and on a dict: both must hold the same."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import cast
from uuid import uuid4

import pytest

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    rule,
    run_state_machine_as_test,
)

from chatmemory.messages import AiMessage, ChatMessage, UserMessage
from chatmemory.store import (
    AtomicChatMemoryStore,
    Change,
    ChatMemoryStore,
)
from chatmemory.testing._samples import MESSAGES


NAMES = st.sampled_from(["Alice", "alice", "bob"])


class CallerError(Exception):
    """What a change raises that decides against itself."""


@cache
def messages() -> st.SearchStrategy[list[ChatMessage]]:
    """Make a few messages: samples, and texts of any characters that UTF-8 has."""
    texts = st.text(st.characters(codec="utf-8"), max_size=9)
    short = [message for name, message in MESSAGES.items() if not name.endswith("1 MB")]
    return st.lists(
        st.one_of(
            st.builds(UserMessage, texts),
            st.builds(AiMessage, texts),
            st.sampled_from(short),
        ),
        max_size=4,
    )


class StoreMachine(RuleBasedStateMachine):
    """The verbs that every store has, on any of the objects that are given."""

    def __init__(self, stores: Sequence[ChatMemoryStore]) -> None:
        super().__init__()
        self.stores = stores
        self.memories: dict[str, list[ChatMessage]] = {}
        # Each example has memories of its own on the same store.
        self.example = uuid4().hex

    def id_of(self, name: str) -> str:
        """Return the id of one of the memories."""
        return f"{self.example} {name}"

    @rule(of=st.integers(0, 9), name=NAMES)
    def get(self, of: int, name: str) -> None:
        """Read."""
        store = self.stores[of % len(self.stores)]
        found = list(store.get_messages(self.id_of(name)))
        assert found == self.memories.get(name, [])

    @rule(of=st.integers(0, 9), name=NAMES, after=messages())
    def update(self, of: int, name: str, after: list[ChatMessage]) -> None:
        """Replace."""
        store = self.stores[of % len(self.stores)]
        store.update_messages(self.id_of(name), after.copy())
        self.memories[name] = after

    @rule(of=st.integers(0, 9), name=NAMES)
    def delete(self, of: int, name: str) -> None:
        """Forget."""
        self.stores[of % len(self.stores)].delete_messages(self.id_of(name))
        self.memories[name] = []

    def teardown(self) -> None:
        """Look at all that must be there in the end, through each object."""
        for of in range(len(self.stores)):
            for name in self.memories:
                self.get(of, name)


class AtomicStoreMachine(StoreMachine):
    """The same and changes, which may drop, add, say in passing, or fail."""

    def __init__(self, stores: Sequence[AtomicChatMemoryStore]) -> None:
        super().__init__(stores)
        self.atomic_stores = stores

    @rule(
        of=st.integers(0, 9),
        name=NAMES,
        dropped=st.sets(st.integers(0, 7)),
        gone=messages(),
        new=messages(),
    )
    def change(
        self,
        of: int,
        name: str,
        dropped: set[int],
        gone: list[ChatMessage],
        new: list[ChatMessage],
    ) -> None:
        """Drop some messages, and say others, of which not all stay."""

        def changed(state: list[ChatMessage]) -> Change:
            kept = [each for i, each in enumerate(state) if i not in dropped]
            return Change([*kept, *new], [*gone, *new])

        after = changed(self.memories.get(name, [])).messages
        store = self.atomic_stores[of % len(self.stores)]
        assert store.change_messages(self.id_of(name), changed) == after
        self.memories[name] = after

    @rule(of=st.integers(0, 9), name=NAMES)
    def change_nothing(self, of: int, name: str) -> None:
        """Decide that there is nothing to write."""
        store = self.atomic_stores[of % len(self.stores)]
        found = store.change_messages(self.id_of(name), lambda _state: None)
        assert found == self.memories.get(name, [])

    @rule(of=st.integers(0, 9), name=NAMES)
    def fail(self, of: int, name: str) -> None:
        """Fail in the middle of a change."""

        def failing(_state: list[ChatMessage]) -> Change:
            raise CallerError

        store = self.atomic_stores[of % len(self.stores)]
        with pytest.raises(CallerError):
            store.change_messages(self.id_of(name), failing)


def run_machine(
    machine: Callable[[], RuleBasedStateMachine], *, examples: int, steps: int
) -> None:
    """Run a state machine as one test; how slow the store is does not matter."""
    run_state_machine_as_test(
        cast("type[RuleBasedStateMachine]", machine),
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )
