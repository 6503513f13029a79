"""Long histories and many memories are measured; growth.py is the long run."""

import re

import growth


def test_each_operation_is_measured(url: str):
    """Both verbs, warm and cold, over histories and memories; how fast is not asserted."""
    found = list(growth.run(url, history=(20, 200), memories=(2, 50), rounds=3))
    expected = [
        (grown, operation, cache)
        for grown in ("history", "memories")
        for operation in ("add", "messages")
        for cache in ("warm", "cold")
    ]
    assert expected == [(one.grown, one.operation, one.cache) for one in found]
    assert all(one.little > 0 and one.much > 0 for one in found)


def test_a_line_says_what_grew_and_how_much():
    """A line has both medians in milliseconds, and their ratio."""
    line = str(growth.Growth("history", "add", "warm", little=0.002, much=0.003))
    assert ["2.000 ms", "3.000 ms", "x 1.50"] == re.findall(r"[\d.]+ ms|x [\d.]+", line)
    assert ["history", "add", "warm"] == line.split()[:3]
