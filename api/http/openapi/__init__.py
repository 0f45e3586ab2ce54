"""The OpenAPI document: schemas of bodies and responses."""
