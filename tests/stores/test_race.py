"""Many writers, processes and threads, on one memory; race.py is the long run."""

import pytest
import race

from servers import url_of


@pytest.fixture(params=["sqlite", "postgresql", "mysql"])
def url(request, tmp_path):
    """Give the URL of each database in turn."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'race.db'}"
    driver = {"postgresql": "psycopg", "mysql": "pymysql"}[request.param]
    return url_of(request.param, driver)


def test_nothing_is_lost_doubled_or_torn(url: str):
    """All is there once, batches are whole, and no reader sees less."""
    outcome = race.run(race.Race(url, processes=4, threads=4, batches=20))
    assert 0 == outcome.faults()
    assert outcome.read > 0
