"""Errors of datasets, each with the way out."""

from pathlib import Path

from agentlog.domain.errors import Refused


class ForeignDataset(Refused):
    """The folder holds something that this log cannot go on with."""

    def __init__(self, folder: Path, reason: str) -> None:
        super().__init__(f"{folder}: {reason}: export to another folder")
        self.folder = folder


class DatasetBusy(Refused):
    """Another export writes to the folder just now."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"{folder}: another export is at work there: wait until it has ended")
        self.folder = folder


class UnwritableDataset(Refused):
    """The folder cannot be written."""

    def __init__(self, folder: Path, error: OSError) -> None:
        super().__init__(
            f"{folder} cannot be written: {error.strerror or error}; what its manifest names is "
            "whole, run the export again to go on"
        )
        self.folder = folder


class ReadModelsMove(Refused):
    """Read models were replaced again and again while they were read."""

    def __init__(self) -> None:
        super().__init__("read models are being rebuilt just now: run the export again")
