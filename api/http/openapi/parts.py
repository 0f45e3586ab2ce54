"""The pieces that shapes of the OpenAPI document are put together from."""

from typing import Any

Schema = dict[str, Any]

NULLABLE_STRING: Schema = {"type": ["string", "null"]}
INTEGER: Schema = {"type": "integer"}
STRING: Schema = {"type": "string"}
ANY: Schema = {}


def reference(name: str) -> Schema:
    """Return what refers to a schema of the document."""
    return {"$ref": f"#/components/schemas/{name}"}


def object_of(**properties: Schema) -> Schema:
    """Return an object that has all of these properties."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def list_of(item: Schema) -> Schema:
    """Return an array."""
    return {"type": "array", "items": item}


def page_of(name: str) -> Schema:
    """Return a page of a list: items that the document has under a name, and the next cursor."""
    return object_of(items=list_of(reference(name)), next=NULLABLE_STRING)
