"""Files that options name."""

from pathlib import Path

from agentlog.api.cli.session import InvalidOption


def content_of(file: Path, option: str) -> bytes:
    """Return the UTF-8 text in the file of an option."""
    try:
        content = file.read_bytes()
        content.decode()
    except OSError as error:
        raise InvalidOption(f"{option} {file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidOption(f"{option} {file}: not UTF-8") from error
    return content
