"""Memory ids that some store could not keep, or not keep apart."""

import pytest

from chatmemory import (
    InMemoryChatMemoryStore,
    InvalidMemoryIdError,
    MessageWindowChatMemory,
)
from stores_for_tests import ThreeVerbStore


KINDS = "a memory id must be a str, an int or a UUID: "
SIZES = "a memory id must have 1 to 255 characters, not {}: "
CHARACTERS = "a memory id can't hold NUL or lone surrogates: "
NO_IDS = [
    *((value, KINDS) for value in [True, False, 1.0, b"user", ("a", 1), object]),
    *((value, SIZES.format(len(str(value)))) for value in ["", 10**255, -(10**254)]),
    *((value, CHARACTERS) for value in ["a\0b", "\ud800", "x\udfff"]),
]


@pytest.mark.parametrize(("memory_id", "says"), NO_IDS)
@pytest.mark.parametrize("store", [None, ThreeVerbStore()], ids=["no store", "store"])
def test_ids(store, memory_id: object, says: str):
    """An id that some database could not keep apart is refused by every memory."""
    with pytest.raises(InvalidMemoryIdError) as caught:
        MessageWindowChatMemory(id=memory_id, max_messages=3, store=store)
    assert says + repr(memory_id) == str(caught.value)


def test_an_id_too_long_for_an_error():
    """Of an id of any length the error shows the beginning, of a number the size."""
    with pytest.raises(InvalidMemoryIdError) as caught:
        MessageWindowChatMemory(id="x" * 10**6, max_messages=3)
    expected = (
        "a memory id must have 1 to 255 characters, not 1000000: "
        f"'{'x' * 60}'… (1,000,000 characters)"
    )
    assert expected == str(caught.value)
    with pytest.raises(InvalidMemoryIdError) as caught:
        MessageWindowChatMemory(id=10**5_000, max_messages=3)
    expected = (
        "a memory id must have 1 to 255 characters, which an int of 16,610 bits has not"
    )
    assert expected == str(caught.value)


@pytest.mark.parametrize("memory_id", [None, ""])
def test_a_store_without_an_id(memory_id):
    """A memory on a store is somebody's: there is no default."""
    with pytest.raises(InvalidMemoryIdError):
        MessageWindowChatMemory(
            id=memory_id, max_messages=3, store=InMemoryChatMemoryStore()
        )
