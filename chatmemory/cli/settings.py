"""The window of a replay, as it was asked for, and the memories that it makes."""

import re

from typing import Literal, TypeAlias, cast

import attrs

from chatmemory.cli.command_error import CommandError
from chatmemory.memory import ChatMemory, MessageWindowChatMemory, TokenWindowChatMemory
from chatmemory.store import ChatMemoryStore
from chatmemory.tokens import TokenCountEstimator
from chatmemory.windows import Eviction, Overflow


Measure: TypeAlias = Literal["messages", "tokens"]

OPENAI_MODEL = re.compile(r"(.*/)?(ft:)?((chat)?gpt-|codex-|o\d).*", re.IGNORECASE)


@attrs.frozen
class Settings:
    """
    A window of at most *limit* messages or tokens, and where its memories are.

    Tokens are those of *model*, which a window of messages needs for the report alone.
    """

    measure: Measure
    limit: int
    model: str = "gpt-4o"
    eviction: Eviction = "turns"
    evict_to: int | None = None
    overflow: Overflow | None = None
    store: str = "memory"

    def memory(
        self, memory_id: str, store: ChatMemoryStore, estimator: TokenCountEstimator
    ) -> ChatMemory:
        """Make a memory; raises `InvalidOptionError` for what no memory takes."""
        if self.measure == "messages":
            return MessageWindowChatMemory(
                max_messages=self.limit,
                id=memory_id,
                store=store,
                eviction=self.eviction,
                evict_to=self.evict_to,
                overflow=self.overflow,
            )
        return TokenWindowChatMemory(
            max_tokens=self.limit,
            estimator=estimator,
            id=memory_id,
            store=store,
            eviction=self.eviction,
            evict_to=self.evict_to,
            overflow=self.overflow,
        )


def limit_of(max_messages: int | None, max_tokens: int | None) -> tuple[Measure, int]:
    """Return what a window is measured in, and its limit: one of the two."""
    if max_messages is not None and max_tokens is None:
        return "messages", max_messages
    if max_tokens is not None and max_messages is None:
        return "tokens", max_tokens
    msg = "a window has one limit: give either --max-messages N or --max-tokens N"
    raise CommandError(msg)


def check_model(model: str) -> None:
    """
    Raise `CommandError` for a model that is none of OpenAI's.

    The estimator counts such a one as gpt-4o. Here that has to be asked for.
    """
    if not OPENAI_MODEL.fullmatch(model):
        msg = (
            f"--model {model!r} is not known as one of OpenAI's, whose tokens can be "
            "counted: use gpt-4o to compare windows"
        )
        raise CommandError(msg)


def overflow_of(eviction: str, overflow: str | None) -> Overflow | None:
    """Return what a memory gets: "keep" by default, but nothing beside "sliding"."""
    if overflow is None and eviction != "sliding":
        return "keep"
    return cast("Overflow | None", overflow)  # checked by the memory
