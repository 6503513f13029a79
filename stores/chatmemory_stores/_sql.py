"""
The operations of a SQL store, each on an open connection.

Nothing here opens, commits or retries: that is for the shells around it. A statement sees
one snapshot on every database, so a memory is read by one statement.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TypeAlias, cast

from sqlalchemy import Connection, case, delete, insert, select, update

from chatmemory.errors import MessageDecodeError
from chatmemory.json import message_from_json, message_to_json
from chatmemory.messages import ChatMessage
from chatmemory_stores._schema import Schema
from chatmemory_stores._state import State, after, delta, size_of


# A memory's id, version and next position; a message's position and body, if any.
_Row: TypeAlias = tuple[int, int, int, int | None, str | None]


def read(
    connection: Connection, schema: Schema, memory_id: str, known: State | None
) -> State | None:
    """
    Return the state of a memory, None if there is none.

    If it is still the *known* one, that is found out by one small SELECT; if it is a
    later one, only messages that are not known are fetched and decoded.
    """
    if known is not None and is_current(connection, schema, memory_id, known):
        return known
    memories, messages = schema.memories.c, schema.messages.c
    have = -1 if known is None else known.next_position - 1
    memory = -1 if known is None else known.memory
    is_known = (memories.id == memory) & (messages.position <= have)
    rows = connection.execute(
        select(
            memories.id,
            memories.version,
            memories.next_position,
            messages.position,
            case((~is_known, messages.body)),
        )
        .select_from(schema.memories.outerjoin(schema.messages))
        .where(memories.memory_id == memory_id)
        .order_by(messages.position)
    ).all()
    return _state(memory_id, cast("Sequence[_Row]", rows), known) if rows else None


def is_current(
    connection: Connection, schema: Schema, memory_id: str, known: State
) -> bool:
    """Tell whether a state is still the memory's."""
    memories = schema.memories.c
    row = connection.execute(
        select(memories.id, memories.version).where(memories.memory_id == memory_id)
    ).one_or_none()
    return row is not None and tuple(row) == (known.memory, known.version)


def _state(memory_id: str, rows: "Sequence[_Row]", known: State | None) -> State:
    memory, version, next_position, *_ = rows[0]
    state = State(memory, version, next_position, [], [], [])
    decoded = {} if known is None else _by_position(known)
    for *_, position, body in rows:
        if position is None:
            continue
        state.positions.append(position)
        message, size = (
            decoded[position]
            if body is None
            else (_decoded(memory_id, position, body), size_of(body))
        )
        state.messages.append(message)
        state.sizes.append(size)
    return state


def _by_position(state: State) -> dict[int, tuple[ChatMessage, int]]:
    contents = zip(state.messages, state.sizes, strict=True)
    return dict(zip(state.positions, contents, strict=True))


def _decoded(memory_id: str, position: int, body: str) -> ChatMessage:
    try:
        return message_from_json(body)
    except MessageDecodeError as error:
        msg = f"message {position} of memory {memory_id!r} can't be read: {error}"
        raise MessageDecodeError(
            msg, path=error.path, memory_id=memory_id, position=position
        ) from None


def begin(connection: Connection, schema: Schema, memory_id: str) -> State:
    """Make the row of a memory that there is none of yet."""
    result = connection.execute(
        insert(schema.memories).values(memory_id=memory_id, version=0, next_position=0)
    )
    (memory,) = cast("tuple[int]", result.inserted_primary_key)
    return State.empty(memory)


def write(
    connection: Connection, schema: Schema, state: State, messages: list[ChatMessage]
) -> State | None:
    """
    Write what a change made of a state; return the state afterwards.

    Returns None, and has written nothing, if the state is outdated.
    """
    change = delta(state, messages)
    bodies = [message_to_json(message, extended=True) for message in change.new]
    result = after(state, change, bodies)
    if not _advance(connection, schema, state, result):
        return None
    rows = schema.messages.c
    for low, high in change.dropped:
        connection.execute(
            delete(schema.messages).where(
                rows.memory == state.memory, rows.position.between(low, high)
            )
        )
    _insert(connection, schema, state, bodies)
    return result


def _advance(
    connection: Connection, schema: Schema, state: State, result: State
) -> bool:
    memories = schema.memories.c
    updated = connection.execute(
        update(schema.memories)
        .where(memories.id == state.memory, memories.version == state.version)
        .values(version=result.version, next_position=result.next_position)
    )
    return updated.rowcount == 1


def _insert(
    connection: Connection, schema: Schema, state: State, bodies: list[str]
) -> None:
    if not bodies:
        return
    now = datetime.now(UTC).replace(tzinfo=None)
    connection.execute(
        insert(schema.messages),
        [
            {
                "memory": state.memory,
                "position": position,
                "body": body,
                "created_at": now,
            }
            for position, body in enumerate(bodies, start=state.next_position)
        ],
    )


def remove(connection: Connection, schema: Schema, memory_id: str) -> None:
    """Delete a memory and its messages."""
    memories, messages = schema.memories.c, schema.messages.c
    memory = select(memories.id).where(memories.memory_id == memory_id)
    connection.execute(delete(schema.messages).where(messages.memory.in_(memory)))
    connection.execute(delete(schema.memories).where(memories.memory_id == memory_id))
