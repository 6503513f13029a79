"""A writer killed at any point of an add; kill.py is the long run."""

import kill
import pytest

from servers import url_of


@pytest.fixture(params=["sqlite", "postgresql", "mysql"])
def url(request, tmp_path):
    """Give the URL of each database in turn."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'kill.db'}"
    driver = {"postgresql": "psycopg", "mysql": "pymysql"}[request.param]
    return url_of(request.param, driver)


def test_an_add_is_wholly_there_or_not_at_all(url: str):
    """Whenever the writer dies, nothing is torn, and the next one goes on at once."""
    outcome = kill.run(url, kills=20)
    assert 0 == outcome.torn
    assert 20 == outcome.before + outcome.after + outcome.outside
