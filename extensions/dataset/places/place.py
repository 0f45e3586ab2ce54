"""A place of a dataset: files that appear whole, named by a manifest that is replaced last.

An export asks for a file by `partial`, writes it, hands it back by `add`, and makes all that it
added part of the dataset by `publish`.
"""

from abc import ABC, abstractmethod
from typing import BinaryIO

from pydantic import ValidationError

from agentlog.extensions.dataset.errors import ForeignDataset
from agentlog.extensions.dataset.manifest import FORMAT, NAME, DatasetManifest


class Place(ABC):
    """A dataset that one export writes; `manifest` is its content, `where` its name for people."""

    def __init__(self, where: str, manifest: DatasetManifest) -> None:
        self.where = where
        self.manifest = manifest
        self.incomplete: set[str] = set()
        """Files to write again: they stay in the manifest until others replace them."""

    @abstractmethod
    def partial(self) -> BinaryIO:
        """Return a new, empty file, which readers do not see."""

    @abstractmethod
    def name(self, stem: str) -> str:
        """Return the name of a file to be added: `stem`, and what else tells it from earlier ones.

        Where a file takes the path of another, it replaces that one.
        """

    @abstractmethod
    def add(self, file: BinaryIO, path: str) -> None:
        """Take a finished file, for the next publication to name `path`."""

    @abstractmethod
    def publish(self, manifest: DatasetManifest) -> None:
        """Replace the manifest: what was added and it names is in place then, other files go."""

    @abstractmethod
    def sizes(self) -> dict[str, int]:
        """Return the path and the bytes of each file that is there, named or not."""

    @abstractmethod
    def remove_unnamed(self) -> None:
        """Remove files that no manifest names, and none will."""

    def clean(self) -> None:
        """Remove files that are not in the manifest, and find the incomplete ones that are."""
        sizes, named = self.sizes(), self.manifest.files()
        self.remove_unnamed()
        self.incomplete = {path for path, size in named.items() if sizes.get(path) != size}


def read_manifest(content: bytes, *, where: str, tenant: str) -> DatasetManifest:
    """Return the manifest of a tenant's dataset.

    Raises:
        ForeignDataset: it is another's, or none of ours.
    """
    try:
        manifest = DatasetManifest.model_validate_json(content)
    except ValidationError as error:
        raise ForeignDataset(where, f"{NAME} is not one that this agentlog writes") from error
    if manifest.format != FORMAT:
        raise ForeignDataset(where, f"{NAME} is of format {manifest.format}, not {FORMAT}")
    if manifest.tenant != tenant:
        reason = f"holds a dataset of tenant {manifest.tenant!r}, not of {tenant!r}"
        raise ForeignDataset(where, reason)
    return manifest
