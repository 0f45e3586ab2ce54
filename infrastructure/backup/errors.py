"""Errors of backups, each with the way out.

BackupError
├── BackupExists        the new backup's place is taken
├── BackupBusy          another backup to that place is in progress
├── UnwritableBackup    the place cannot be written
├── NothingToBackUp     the database has no log
├── NewerSchema         the log was made by a newer agentlog
├── UnreadableTable     the login may not read all rows
├── NoFittingProgram    no pg_dump, pg_restore or psql is new enough for the server
├── ExposedSecret       a secret of the URL cannot be passed on hidden
├── ProgramFailed       one of them failed: the end of its output is in the message
├── InvalidBackup       the folder is no backup, or not the one that was written
└── LogInTheWay         the database to restore into holds a log already
"""

from pathlib import Path

from agentlog.domain.errors import Refused


class BackupError(Refused):
    """A backup cannot be made, or cannot be brought back."""


class BackupExists(BackupError):
    """Something stands where the backup was to go."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is there already, and no backup is overwritten: name a new place")


class BackupBusy(BackupError):
    """Another backup to the same place is under way."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"another backup to {path} is under way: wait for it, or name a new place")


class UnwritableBackup(BackupError):
    """The place of the backup cannot be written."""

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(
            f"{path} cannot be written: {error.strerror or error}; nothing was left there"
        )


class NothingToBackUp(BackupError):
    """The database has no log of agentlog's."""

    def __init__(self) -> None:
        super().__init__(
            "there is no log in this database: set AGENTLOG_DATABASE_URL or --data-dir to the one "
            "that is to be backed up"
        )


class NewerSchema(BackupError):
    """The log was made by a newer agentlog, by one before 0.25, or by one that was changed."""

    def __init__(self, number: int) -> None:
        super().__init__(
            f"the log has migration {number}, which this agentlog does not know in that form: use "
            "the agentlog that made it, or a newer one; before 0.25, bring it to that first"
        )


class UnreadableTable(BackupError):
    """The login may not read a table, or row-level security hides rows of it."""

    def __init__(self, table: str, *, user: str) -> None:
        super().__init__(
            f"{user} may not read all of agentlog.{table}: back up by the owner of the tables, the "
            "login that `agentlog migrate` runs by (AGENTLOG_DATABASE_URL)"
        )
        self.table, self.user = table, user


class NoFittingProgram(BackupError):
    """None of PostgreSQL's programs here is new enough for the server."""

    def __init__(self, name: str, *, major: int) -> None:
        super().__init__(
            f"there is no {name} of PostgreSQL {major} or newer: install PostgreSQL's client "
            f"programs of version {major} and put them on the PATH"
        )


class ExposedSecret(BackupError):
    """A secret of the database's URL would stand on a command line."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name} in the database's URL would be seen on the command line of pg_dump and psql: "
            "give a key without a passphrase for backups, or a pg_service.conf (service=NAME)"
        )


class ProgramFailed(BackupError):
    """One of PostgreSQL's programs gave up; `tail` is the end of what it said."""

    def __init__(self, name: str, *, tail: str, hint: str) -> None:
        super().__init__(f"{name} gave up, and {hint}:\n{tail}")


class InvalidBackup(BackupError):
    """The folder is no backup, or not as it was when it was written."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path} cannot be restored: {reason}")


class LogInTheWay(BackupError):
    """The database to restore into holds something of agentlog's already."""

    def __init__(self, table: str) -> None:
        super().__init__(
            f"this database holds a log already (agentlog.{table} has rows), and nothing is "
            "restored over one: give a new --data-dir, or AGENTLOG_DATABASE_URL of an empty one"
        )
