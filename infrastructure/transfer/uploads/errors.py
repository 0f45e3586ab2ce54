"""Errors of files that are sent to be imported.

InvalidPathName
OffsetMismatch
PieceMismatch
FileTooLarge
ImportsTooLarge
TooManyFiles
TooManyImports
ImportBusy
SpoolUnwritable
TooManyFindings   ends a run
RunStopped        ends a run
"""

from agentlog.domain.errors import AgentlogError, InvalidInput, Refused


class InvalidPathName(InvalidInput):
    """The path of a file is none that an import can keep."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path[:200]!r}: {reason}")


class OffsetMismatch(Refused):
    """A piece does not begin where the file ends."""

    def __init__(self, path: str, *, given: int, size: int) -> None:
        super().__init__(
            f"{path}: the piece begins at byte {given}, and the service has {size}: send what "
            "follows these, or the whole file by PUT"
        )
        self.given, self.size = given, size


class PieceMismatch(InvalidInput):
    """A piece is not the one that its digest says."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path}: the piece has another SHA-256 than its Content-Digest: it was cut short or "
            "changed on its way; nothing of it is kept"
        )


class FileTooLarge(InvalidInput, kind="too large"):
    """The file is larger than the service imports."""

    def __init__(self, path: str, limit: int) -> None:
        super().__init__(
            f"{path} is larger than {limit} bytes: split it, or raise "
            "AGENTLOG_MAX_IMPORT_FILE_BYTES"
        )


class ImportsTooLarge(InvalidInput, kind="too large"):
    """The files of all imports under way are larger than a tenant's share."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"the files of this tenant's imports take more than {limit} bytes: DELETE imports that "
            "are done, wait until a day after their last use, or raise AGENTLOG_MAX_IMPORT_BYTES"
        )


class TooManyFiles(InvalidInput, kind="too large"):
    """The import has as many files as one may."""

    def __init__(self, most: int) -> None:
        super().__init__(f"more than the {most} files that one import may have: begin another")


class TooManyImports(AgentlogError, kind="too many"):
    """The tenant has as many imports under way as it may."""

    def __init__(self, most: int) -> None:
        super().__init__(
            f"{most} imports are under way: DELETE those that are done, or wait until a day after "
            "their last use"
        )


class ImportBusy(Refused, transient=True):
    """The import runs, or a piece of the file is on its way: ask again a little later."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}: ask again a little later")


class SpoolUnwritable(AgentlogError, kind="unavailable"):
    """The service cannot keep files to import."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"files to import cannot be kept: {reason}; see AGENTLOG_IMPORT_DIR of the service"
        )


class TooManyFindings(InvalidInput):
    """An import has more findings than are kept: its format is another."""

    def __init__(self, most: int) -> None:
        super().__init__(f"more than {most} findings: what was counted is written, the rest is not")


class RunStopped(AgentlogError, kind="unavailable"):
    """The service ends."""

    def __init__(self) -> None:
        super().__init__("the service ends: run the import again to go on")
