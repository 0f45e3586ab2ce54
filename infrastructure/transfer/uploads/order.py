"""What is to be imported, and how, as JSON says it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import get_args

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.facts import Policy
from agentlog.domain.json.values import JsonObject
from agentlog.infrastructure.transfer.documents import Documents, InvalidPath, Plan
from agentlog.infrastructure.transfer.uploads.errors import InvalidPathName
from agentlog.projections.readers.masking import KNOWN_SECRETS
from agentlog.projections.readers.registry import choose_format

FIELDS = (
    "paths",
    "format",
    "records",
    "messages",
    "threadId",
    "goal",
    "metadata",
    "policy",
    "strict",
    "mask",
    "growing",
)
_MOST_PATHS, _LONGEST = 1000, 3000
_LONGEST_NAME = 255
"""Bytes of a name in a folder, as file systems have them."""


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
    """Return the order in a JSON object of `FIELDS`; raises `InvalidInput` with the place."""
    policies: tuple[Policy, ...] = get_args(Policy)
    policy = _text(fields, "policy")
    chosen = next((choice for choice in policies if choice == policy), None)
    if policy is not None and chosen is None:
        raise InvalidMessage.at("policy", f"use one of {', '.join(policies)}")
    wire = _text(fields, "format")
    plan = Plan(
        format=None if wire in {None, "auto"} else choose_format(str(wire)),
        records=_path(fields, "records"),
        messages=_path(fields, "messages"),
        thread_id=_text(fields, "threadId"),
        goal=_text(fields, "goal"),
        metadata=_templates(fields),
        policy=chosen,
        strict=_flag(fields, "strict"),
        masks=KNOWN_SECRETS if _flag(fields, "mask") else (),
    )
    Documents(plan)  # raises `InvalidPath` where one does not parse
    return Order(_paths(fields), plan, _flag(fields, "growing"))


def _paths(fields: JsonObject) -> list[str]:
    given = fields.get("paths")
    if not isinstance(given, list) or not 0 < len(given) <= _MOST_PATHS:
        raise InvalidMessage.at("paths", f"send an array of 1 to {_MOST_PATHS} files and folders")
    paths = [path for path in given if isinstance(path, str)]
    for number, path in enumerate(given):
        if not isinstance(path, str) or not path or len(path) > _LONGEST or "\0" in path:
            raise InvalidMessage.at(f"paths[{number}]", "not the name of a file or folder")
        name = PurePosixPath(path).name
        if not path.endswith("/") and (name == ".." or len(name.encode()) > _LONGEST_NAME):
            raise InvalidMessage.at(f"paths[{number}]", "not the name of a file")
    if len(set(paths)) < len(paths):
        raise InvalidMessage.at("paths", "a path occurs twice")
    return paths


def _text(fields: JsonObject, name: str) -> str | None:
    value = fields.get(name)
    if value is not None and not (isinstance(value, str) and len(value) <= _LONGEST):
        raise InvalidMessage.at(name, f"not a text of at most {_LONGEST} characters")
    return value


def _flag(fields: JsonObject, name: str) -> bool:
    value = fields.get(name, False)
    if not isinstance(value, bool):
        raise InvalidMessage.at(name, "not true or false")
    return value


def _path(fields: JsonObject, name: str) -> str | None:
    """Return a JSONPath whose time is bounded by the record's size.

    Filters may hold regular expressions that take for ever, and nested descents multiply.
    """
    text = _text(fields, name)
    if text is not None and ("?" in text or text.count("..") > 1):
        raise InvalidPath(f"{name}: over HTTP a path has no filter, and `..` once at most: {text}")
    return text


def _templates(fields: JsonObject) -> dict[str, str]:
    given = fields.get("metadata")
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise InvalidMessage.at("metadata", "not an object of templates")
    return {key: _text(given, key) or "" for key in given}
