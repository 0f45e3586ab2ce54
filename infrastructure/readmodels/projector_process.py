"""The process that runs projections beside a service."""

import os
import sys

from agentlog.infrastructure.runtime.supervised_process import SupervisedProcess

_RUN = (sys.executable, "-m", "agentlog", "projections", "run", "--with-parent")
"""The command that runs projections until its standard input closes."""


def projector_process(url: str) -> SupervisedProcess:
    """Return the process that runs projections; `url` is of a migrated database."""
    return SupervisedProcess(
        _RUN, name="projections", environment={**os.environ, "AGENTLOG_DATABASE_URL": url}
    )
