"""
Conversations as applications have them, and as they should not be.

They are in the notation, which is what Hypothesis prints if one fails. Ids are few, so
calls reuse them; results come late, twice, under other names, or never; users interrupt;
system messages change. No two questions are equal, and no two answers.
"""

from itertools import combinations, permutations

from hypothesis import strategies as st


CALLS = ["c1", "c2", "c3", "c1:other", ":one", ":two"]
ASKED = [
    asked
    for size in (1, 2, 3)
    for asked in combinations(CALLS, size)
    if not {"c1", "c1:other"} <= set(asked)
]
REPLIES = [f"A[{','.join(asked)}]" for asked in ASKED]
RESULTS = [f"T:{call}{text}" for call in CALLS for text in ("", "", "=again")]
STRAYS = ["S1", "S2", "S3", *["U", "A"] * 6, "C", "(c1)", "(c2)", *REPLIES, *RESULTS]
# A question, its calls and their results in any order, and an answer: any two may be
# missing.
TURNS = [
    list(turn)
    for asked, reply in zip(ASKED, REPLIES, strict=True)
    for results in permutations([f"T:{call}" for call in asked])
    for whole in [("U", reply, *results, "A")]
    for missing in range(3)
    for turn in combinations(whole, len(whole) - missing)
]


def _told_apart(parts: list[list[str]]) -> list[str]:
    words = [word for part in parts for word in part]
    return [
        f"{word}{position}" if word in ("U", "A") else word
        for position, word in enumerate(words)
    ]


def _words() -> st.SearchStrategy[list[str]]:
    strays = st.lists(st.sampled_from(STRAYS), min_size=1, max_size=3)
    return st.lists(st.sampled_from(TURNS) | strays, max_size=8).map(_told_apart)


def conversations() -> st.SearchStrategy[str]:
    """Turns with something missing, and strays between them."""
    return _words().map(" ".join)


def batches() -> st.SearchStrategy[list[str]]:
    """Conversations in batches of a few messages each."""
    return st.builds(_in_batches, _words(), st.integers(1, 5))


def _in_batches(words: list[str], size: int) -> list[str]:
    return [
        " ".join(words[start : start + size]) for start in range(0, len(words), size)
    ]
