import pytest

from notation import conversation, shown
from turns_oracle import turns


@pytest.mark.parametrize(
    ("limit", "mark", "said", "expected"),
    [
        (3, 3, "U1 A1 U2 A2", "U2 A2"),
        (4, 4, "U1 A1 U2 A2", "U1 A1 U2 A2"),
        (3, 3, "A0 U1 A1", "A0 U1 A1"),
        (3, 3, "A0 U1 A1 U2", "U1 A1 U2"),
        (4, 4, "S U1 A1 U2 A2", "S U2 A2"),
        (3, 3, "U1 A[c1] T:c1 A[c2] T:c2", "U1 A[c2] T:c2"),
        (2, 2, "U1 A[c1] T:c1", "U1 A[c1] T:c1"),
        (3, 3, "U A[c1,c2] T:c1 T:c2 A", "U A"),
        (1, 1, "S U1", "S U1"),
        (3, 3, "A1 A2 A3 A4", "A2 A3 A4"),
        (2, 2, "A1 A[c1] T:c1", "A[c1] T:c1"),
        (6, 4, "U1 A1 U2 A2 U3 A3", "U1 A1 U2 A2 U3 A3"),
        (6, 4, "U1 A1 U2 A2 U3 A3 U4", "U3 A3 U4"),
        (5, 2, "U1 A1 U2 A2 A3 A4", "U2 A2 A3 A4"),
        (4, 2, "U1 A1 A2 A3 A4", "U1 A4"),
    ],
)
def test_oracle_keeps_what_the_rules_say(limit, mark, said, expected):
    """The oracle agrees with examples that were worked out by hand."""
    kept = turns(conversation(said), cost=len, limit=limit, mark=mark)

    assert expected == shown(kept)
