"""Building blocks of OpenAPI schemas."""

from typing import Any

Schema = dict[str, Any]

NULLABLE_STRING: Schema = {"type": ["string", "null"]}
INTEGER: Schema = {"type": "integer"}
STRING: Schema = {"type": "string"}
ANY: Schema = {}


def reference(name: str) -> Schema:
    """Return a reference to a schema of the document."""
    return {"$ref": f"#/components/schemas/{name}"}


def object_of(**properties: Schema) -> Schema:
    """Return the schema of an object with these properties, all required."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def list_of(item: Schema) -> Schema:
    """Return the schema of an array."""
    return {"type": "array", "items": item}


def page_of(name: str) -> Schema:
    """Return the schema of a page: items by the name of their schema, and the next cursor."""
    return object_of(items=list_of(reference(name)), next=NULLABLE_STRING)
