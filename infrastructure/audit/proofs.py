"""Auditor, checkpoints and evidence of one tenant's log."""

from dataclasses import dataclass
from typing import Self

from agentlog.infrastructure.audit.auditor import Auditor
from agentlog.infrastructure.audit.checkpoints import Checkpoints
from agentlog.infrastructure.audit.evidence import Evidence
from agentlog.infrastructure.audit.signing import SigningKey
from agentlog.infrastructure.postgres.database import Connections


@dataclass(frozen=True, slots=True)
class Proofs:
    """The objects that check a log, sign it, and write its evidence."""

    auditor: Auditor
    checkpoints: Checkpoints
    evidence: Evidence

    @classmethod
    def over(cls, database: Connections, *, tenant: str, key: SigningKey) -> Self:
        """Return the proofs of a tenant's log, signed by `key`."""
        checkpoints = Checkpoints(database, tenant=tenant, key=key)
        return cls(
            Auditor(database, tenant=tenant),
            checkpoints,
            Evidence(database, checkpoints, tenant=tenant),
        )
