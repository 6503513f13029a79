"""Memories on every kind of store, and how many examples Hypothesis runs."""

import asyncio
import os
import sys

from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from hypothesis import settings

from chatmemory import MessageWindowChatMemory, TokenWindowChatMemory
from stores_for_tests import NO_STORE, STORES, on, opened


pytest.register_assert_rewrite("batches")

# Examples take as long as the machine is busy: a deadline would only be flaky.
settings.register_profile("fast", deadline=None, max_examples=50)
settings.register_profile("ci", deadline=None, max_examples=100, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=20_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))


@pytest.fixture(params=STORES)
def shared_store(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Any]:
    """A store of each kind, for several memories."""
    with opened(request.param, tmp_path) as store:
        yield store


@pytest.fixture(params=[NO_STORE, *STORES])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Any]:
    """A store of each kind, and None."""
    with opened(request.param, tmp_path) as store:
        yield store


@pytest.fixture
def runner() -> Generator[asyncio.Runner]:
    """An event loop for what is async in a test that is not."""
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture
def window(store: Any, runner: asyncio.Runner) -> Callable[..., Any]:
    """Make message windows on the store; all have sync verbs and the same id."""

    def make(max_messages: Any, **options: Any) -> Any:
        options["max_messages"] = max_messages
        return on(store, runner, MessageWindowChatMemory, **options)

    return make


@pytest.fixture
def token_window(store: Any, runner: asyncio.Runner) -> Callable[..., Any]:
    """Make token windows on the store; all have sync verbs and the same id."""

    def make(max_tokens: Any, **options: Any) -> Any:
        options["max_tokens"] = max_tokens
        return on(store, runner, TokenWindowChatMemory, **options)

    return make


@pytest.fixture
def impatient_threads() -> Generator[None]:
    """Let threads interrupt each other after each step, not after 5 milliseconds."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)
