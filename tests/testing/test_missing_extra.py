"""Without what tests need, the suite says what to install."""

import sys

from importlib import import_module

import pytest

from chatmemory import MissingExtraError


@pytest.mark.parametrize("missing", ["pytest", "hypothesis"])
def test_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, missing: str):
    """An import without pytest or Hypothesis names the extra that brings both."""
    for name in [*sys.modules]:
        if name.startswith("chatmemory.testing"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingExtraError) as caught:
        import_module("chatmemory.testing")
    expected = (
        "chatmemory.testing needs pytest and Hypothesis: "
        "pip install 'chatmemory-py[testing]'"
    )
    assert expected == str(caught.value)
