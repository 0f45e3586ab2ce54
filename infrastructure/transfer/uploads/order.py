"""What is to be imported, and how, as JSON says it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field

from agentlog.domain.catalogue import validate
from agentlog.domain.facts import Policy
from agentlog.domain.fields import Model
from agentlog.domain.json.values import JsonObject
from agentlog.infrastructure.transfer.documents import Documents, Plan
from agentlog.infrastructure.transfer.uploads.errors import InvalidPathName
from agentlog.lazy import lazy_imports
from agentlog.projections.masking.mask import KNOWN_SECRETS
from agentlog.projections.readers.registry import choose_format

with lazy_imports():
    from agentlog.infrastructure.transfer import record_path

_LONGEST = 3000
"""Characters of a text."""
_LONGEST_NAME = 255
"""Bytes of a name in a folder, as file systems have them."""


def _file_name(path: str) -> str:
    name = PurePosixPath(path).name
    is_file_name = path.endswith("/") or (name != ".." and len(name.encode()) <= _LONGEST_NAME)
    if "\0" in path or not is_file_name:
        raise ValueError("not the name of a file or folder")
    return path


def _distinct(paths: list[str]) -> list[str]:
    if len(set(paths)) < len(paths):
        raise ValueError("a path occurs twice")
    return paths


_Text = Annotated[str, Field(max_length=_LONGEST)]
_Path = Annotated[str, Field(min_length=1, max_length=_LONGEST), AfterValidator(_file_name)]


class ImportBody(Model):
    """What is to be imported, and how."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"paths": ["runs/"], "metadata": {"reward": "{reward?}"}}]}
    )

    paths: Annotated[
        list[_Path],
        AfterValidator(_distinct),
        Field(
            min_length=1,
            max_length=1000,
            description="Files and folders as you name them; a folder ends in `/`.",
        ),
    ]
    format: Annotated[_Text | None, Field(description="Found out by default.")] = None
    records: Annotated[_Text | None, Field(description="JSONPath to the records.")] = None
    messages: Annotated[_Text | None, Field(description="JSONPath to a record's messages.")] = None
    thread_id: Annotated[_Text | None, Field(description="Template, as `run-{record}`.")] = None
    goal: Annotated[_Text | None, Field(description="Template.")] = None
    metadata: Annotated[dict[str, _Text | None] | None, Field(description="Templates.")] = None
    policy: Policy | None = None
    strict: bool = False
    mask: Annotated[bool, Field(description="Mask secrets of known shapes.")] = False
    growing: Annotated[
        bool,
        Field(
            description="The files grow: each run appends what is new, and leaves a last line "
            "without its end."
        ),
    ] = False


@dataclass(frozen=True, slots=True)
class Order:
    """What an import is of, and its plan.

    `paths` are files and folders as the caller names them; a folder ends in `/`. `is_growing`: a
    last line without its end is left for the next run, and of a file that has grown only the rest
    is appended.
    """

    paths: Sequence[str]
    plan: Plan
    is_growing: bool

    def place_of(self, path: str) -> PurePosixPath:
        """Return where a file is kept: the number of its path, and for a folder its path in it.

        Raises:
            InvalidPathName: it is not in `paths`, or would lead out of its folder.
        """
        if path in self.paths and not path.endswith("/"):
            return PurePosixPath(str(self.paths.index(path)), PurePosixPath(path).name or "-")
        folders = [name for name in self.paths if name.endswith("/") and path.startswith(name)]
        if not folders:
            raise InvalidPathName(path, "it is none of the import's paths, and in no folder of it")
        folder = max(folders, key=len)
        parts = path.removeprefix(folder).split("/")
        if any(part in {"", ".", ".."} for part in parts):
            raise InvalidPathName(path, "a part of it is empty, or leads out of its folder")
        if len(path.encode()) > _LONGEST or any(
            len(part.encode()) > _LONGEST_NAME for part in parts
        ):
            raise InvalidPathName(path, "it is longer than file systems keep")
        if "\0" in path:
            raise InvalidPathName(path, "it has a NUL")
        return PurePosixPath(str(self.paths.index(folder)), *parts)


def order_in(fields: JsonObject) -> Order:
    """Return the order in a JSON object; raises `InvalidInput` with the place."""
    body = validate(ImportBody, fields)
    templates = (body.metadata or {}).items()
    plan = Plan(
        format=None if body.format in {None, "auto"} else choose_format(str(body.format)),
        records=_bounded("records", body.records),
        messages=_bounded("messages", body.messages),
        thread_id=body.thread_id,
        goal=body.goal,
        metadata={key: template or "" for key, template in templates},
        policy=body.policy,
        strict=body.strict,
        masks=KNOWN_SECRETS if body.mask else (),
    )
    Documents(plan)  # raises `InvalidPath` where one does not parse
    return Order(body.paths, plan, body.growing)


def _bounded(name: str, path: str | None) -> str | None:
    """Return a JSONPath whose time is bounded by the record's size.

    Filters may hold regular expressions that take for ever, and nested descents multiply.
    """
    if path is not None and ("?" in path or path.count("..") > 1):
        raise record_path.InvalidPath(
            f"{name}: over HTTP a path has no filter, and `..` once at most: {path}"
        )
    return path
