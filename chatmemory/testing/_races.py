"""Many writers at once, and whether what they wrote is all there."""

import multiprocessing
import sys
import threading

from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from multiprocessing.synchronize import Barrier

from chatmemory.memory import MessageWindowChatMemory
from chatmemory.messages import (
    AiMessage,
    ChatMessage,
    ToolExecutionRequest,
    ToolExecutionResultMessage,
    UserMessage,
)
from chatmemory.store import ChatMemoryStore


WRITERS = 8
BATCHES = 25
LARGE_WINDOW = 10_000
PATIENCE = 120  # seconds


def batch(writer: int, number: int) -> list[ChatMessage]:
    """Make two or three messages that can be told from all other batches."""
    name = f"{writer}.{number}"
    question = UserMessage(f"question {name}")
    if number % 2:
        return [question, AiMessage(f"answer {name}")]
    request = ToolExecutionRequest(id=name, name="tool", arguments="{}")
    result = ToolExecutionResultMessage.of(request, name)
    return [question, AiMessage(tool_execution_requests=[request]), result]


def write_batches(store: ChatMemoryStore, memory_id: str, writer: int) -> None:
    """Add all batches of a writer, one after the other."""
    memory = MessageWindowChatMemory(
        id=memory_id, max_messages=LARGE_WINDOW, store=store
    )
    for number in range(BATCHES):
        memory.add(*batch(writer, number))


def check_whole(messages: Sequence[ChatMessage]) -> None:
    """Fail if there is a batch that is not in one piece."""
    assert [name for name in _names(messages) if name.startswith("torn")] == []


def check_complete(messages: Sequence[ChatMessage], writers: int = WRITERS) -> None:
    """Fail unless each batch is there once, in one piece, each writer's in order."""
    check_whole(messages)
    names = _names(messages)
    for writer in range(writers):
        own = [name for name in names if name.startswith(f"{writer}.")]
        assert own == [f"{writer}.{number}" for number in range(BATCHES)]


@cache
def _whole() -> dict[tuple[ChatMessage, ...], str]:
    return {
        tuple(batch(writer, number)): f"{writer}.{number}"
        for writer in range(WRITERS)
        for number in range(BATCHES)
    }


def _names(messages: Iterable[ChatMessage]) -> list[str]:
    """Name the batches that messages consist of: a question begins one."""
    found: list[list[ChatMessage]] = []
    for message in messages:
        if isinstance(message, UserMessage) or not found:
            found.append([])
        found[-1].append(message)
    return [_whole().get(tuple(each), f"torn: {each}") for each in found]


@contextmanager
def impatient_threads() -> Generator[None]:
    """Let threads interrupt each other far more often than they do in peace."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)


def in_threads(write: Callable[[int], None], writers: int = WRITERS) -> None:
    """Let the writers loose at the same moment, each in a thread of its own."""
    barrier = threading.Barrier(writers)

    def start(writer: int) -> None:
        barrier.wait(PATIENCE)
        write(writer)

    with impatient_threads(), ThreadPoolExecutor(writers) as pool:
        for done in [pool.submit(start, writer) for writer in range(writers)]:
            done.result()


def in_processes(
    reopened: Callable[[], ChatMemoryStore], memory_id: str, writers: int
) -> list[int | None]:
    """Let writers loose, each in a new process; return how the processes ended."""
    spawning = multiprocessing.get_context("spawn")
    barrier = spawning.Barrier(writers)
    processes = [
        spawning.Process(target=_write, args=(barrier, reopened, memory_id, writer))
        for writer in range(writers)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    return [process.exitcode for process in processes]


def _write(
    barrier: Barrier,
    reopened: Callable[[], ChatMemoryStore],
    memory_id: str,
    writer: int,
) -> None:
    store = reopened()
    barrier.wait(PATIENCE)
    write_batches(store, memory_id, writer)
