"""Prints agentlog_client/models.py for the OpenAPI document on standard input.

agentlog openapi | python client/generate_models.py
"""

import json
import re
import sys
from collections.abc import Mapping
from keyword import iskeyword
from typing import Any

from pydantic.alias_generators import to_camel

Schema = Mapping[str, Any]

_HEAD = '''"""What the service answers and takes; made by client/generate_models.py, not by hand."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from agentlog_client.shape import Shape
'''
_TYPES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    "object": "dict[str, Any]",
}


def main() -> None:
    """Print the module."""
    schemas: Mapping[str, Schema] = json.load(sys.stdin)["components"]["schemas"]
    models = {name: schema for name, schema in schemas.items() if schema.get("properties")}
    classes = (_class(name, models[name], models) for name in _ordered(models))
    sys.stdout.write("\n\n".join([_HEAD, *classes]))


def _ordered(models: Mapping[str, Schema]) -> list[str]:
    """Return the names, each after those that it refers to."""
    ordered: list[str] = []

    def add(name: str) -> None:
        for other in re.findall(r'"#/components/schemas/(\w+)"', json.dumps(models[name])):
            if other in models and other not in ordered and other != name:
                add(other)
        if name not in ordered:
            ordered.append(name)

    for name in models:
        add(name)
    return ordered


def _class(name: str, schema: Schema, models: Mapping[str, Schema]) -> str:
    """Return the source of a class."""
    lines = [f"class {_class_name(name)}(Shape):", *_docstring(schema)]
    required = schema.get("required", ())
    for field, of_field in schema["properties"].items():
        lines.append(f"    {_field(field, of_field, models, required=field in required)}")
    return "\n".join(lines)


def _docstring(schema: Schema) -> list[str]:
    text = schema.get("description", schema["title"])
    first, *others = (text if text.endswith(".") else f"{text}.").split("\n")
    closing = ["", '    """', ""] if others else ['"""', ""]
    raw = "r" if "\\" in text else ""
    lines = [f'    {raw}"""{first}', *(f"    {line}".rstrip() for line in others)]
    return [*lines[:-1], lines[-1] + closing[0], *closing[1:]]


def _field(name: str, schema: Schema, models: Mapping[str, Schema], *, required: bool) -> str:
    python = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    python = f"{python}_" if iskeyword(python) else python
    kind = _type(schema, models)
    if not required and "None" not in kind.split(" | ") and kind != "Any":
        kind += " | None"
    default = ""
    if "const" in schema:
        default = repr(schema["const"])
    elif not required:
        default = "None"
    if to_camel(python) != name:
        default = f"Field({f'default={default}, ' if default else ''}alias={name!r})"
    return f"{python}: {kind}{f' = {default}' if default else ''}"


def _type(schema: Schema, models: Mapping[str, Schema]) -> str:
    match schema:
        case {"$ref": str(reference)}:
            name = reference.rpartition("/")[2]
            return _class_name(name) if name in models else "Any"
        case {"anyOf": list(kinds)}:
            return " | ".join(dict.fromkeys(_type(kind, models) for kind in kinds))
        case {"enum": list(values)}:
            return f"Literal[{', '.join(map(repr, values))}]"
        case {"const": value}:
            return f"Literal[{value!r}]"
        case {"type": "array", "items": dict(items)}:
            return f"list[{_type(items, models)}]"
        case {"type": "object", "additionalProperties": dict(values)}:
            return f"dict[str, {_type(values, models)}]"
        case {"type": "string", "format": "date-time"}:
            return "datetime"
        case {"type": str(kind)}:
            return _TYPES.get(kind, "list[Any]")
        case _:
            return "Any"


def _class_name(name: str) -> str:
    return name.replace("_", "")


if __name__ == "__main__":
    main()
