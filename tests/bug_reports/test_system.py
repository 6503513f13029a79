"""Reports about the system message, each named after its id."""

import pytest

from notation import conversation, shown
from sendable import refusals
from ten_tokens import WINDOWS


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("eviction", ["turns", "sliding"])
def test_microsoft_semantic_kernel_12612(window, eviction: str):
    """Of a system message and ten others four are kept, and it is one of the four."""
    memory = window(4, eviction=eviction)
    memory.add(*conversation("S U1 A1 U2 A2 U3 A3 U4 A4 U5 A5"))
    left = {"turns": "S U5 A5", "sliding": "S A4 U5 A5"}
    assert left[eviction] == shown(memory.messages())
    assert [] == refusals(memory.messages())
