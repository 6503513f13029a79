"""What replays add up to."""

from collections.abc import Iterable

import attrs


@attrs.define
class Tally:
    """
    The counts of one replay, or of several.

    Of `messages` recorded, each was evicted, kept to the end, replaced (a system message
    by another one, or what was there already), or refused: the memory raised for it.
    `withheld` are the requests that could not be made because of that, or because a call
    was open. `tokens_without_window` is what the same requests cost with all that was
    said.
    """

    conversations: int = 0
    without_user_message: int = 0
    system_messages_only: int = 0
    messages: int = 0
    requests: int = 0
    evicted: int = 0
    kept: int = 0
    replaced: int = 0
    refused: int = 0
    withheld: int = 0
    tokens_sent: int = 0
    tokens_without_window: int = 0
    largest_request_messages: int = 0
    largest_request_tokens: int = 0
    over_limit: int = 0
    invalid: int = 0

    @property
    def saved(self) -> float:
        """The share of tokens that the window saves."""
        whole = self.tokens_without_window
        return (whole - self.tokens_sent) / whole if whole else 0.0


def total(tallies: Iterable[Tally]) -> Tally:
    """Add up tallies; of the largest requests the largest is meant."""
    result = Tally()
    for tally in tallies:
        for field in attrs.fields(Tally):
            join = max if field.name.startswith("largest") else int.__add__
            joined = join(getattr(result, field.name), getattr(tally, field.name))
            setattr(result, field.name, joined)
    return result
