"""The masks of tenants, each remembered for a second."""

import time
from collections import Counter

from agentlog.domain.drafts import Masked
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.queries import fetch
from agentlog.lazy import lazy_imports

with lazy_imports():
    from agentlog.projections.exchanges import masking
    from agentlog.projections.masking import mask as masks
    from agentlog.projections.masking import rule

FRESH_SECONDS = 1.0
"""How long a mask holds that another process may have changed."""
_MOST = 10_000


class TenantMasks:
    """Looks masks up; thread-safe."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._looks: dict[str, tuple[float, masks.Mask | None]] = {}

    def is_recent(self, tenant: str) -> bool:
        """Return whether a tenant's mask is known: then `look` does not block."""
        look = self._looks.get(tenant)
        return look is not None and look[0] > time.monotonic()

    def look(self, tenant: str) -> "masks.Mask | None":
        """Return a tenant's mask, None where none is set; a rule that cannot be read masks all.

        Raises:
            DatabaseUnavailable: the database does not answer.
        """
        now = time.monotonic()
        known = self._looks.get(tenant)
        if known is not None and known[0] > now:
            return known[1]
        rows = fetch(self._database, "select_definitions", tenant=tenant, kind="rule", name="mask")
        mask = None
        if rows:
            try:
                mask = rule.parse_mask(rows[0][2])
            except rule.InvalidMask:  # a newer version may have set it
                mask = masks.Mask(is_structure_only=True)
        if len(self._looks) >= _MOST:
            self._looks.clear()
        self._looks[tenant] = now + FRESH_SECONDS, mask
        return mask

    def masked(self, tenant: str) -> Masked:
        """Return what masks a tenant's messages; raises `DatabaseUnavailable`."""
        mask = self.look(tenant)
        if mask is None:
            return None
        return lambda body: masking.masked_message(mask, body, Counter())

    def discard(self, tenant: str) -> None:
        """Read a tenant's mask again: it was changed here."""
        self._looks.pop(tenant, None)
