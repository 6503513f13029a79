"""The databases that the long runs take, for their small ones here."""

from pathlib import Path

import pytest

from drivers import url_in


@pytest.fixture(params=["pysqlite", "psycopg", "pymysql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Give the URL of each database in turn."""
    return url_in(tmp_path, request.param)
