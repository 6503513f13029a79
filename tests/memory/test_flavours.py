"""Sync and async verbs of one memory, and which of them a store allows."""

import asyncio

import pytest

from chatmemory import (
    AsyncNotSupportedError,
    InMemoryChatMemoryStore,
    MessageWindowChatMemory,
    OrphanToolResultError,
    SyncNotSupportedError,
    TokenWindowChatMemory,
    WindowOverflowError,
)
from notation import conversation, message, shown
from stores_for_tests import AsyncThreeVerbStore, ThreeVerbStore


@pytest.mark.parametrize(
    "options", [{}, {"id": "user", "store": InMemoryChatMemoryStore()}]
)
def test_both_flavours_of_one_memory(runner, options):
    """Where the store has both, what one flavour adds the other shows."""
    memory = MessageWindowChatMemory(max_messages=3, **options)
    memory.add(*conversation("S U1"))
    runner.run(memory.aadd(*conversation("A1")))
    assert "S U1 A1" == shown(memory.messages())
    assert memory.messages() == runner.run(memory.amessages())
    runner.run(memory.aset(*conversation("U2")))
    memory.add(*conversation("A2"))
    assert "U2 A2" == shown(runner.run(memory.amessages()))
    runner.run(memory.aclear())
    assert [] == memory.messages()


SYNC_VERBS = [("add", "aadd"), ("set", "aset"), ("messages", "amessages")]


@pytest.mark.parametrize(("verb", "other"), [*SYNC_VERBS, ("clear", "aclear")])
def test_sync_verbs_on_an_async_store(verb: str, other: str):
    """The error names the verb to await instead."""
    memory = MessageWindowChatMemory(
        id="user", max_messages=3, store=AsyncThreeVerbStore()
    )
    arguments = conversation("U") if verb in ("add", "set") else []
    with pytest.raises(SyncNotSupportedError) as caught:
        getattr(memory, verb)(*arguments)
    expected = (
        f"AsyncThreeVerbStore has no sync verbs: use `await memory.{other}(...)` "
        f"instead of {verb}"
    )
    assert expected == str(caught.value)


@pytest.mark.parametrize(("verb", "other"), [*SYNC_VERBS, ("clear", "aclear")])
def test_async_verbs_on_a_sync_store(runner, verb: str, other: str):
    """Nothing is silently moved to a thread: the error says what to use instead."""
    memory = MessageWindowChatMemory(id="user", max_messages=3, store=ThreeVerbStore())
    arguments = conversation("U") if verb in ("add", "set") else []
    with pytest.raises(AsyncNotSupportedError) as caught:
        runner.run(getattr(memory, other)(*arguments))
    expected = (
        f"ThreeVerbStore has no async verbs: use `memory.{verb}(...)` instead of "
        f"{other}, or give the memory an OffloadingStore of it"
    )
    assert expected == str(caught.value)


def test_the_flavour_is_checked_first(runner):
    """Also a call that would do nothing shows that the flavour is the wrong one."""
    memory = MessageWindowChatMemory(
        id="user", max_messages=3, store=AsyncThreeVerbStore()
    )
    with pytest.raises(SyncNotSupportedError):
        memory.add()
    memory = MessageWindowChatMemory(id="user", max_messages=3, store=ThreeVerbStore())
    with pytest.raises(AsyncNotSupportedError):
        runner.run(memory.aadd())


def test_async_verbs_refuse_the_same(runner):
    """An error of an async verb is that of its twin, and changes nothing either."""
    memory = TokenWindowChatMemory(max_tokens=20, estimator=len)
    runner.run(memory.aadd(*conversation("U1")))
    with pytest.raises(OrphanToolResultError):
        runner.run(memory.aadd(*conversation("A1 T:c1")))
    with pytest.raises(WindowOverflowError):
        runner.run(memory.aset(message("U" * 20)))
    assert "U1" == shown(runner.run(memory.amessages()))


def test_a_cancelled_add_on_a_plain_async_store():
    """A memory whose step was cancelled goes on with what the store has."""

    async def cancelled_step():
        memory = MessageWindowChatMemory(
            id="user", max_messages=9, store=AsyncThreeVerbStore()
        )
        await memory.aadd(*conversation("U1 A1"))
        step = asyncio.create_task(memory.aadd(*conversation("U2")))
        await asyncio.sleep(0)
        step.cancel()
        with pytest.raises(asyncio.CancelledError):
            await step
        await memory.aadd(*conversation("U3"))
        return await memory.amessages()

    assert "U1 A1 U3" == shown(asyncio.run(cancelled_step()))
