"""A writer killed at any point of an add; kill.py is the long run."""

import kill
import pytest


def test_an_add_is_wholly_there_or_not_at_all(url: str):
    """Whenever the writer dies, nothing is torn, and the next one goes on at once."""
    outcome = kill.run(url, kills=20)
    assert 0 == outcome.torn
    assert 20 == outcome.before + outcome.after + outcome.outside


@pytest.mark.parametrize(
    ("before", "after", "outside", "torn", "expected"),
    [
        (5, 5, 10, 0, True),
        (5, 5, 10, 1, False),
        (10, 0, 0, 0, False),
        (0, 10, 0, 0, False),
        (5, 4, 10, 0, False),
    ],
)
def test_a_run_says_whether_it_proves_anything(before, after, outside, torn, expected):
    """Half of the kills hit an add, both outcomes are seen, and nothing is torn."""
    outcome = kill.Outcome(before, after, outside, torn, slowest=0.1)
    assert expected == outcome.is_proof()
