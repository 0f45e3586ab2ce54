"""Opens the place of a dataset by its name."""

from contextlib import AbstractContextManager
from pathlib import Path

from agentlog.extensions.dataset.places.bucket import open_bucket
from agentlog.extensions.dataset.places.folder import open_folder
from agentlog.extensions.dataset.places.place import Place


def open_place(where: str, *, tenant: str, grace_seconds: float) -> AbstractContextManager[Place]:
    """Return the folder or bucket that `where` names; it is checked when it is entered."""
    if "://" in where:
        return open_bucket(where, tenant=tenant, grace_seconds=grace_seconds)
    return open_folder(Path(where), tenant=tenant)
