"""
Batches that can be told from each other, and whether a memory lost or tore one.

Run as a program it is one of several processes that write at the same moment: it adds
its batches to a memory in a database as soon as it is told to on its standard input.
"""

import sys

from collections.abc import Iterable, Sequence

from chatmemory import AiMessage, ChatMessage, MessageWindowChatMemory, UserMessage
from chatmemory_stores.sql import SqlChatMemoryStore


MEMORY_ID = "user"
SIZE = 2


def batch(writer: int, number: int = 0) -> list[ChatMessage]:
    """Make a turn that nobody else says."""
    name = f"{writer}.{number}"
    return [UserMessage(f"question {name}"), AiMessage(f"answer {name}")]


def pieces(said: Sequence[ChatMessage]) -> list[list[ChatMessage]]:
    """Cut what was said into what should be batches."""
    return [list(said[start : start + SIZE]) for start in range(0, len(said), SIZE)]


def check_whole(said: Sequence[ChatMessage], *, writers: int, batches: int) -> None:
    """Every batch is there once, in one piece, and each writer's are in order."""
    found = [tuple(piece) for piece in pieces(said)]
    writer_of = {
        tuple(batch(writer, number)): writer
        for writer in range(writers)
        for number in range(batches)
    }
    assert [] == [piece for piece in found if piece not in writer_of]
    in_order = sorted(found, key=lambda piece: writer_of[piece])
    assert in_order == list(writer_of)


def check_chain(states: Iterable[Sequence[ChatMessage]], *, window: int) -> None:
    """Each state goes on from the one before: nothing but the oldest is ever gone."""
    before: list[ChatMessage] = []
    for state in states:
        kept = min(len(before), window - SIZE)
        assert before[len(before) - kept :] == list(state[:-SIZE])
        before = list(state)


def memory_on(store, window: int) -> MessageWindowChatMemory:
    """Make one of several memory objects for the same memory."""
    return MessageWindowChatMemory(id=MEMORY_ID, max_messages=window, store=store)


def main() -> None:
    """Add the batches of one writer."""
    url, window, writer, batches = sys.argv[1:]
    with SqlChatMemoryStore.from_url(url) as store:
        memory = memory_on(store, int(window))
        memory.messages()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.readline()
        for number in range(int(batches)):
            memory.add(*batch(int(writer), number))


if __name__ == "__main__":
    main()
