"""What was stored comes back equal, or is refused by name before anything is written."""

import uuid

import pytest

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import strategies

from chatmemory import (
    InvalidMemoryIdError,
    MessageEncodeError,
    MessageWindowChatMemory,
    UserMessage,
)
from chatmemory_stores.sql import SqlChatMemoryStore
from notation import conversation, shown


@pytest.fixture
def uncached(url, store):
    """Open the same database without a cache: what it returns was decoded."""
    with SqlChatMemoryStore.from_url(url, cache_bytes=0) as uncached:
        yield uncached


@given(messages=st.lists(strategies.messages(), max_size=4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_messages_come_back_equal(uncached, messages):
    """All messages of all types, with all their fields and attributes."""
    memory_id = str(uuid.uuid4())
    uncached.update_messages(memory_id, messages)
    assert messages == uncached.get_messages(memory_id)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "NUL \x00 and more",
        "a lone half \ud83d",
        "\ude00 the other half",
        "family 👩‍👩‍👧, flag 🇳🇴, last \U0010ffff",
        "line\u2028separator\r\n\x1f\x7f",
        "'; DROP TABLE chatmemory; --",
        "é" * 5_000_000,
    ],
    ids=["empty", "NUL", "high", "low", "beyond the BMP", "breaks", "SQL", "10 MB"],
)
def test_texts_come_back_equal(store, uncached, text):
    """Whatever characters there are, and up to 10 MB of them."""
    store.update_messages("user", [UserMessage(text)])
    (message,) = uncached.get_messages("user")
    assert text == message.text


def test_what_json_has_no_form_for_is_refused_before_the_write(store, uncached):
    """The two halves of one character, as two: nothing of the batch is stored."""
    memory = MessageWindowChatMemory(id="user", max_messages=9, store=store)
    memory.add(*conversation("U1 A1"))
    with pytest.raises(MessageEncodeError, match="surrogate pair"):
        memory.add(UserMessage("fine"), UserMessage("\ud83d" + "\ude00"))
    assert "U1 A1" == shown(memory.messages()) == shown(uncached.get_messages("user"))


IDS = [
    "alice",
    "Alice",
    "alice ",
    " alice",
    "\uff41lice",
    "ali",
    "alice%",
    "\u00e9",
    "e\u0301",
]


def test_ids_are_told_apart_by_code_point(store, uncached):
    """Case, spaces, width and composition make another user."""
    for number, memory_id in enumerate(IDS):
        store.update_messages(memory_id, conversation(f"U{number}"))
    found = [shown(uncached.get_messages(memory_id)) for memory_id in IDS]
    assert [f"U{number}" for number in range(len(IDS))] == found
    store.delete_messages("alice")
    assert "U1" == shown(uncached.get_messages("Alice"))
    assert [] == uncached.get_messages("alice")


@pytest.mark.parametrize("memory_id", ["", "a\x00b", "\ud83d", "x" * 256])
def test_ids_that_no_database_takes_are_refused(store, memory_id):
    """Also without a memory in between."""
    for step in (store.get_messages, store.delete_messages):
        with pytest.raises(InvalidMemoryIdError):
            step(memory_id)
    with pytest.raises(InvalidMemoryIdError):
        store.update_messages(memory_id, conversation("U"))


def test_the_longest_id(store, uncached):
    """255 characters of four bytes each are one id, to the last one."""
    longest = "😀" * 254
    store.update_messages(f"{longest}a", conversation("U1"))
    store.update_messages(f"{longest}b", conversation("U2"))
    assert "U1" == shown(uncached.get_messages(f"{longest}a"))
