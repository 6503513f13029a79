"""Many writers, processes and threads, on one memory; race.py is the long run."""

import race


def test_nothing_is_lost_doubled_or_torn(url: str):
    """All is there once, batches are whole, and no reader sees less."""
    outcome = race.run(race.Race(url, processes=4, threads=4, batches=20))
    assert 0 == outcome.faults()
    assert outcome.read > 0
