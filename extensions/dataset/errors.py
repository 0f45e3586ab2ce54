"""Errors of datasets, each with the way out."""

from pathlib import Path

from agentlog.domain.errors import Refused


class InvalidPlace(Refused):
    """What was named is neither a folder nor a bucket."""

    def __init__(self) -> None:  # without the place: it may have a password in it
        super().__init__(
            "name a folder, or s3://BUCKET/PREFIX: endpoint and credentials of a bucket come from "
            "the environment, as AWS_ENDPOINT_URL and AWS_ACCESS_KEY_ID"
        )


class ForeignDataset(Refused):
    """The place holds something that this log cannot go on with."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"{where}: {reason}: export to another place")
        self.where = where


class DatasetBusy(Refused):
    """Another export writes to the folder just now."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"{folder}: another export is at work there: wait until it has ended")
        self.folder = folder


class DatasetOvertaken(Refused):
    """Another export wrote to the bucket meanwhile; this one could not publish the rest."""

    def __init__(self, where: str) -> None:
        super().__init__(
            f"{where}: another export has written there meanwhile, and its dataset is whole: run "
            "this one again to go on from there"
        )
        self.where = where


class UnwritableDataset(Refused):
    """The place cannot be written."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(
            f"{where} cannot be written: {reason}; what its manifest names is whole, run the "
            "export again to go on"
        )
        self.where = where


class ReadModelsMove(Refused):
    """Read models were replaced or at different positions, whenever they were to be read."""

    def __init__(self) -> None:
        super().__init__(
            "read models are being rebuilt, or far from each other, just now: run the export again"
        )
