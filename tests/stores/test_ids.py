"""Ids that look alike are separate memories in every database."""

import pytest

from drivers import DRIVERS, tables_of

from chatmemory import InvalidMemoryIdError
from notation import conversation, shown


@pytest.fixture(scope="module", params=DRIVERS)
def store(request, tmp_path_factory):
    """Open a store without a cache."""
    with tables_of(request.param, tmp_path_factory.mktemp("ids")) as tables:
        yield tables()


IDS = [
    "Alice",
    "alice",
    "alice ",
    "\uff41lice",
    "\u00e9",
    "e\u0301",
    "'; DROP TABLE chatmemory; --",
    "x" * 254,
    "x" * 255,
    "😀" * 254,
    "😀" * 255,
    "😀" * 254 + "😁",
]


def test_ids_are_separate_memories(store):
    """What is written or deleted under one id is not under another."""
    for number, memory_id in enumerate(IDS):
        store.update_messages(memory_id, conversation(f"U{number}"))
    found = [shown(store.get_messages(memory_id)) for memory_id in IDS]
    assert [f"U{number}" for number in range(len(IDS))] == found
    for number, memory_id in enumerate(IDS):
        store.delete_messages(memory_id)
        rest = [shown(store.get_messages(each)) for each in IDS[number:]]
        assert ["", *found[number + 1 :]] == rest


@pytest.mark.parametrize(
    "memory_id",
    ["", "x" * 256, "😀" * 256, "a\0b", "\ud83d", chr(0xDE00)],
    ids=["empty", "256", "256 of four bytes", "NUL", "high", "low"],
)
def test_ids_that_no_database_takes_are_refused(store, memory_id):
    """They are never cut to another user's id; every verb refuses them."""
    store.update_messages("x" * 255, conversation("U"))
    for step in (
        lambda: store.get_messages(memory_id),
        lambda: store.update_messages(memory_id, conversation("U2")),
        lambda: store.change_messages(memory_id, lambda _state: None),
        lambda: store.delete_messages(memory_id),
    ):
        with pytest.raises(InvalidMemoryIdError):
            step()
    assert "U" == shown(store.get_messages("x" * 255))
