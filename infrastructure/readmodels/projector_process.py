"""The process that runs projections beside a service."""

import os
import sys
from pathlib import Path

from agentlog.infrastructure.runtime.supervised_process import SupervisedProcess

_RUN = (sys.executable, "-m", "agentlog", "projections", "run", "--with-parent")
"""The command that runs projections until its standard input closes."""


def projector_process(url: str, data_dir: Path) -> SupervisedProcess:
    """Return the process that runs projections; `url` is of a migrated database.

    `data_dir` is the service's, where options name another than the environment.
    """
    settings = {"AGENTLOG_DATABASE_URL": url, "AGENTLOG_DATA_DIR": str(data_dir)}
    return SupervisedProcess(_RUN, name="projections", environment={**os.environ, **settings})
