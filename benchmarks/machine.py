"""Where it ran, for whoever compares."""

import os
import platform
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.databases import connected

_CPU_INFO = Path("/proc/cpuinfo")


def describe(server: str) -> dict[str, str]:
    """Return the facts that figures depend on."""
    with connected(server) as connection:
        settings = {
            name: connection.execute("SELECT current_setting(%s)", (name,)).fetchone()
            for name in ("server_version", "fsync", "synchronous_commit", "full_page_writes")
        }
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "cores": str(os.cpu_count()),
        "processor": _processor(),
        "load": " ".join(f"{load:.1f}" for load in os.getloadavg()) + " (1, 5, 15 minutes)",
        "Python": platform.python_version(),
        **{name: "?" if row is None else str(row[0]) for name, row in settings.items()},
    }


def _processor() -> str:
    if _CPU_INFO.exists():
        for line in _CPU_INFO.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()
