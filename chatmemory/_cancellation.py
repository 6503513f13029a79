"""What can't be stopped halfway, and so is waited for."""

from collections.abc import Coroutine
from typing import TypeVar


T = TypeVar("T")


async def finished(step: Coroutine[object, object, T]) -> T:
    """
    Await a step to its end, however often the caller is cancelled meanwhile.

    The cancellation is raised afterwards; then the result, or the error, is dropped.
    """
    import asyncio  # noqa: PLC0415 - importing chatmemory must not load it

    running = asyncio.ensure_future(step)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        while not running.done():
            try:
                await asyncio.wait([running])
            except asyncio.CancelledError:
                continue
        if not running.cancelled():
            running.exception()  # seen: the cancellation is what the caller gets
        raise
