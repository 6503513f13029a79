"""
The operations of a SQL store, each on one connection.

They are written once, for the sync and the async shell: nothing here opens a connection
or knows who drives it.
"""

from collections.abc import Callable
from datetime import UTC
from typing import TypeVar

from sqlalchemy import Connection, insert, select
from sqlalchemy.exc import DBAPIError

from chatmemory.errors import InvalidStoreError, MessageDecodeError
from chatmemory.json import message_from_json, message_to_json
from chatmemory.messages import ChatMessage
from chatmemory.store import Change, Changing
from chatmemory_stores._cache import StateCache
from chatmemory_stores._database import Database
from chatmemory_stores._schema import SCHEMA_VERSION, Schema
from chatmemory_stores._state import Head, State, delta, size_of
from chatmemory_stores._statements import Statements
from chatmemory_stores.history import HistoryEntry


T = TypeVar("T")

# How often a step is tried that a deadlock or the like has undone.
ATTEMPTS = 10
# Messages that left a memory are deleted once there are about so many.
DEAD_BLOCK = 32
# Beyond every position.
LATEST = 2**63 - 1


class Operations:
    """What a store does, on a connection that it is given."""

    def __init__(
        self,
        schema: Schema,
        database: Database,
        *,
        cache_bytes: int,
        keep_history: bool,
    ) -> None:
        self.schema = schema
        self.cache = StateCache(cache_bytes)
        self._database = database
        self._keep_history = keep_history
        self._statements = Statements(schema, database.begin_memory(schema))

    def get(self, connection: Connection, key: str) -> list[ChatMessage]:
        """Return the messages of a memory."""
        self._database.reading(connection)
        state = self._read(connection, key)
        return [] if state is None else state.messages.copy()

    def change(
        self, connection: Connection, key: str, change: Changing
    ) -> list[ChatMessage]:
        """Apply a change to a memory; return the messages afterwards."""
        return self._retried(lambda: self._change(connection, key, change))

    def delete(self, connection: Connection, key: str) -> None:
        """Empty a memory; what was said stays, if history is kept."""
        if self._keep_history:
            self.change(
                connection, key, lambda state: Change([], []) if state else None
            )
        else:
            self.forget(connection, key)

    def forget(self, connection: Connection, key: str) -> None:
        """Delete a memory and all that was said."""
        self.cache.drop(key)
        self._retried(lambda: self._forget(connection, key))

    def history(
        self, connection: Connection, key: str, before: int | None, limit: int
    ) -> list[HistoryEntry]:
        """Return a page of what was said, the oldest first."""
        self._database.reading(connection)
        page = self._statements.page(
            connection, key, LATEST if before is None else before, limit
        )
        return [
            HistoryEntry(
                position, _decoded(key, position, body), created_at.replace(tzinfo=UTC)
            )
            for position, created_at, body in reversed(page)
        ]

    def create_tables(self, connection: Connection) -> None:
        """Create the tables that are not there."""
        with self._database.creating_tables(connection):
            self.schema.metadata.create_all(connection)
            version = self.schema.versions.c.version
            found = connection.execute(select(version)).scalars().all()
            if not found:
                connection.execute(
                    insert(self.schema.versions), {"version": SCHEMA_VERSION}
                )
            elif found != [SCHEMA_VERSION]:
                msg = (
                    f"the tables are of schema version {found!r}, but this release "
                    f"has version {SCHEMA_VERSION}: migrate them, or use its release"
                )
                raise InvalidStoreError(msg)

    def _retried(self, step: Callable[[], T]) -> T:
        attempt = 1
        while True:
            try:
                return step()
            except DBAPIError as error:
                if attempt == ATTEMPTS or not self._database.is_transient(error):
                    raise
            attempt += 1

    def _change(
        self, connection: Connection, key: str, change: Changing
    ) -> list[ChatMessage]:
        known = self.cache.get(key)
        changed = None
        if known is not None:
            changed, known = _tried(change, known)
        if known is not None and changed is None:
            if self._is_current(connection, key, known):
                return known.messages.copy()
            connection.rollback()  # a SELECT has begun a transaction, as each does
            known = None
        with self._database.transaction(connection):
            state = None
            if known is not None and changed is not None:
                state = self._write(connection, known, changed)
            if state is None:
                state = self._change_locked(connection, key, change)
        if state is None:
            return []
        self.cache.put(key, state)
        return state.messages.copy()

    def _is_current(self, connection: Connection, key: str, known: State) -> bool:
        self._database.reading(connection)
        return self._statements.find(connection, key) == known.head

    def _change_locked(
        self, connection: Connection, key: str, change: Changing
    ) -> State | None:
        while (head := self._statements.lock(connection, key)) is None:
            # What raises or writes nothing leaves no row behind.
            if change([]) is None:
                return None
            self._statements.begin(connection, key)
        before = self._loaded(connection, key, head)
        changed = change(before.messages.copy())
        if changed is None:
            return before
        after = self._write(connection, before, changed)
        return before if after is None else after

    def _write(
        self, connection: Connection, before: State, change: Change
    ) -> State | None:
        """Return None, and have written nothing, if the state is outdated."""
        rows = delta(before, change, keep_history=self._keep_history)
        bodies = [message_to_json(message, extended=True) for message in rows.new]
        after = rows.apply(before, [size_of(body) for body in bodies])
        if not self._statements.advance(connection, before.head, after.head):
            return None
        first = before.head.next_position
        self._statements.append(connection, before.head.memory, first, bodies)
        if not self._keep_history and _is_worth_cleaning(before, after):
            self._statements.drop_dead(connection, after.head)
        return after

    def _forget(self, connection: Connection, key: str) -> None:
        with self._database.transaction(connection):
            head = self._statements.lock(connection, key)
            if head is not None:
                self._statements.drop(connection, head.memory)

    def _read(self, connection: Connection, key: str) -> State | None:
        seen = None
        while (head := self._statements.find(connection, key)) is not None:
            state = self._fetched(connection, key, head)
            if state is not None:
                self.cache.put(key, state)
                return state
            if head == seen:
                raise _incomplete(key, head)
            seen = head  # messages went between the two statements
        self.cache.drop(key)
        return None

    def _loaded(self, connection: Connection, key: str, head: Head) -> State:
        state = self._fetched(connection, key, head)
        if state is None:
            raise _incomplete(key, head)
        return state

    def _fetched(self, connection: Connection, key: str, head: Head) -> State | None:
        """Return None if messages are not there that the head has."""
        known = self.cache.get(key)
        if known is None or known.head.memory != head.memory:
            known = State.empty(Head(head.memory, -1, 0, 0, ""))
        if known.head == head:
            return known
        cached = dict(
            zip(
                known.positions,
                zip(known.messages, known.sizes, strict=True),
                strict=True,
            )
        )
        positions = head.positions()
        missing = [position for position in positions if position not in cached]
        bodies = self._bodies(connection, head, missing)
        if len(bodies) < len(missing):
            return None
        found = [
            cached.get(p) or (_decoded(key, p, bodies[p]), size_of(bodies[p]))
            for p in positions
        ]
        return State(
            head, positions, [m for m, _ in found], [size for _, size in found]
        )

    def _bodies(
        self, connection: Connection, head: Head, missing: list[int]
    ) -> dict[int, str]:
        pinned = [position for position in missing if position < head.head]
        later = missing[len(pinned) :]
        bodies = self._statements.read_list(connection, head.memory, pinned)
        if later:
            bodies |= self._statements.read_range(
                connection, head.memory, later[0], head.next_position
            )
        return bodies


def _tried(change: Changing, known: State) -> tuple[Change | None, State | None]:
    """Return what a change makes of a cached state, and the state, None if it failed."""
    try:
        return change(known.messages.copy()), known
    except Exception:  # noqa: BLE001 - on an outdated state it means nothing
        return None, None


def _is_worth_cleaning(before: State, after: State) -> bool:
    """Tell whether a block is full, or the newest message was taken back, as in `set`."""
    crossed = before.head.head // DEAD_BLOCK < after.head.head // DEAD_BLOCK
    return crossed or not set(before.positions[-1:]) <= set(after.positions)


def _decoded(key: str, position: int, body: str) -> ChatMessage:
    try:
        return message_from_json(body)
    except MessageDecodeError as error:
        msg = f"message {position} of memory {key!r} can't be read: {error}"
        raise MessageDecodeError(
            msg, path=error.path, memory_id=key, position=position
        ) from None


def _incomplete(key: str, head: Head) -> MessageDecodeError:
    msg = (
        f"memory {key!r} lacks messages that its row lists (head {head.head}, pins "
        f"{head.pins!r}): rows were deleted by hand; delete_messages begins it anew"
    )
    return MessageDecodeError(msg, memory_id=key, position=head.head)
