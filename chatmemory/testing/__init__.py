"""
The tests that every store has to pass, also one of your own.

Subclass a suite in a test file, and give it a fixture `store`; pytest does the rest:

    class TestMyStore(AtomicChatMemoryStoreSuite):
        @pytest.fixture
        def store(self, tmp_path):
            return MyStore(tmp_path / "chat.db")
"""

from chatmemory.errors import MissingExtraError


try:
    import pytest

    # Before their import, so that a failed assertion shows what it compared.
    pytest.register_assert_rewrite(
        "chatmemory.testing._atomic_suite",
        "chatmemory.testing._machine",
        "chatmemory.testing._races",
        "chatmemory.testing._suite",
    )

    from chatmemory.testing._atomic_suite import AtomicChatMemoryStoreSuite
    from chatmemory.testing._suite import ChatMemoryStoreSuite
    from chatmemory.testing.blocking import Blocking
except ImportError as error:
    msg = (
        "chatmemory.testing needs pytest and Hypothesis: "
        "pip install 'chatmemory-py[testing]'"
    )
    raise MissingExtraError(msg) from error


__all__ = ["AtomicChatMemoryStoreSuite", "Blocking", "ChatMemoryStoreSuite"]
