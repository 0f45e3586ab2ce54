"""The model and the tool of the small task that client libraries do."""

MODEL = "model-1"
PARAMETERS = {
    "type": "object",
    "properties": {"command": {"type": "string"}},
    "required": ["command"],
}
FUNCTION = {"name": "bash", "description": "Run a command.", "parameters": PARAMETERS}


def bash(command: str) -> str:
    """Run a command."""
    return f"ran {command}"
