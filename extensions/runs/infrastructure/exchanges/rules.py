"""The rules for masking by which a gateway writes its files."""

from agentlog.infrastructure.appending.masks import TenantMasks
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable

_STRUCTURE = 'mode = "structure"'


class Rules:
    """The rules of the tenants that have come in; each holds while the database does not answer.

    Where one was never read, files keep structure alone.
    """

    def __init__(self, masks: TenantMasks) -> None:
        self._masks = masks
        self._rules: dict[str, str | None] = {}

    def rule(self, tenant: str) -> str | None:
        """Return a tenant's rule, None without one; blocks at the first call alone."""
        if tenant not in self._rules:
            try:
                self._read(tenant)
            except DatabaseUnavailable:
                return _STRUCTURE
        return self._rules[tenant]

    def refresh(self) -> None:
        """Read the rules of all tenants again."""
        for tenant in [*self._rules]:
            try:
                self._read(tenant)
            except DatabaseUnavailable:
                return

    def _read(self, tenant: str) -> None:
        mask = self._masks.look(tenant)
        self._rules[tenant] = None if mask is None else mask.source or _STRUCTURE
