"""Files that make one document together, as formats join them."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from agentlog.infrastructure.transfer.files.source_file import SourceFile
from agentlog.projections.readers.joined import JoinedFiles
from agentlog.projections.readers.registry import FORMATS


def joined(files: Sequence[SourceFile]) -> Iterator[SourceFile]:
    """Yield files; of those that make a document together, the document."""
    by_path = {_path(file): file for file in files}
    left = dict(by_path)
    for known in FORMATS.values():
        documents = [] if known.join is None else list(known.join(left.keys()))
        for document in documents:
            yield _file_of(document, by_path)
            for path in (*document.files, *document.beside):
                left.pop(path, None)
    yield from left.values()


def _path(file: SourceFile) -> str:
    """Return a file's path as joins see it: its place, where an archive counts as a folder."""
    return f"{_root(file)}{file.path}"


def _root(file: SourceFile) -> str:
    return file.place[: len(file.place) - len(str(file.path))]


def _file_of(document: JoinedFiles, by_path: Mapping[str, SourceFile]) -> SourceFile:
    files = [by_path[path] for path in document.files]
    first = by_path.get(document.path, files[0])
    return SourceFile(
        place=first.place[: len(document.path)] or ".",
        path=PurePosixPath(_name(document.path, _root(first))),
        size=sum(file.size for file in files),
        content=lambda: document.read(lambda path: by_path[path].content()),
        lines=[file.place for file in files] if document.are_lines else (),
        stamp=tuple(file.stamp for file in files),
    )


def _name(path: str, root: str) -> str:
    """Return a path without the folder that was given; of that folder itself, its name."""
    return path.removeprefix(root) if path.startswith(root) else PurePosixPath(path).name
