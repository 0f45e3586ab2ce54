"""Limits on concurrent queries of analysts, of each tenant and in all."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from agentlog.infrastructure.analysts.errors import QueriesExhausted, TooManyQueries


class Slots:
    """Slots for the queries of all tenants: `most_in_all`, and `most` for each.

    A tenant may take another slot while more are free than it holds: the more tenants are active,
    the fewer each gets, and a busy one leaves some to others. These are the dynamic thresholds of
    Choudhury and Hahne (IEEE/ACM Transactions on Networking 6, 1998).
    """

    def __init__(self, *, most: int = 4, most_in_all: int = 16) -> None:
        self._most, self._most_in_all = most, most_in_all
        self._taken: Counter[str] = Counter()
        self._taking = threading.Lock()

    @contextmanager
    def taken(self, tenant: str) -> Iterator[None]:
        """Hold a slot for a tenant during the block.

        Raises:
            TooManyQueries: it has as many as it may.
            QueriesExhausted: it has none, and none is free.
        """
        with self._taking:
            free = self._most_in_all - self._taken.total()
            if self._taken[tenant] >= min(self._most, free):
                raise TooManyQueries if self._taken[tenant] else QueriesExhausted
            self._taken[tenant] += 1
        try:
            yield
        finally:
            with self._taking:
                self._taken[tenant] -= 1
                self._taken += Counter()  # drops tenants without slots
