"""Finds and runs PostgreSQL's client programs.

A program can read servers up to its own version. The package of the embedded server has them; for a
newer server those on the PATH are used.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Self

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from agentlog.infrastructure.backup.errors import ExposedSecret, NoFittingProgram, ProgramFailed
from agentlog.infrastructure.embedded.account import Account
from agentlog.infrastructure.embedded.errors import MissingPrograms
from agentlog.infrastructure.embedded.programs import MAJOR_VERSION, find_programs

_TAIL_BYTES = 4000
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a database for libpq's programs, with no password on their command lines."""

    conninfo: str
    environment: Mapping[str, str]

    @classmethod
    def of(cls, url: str) -> Self:
        """Return the address of a URL, or of a string of keywords; raises `ExposedSecret`."""
        parameters: dict[str, Any] = conninfo_to_dict(url)
        environment = {name: value for name, value in os.environ.items() if name != "PGOPTIONS"}
        if "sslpassword" in parameters:
            raise ExposedSecret("sslpassword")
        if (password := parameters.pop("password", None)) is not None:
            environment["PGPASSWORD"] = str(password)
        parameters["application_name"] = "agentlog backup"
        return cls(make_conninfo(**parameters), {**environment, "LC_ALL": "C"})


@dataclass(frozen=True, slots=True)
class Programs:
    """A folder of programs, and their major version."""

    folder: Path
    major: int

    @classmethod
    def at_least(cls, major: int) -> Self:
        """Return programs of that major version or newer; raises `NoFittingProgram`."""
        if major <= int(MAJOR_VERSION):
            ours = Account(os.geteuid(), os.getegid(), "we", switch=False)
            try:
                return cls(find_programs(ours), int(MAJOR_VERSION))
            except MissingPrograms:
                pass
        program = shutil.which("pg_dump")
        if program is not None:
            version = subprocess.run(  # noqa: S603 - PostgreSQL's own
                [program, "--version"], capture_output=True, text=True, check=False
            )
            number = _NUMBER.search(version.stdout)
            if number is not None and int(number[0]) >= major:
                return cls(Path(program).parent, int(number[0]))
        raise NoFittingProgram("pg_dump", major=major)

    @contextmanager
    def running(
        self,
        name: str,
        *arguments: str | Path,
        hint: str,
        environment: Mapping[str, str] | None = None,
        fed: bool = False,
        piped: bool = False,
    ) -> Iterator["Running"]:
        """Yield a running program; it does not outlive the block.

        `fed`: its standard input is a pipe; `piped`: its standard output is.
        """
        with (
            TemporaryFile() as output,
            subprocess.Popen(  # noqa: S603 - PostgreSQL's own, with arguments of ours
                [self.folder / name, *arguments],
                bufsize=0,  # unbuffered: nothing is left to be written when a program has ended
                stdin=subprocess.PIPE if fed else subprocess.DEVNULL,
                stdout=subprocess.PIPE if piped else subprocess.DEVNULL,
                stderr=output,
                env=environment,
                start_new_session=True,  # this process handles Ctrl-C
            ) as process,
        ):
            try:
                yield Running(name, process, output, hint)
            finally:
                process.kill()


class Running:
    """A running program."""

    def __init__(
        self, name: str, process: subprocess.Popen[bytes], output: IO[bytes], hint: str
    ) -> None:
        self._name = name
        self._process = process
        self._output = output
        self._hint = hint

    def tell(self, content: bytes) -> None:
        """Write all of `content` to its standard input; raises `ProgramFailed` if it has ended."""
        if self._process.stdin is None:
            raise RuntimeError("its standard input was not asked for")
        rest = memoryview(content)
        try:
            while rest:
                rest = rest[self._process.stdin.write(rest) :]
        except BrokenPipeError as error:
            self._process.wait()
            raise self.failure() from error

    def told_all(self) -> None:
        """Close its standard input."""
        if self._process.stdin is not None:
            self._process.stdin.close()

    @property
    def stdout(self) -> IO[bytes]:
        """Its standard output."""
        if self._process.stdout is None:
            raise RuntimeError("its standard output was not asked for")
        return self._process.stdout

    def ended(self, *, seconds: float) -> bool:
        """Wait at most `seconds` for its end; return whether it has ended."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def finish(self) -> None:
        """Wait for its end; raises `ProgramFailed` if its exit status is not 0."""
        if self._process.wait() != 0:
            raise self.failure()

    def failure(self) -> ProgramFailed:
        """Return its error output as an error."""
        size = self._output.seek(0, os.SEEK_END)
        self._output.seek(max(0, size - _TAIL_BYTES))
        tail = self._output.read().decode(errors="replace").strip()
        return ProgramFailed(self._name, tail=tail, hint=self._hint)
