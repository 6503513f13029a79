"""Decoded states, so that an unchanged memory is not decoded again."""

import threading

from collections import OrderedDict

from chatmemory_stores._state import State


class StateCache:
    """The states that were used last, up to *limit* bytes of JSON; 0 keeps none."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self._lock = threading.Lock()
        self._states: OrderedDict[str, State] = OrderedDict()

    def get(self, memory_id: str) -> State | None:
        """Return the state that was put last, which may be outdated."""
        with self._lock:
            state = self._states.get(memory_id)
            if state is not None:
                self._states.move_to_end(memory_id)
            return state

    def put(self, memory_id: str, state: State) -> None:
        """Keep a state, and drop those that were used longest ago."""
        size = sum(state.sizes)
        with self._lock:
            self._drop(memory_id)
            if size > self._limit:
                return
            self._states[memory_id] = state
            self._size += size
            while self._size > self._limit:
                self._drop(next(iter(self._states)))

    def drop(self, memory_id: str) -> None:
        """Forget a state."""
        with self._lock:
            self._drop(memory_id)

    def _drop(self, memory_id: str) -> None:
        state = self._states.pop(memory_id, None)
        if state is not None:
            self._size -= sum(state.sizes)
