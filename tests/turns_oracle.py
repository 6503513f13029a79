"""
What "turns" keeps, by brute force: all that may stay, longest first; the first that fits.

Written from the rules and not from the library's code, for conversations that need no
repair: the results of a call directly follow it.
"""

from chatmemory.messages import (
    SystemMessage,
    ToolExecutionResultMessage,
    UserMessage,
)


def turns(messages, *, cost, limit, mark):
    """Return what stays of messages; *cost* is that of a request."""
    units = list(_units(messages))
    users = [
        n for n, [p, *_] in enumerate(units) if isinstance(messages[p], UserMessage)
    ]
    live = users[-1] if users else -1
    before_live = units[: max(live, 0)]
    exchanges_evicted = [units[:n] for n in [0, *users]]
    units_evicted = [
        before_live + units[live + 1 : n]
        for n in range(live + 1, max(len(units), live + 2))
    ]

    def first_that_fits(evicted, bound):
        kept = [_without(messages, gone) for gone in evicted]
        return next((rest for rest in kept if cost(rest) <= bound), kept[-1])

    if cost(messages) <= limit:
        return messages
    kept = first_that_fits(exchanges_evicted, mark)
    return kept if cost(kept) <= limit else first_that_fits(units_evicted, mark)


def _units(messages):
    unit = []
    for position, message in enumerate(messages):
        if isinstance(message, SystemMessage):
            continue
        if unit and not isinstance(message, ToolExecutionResultMessage):
            yield unit
            unit = []
        unit.append(position)
    if unit:
        yield unit


def _without(messages, units):
    gone = {position for unit in units for position in unit}
    return [m for position, m in enumerate(messages) if position not in gone]
