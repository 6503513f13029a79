"""The stores that an error must leave unchanged: one of each way to reach a store."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from stores_for_tests import NO_STORE, opened


KINDS = ["three verbs", "optimistic", "sqlite in memory", "async three verbs"]


@pytest.fixture(params=[NO_STORE, *KINDS])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Any]:
    """A store of some kinds, and None."""
    with opened(request.param, tmp_path) as store:
        yield store
