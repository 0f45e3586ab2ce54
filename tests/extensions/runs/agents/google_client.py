"""Does a small task with Google's client library, as a program its streams."""

from typing import Any

from google import genai
from google.genai import types

from tests.extensions.runs.agents.task import MODEL, PARAMETERS, bash

BASH: Any = {"name": "bash", "description": "Run a command.", "parameters_json_schema": PARAMETERS}


def gemini(task: str, *, stream: bool) -> str:
    """Contents by Google's client, with thoughts, whose signatures go back."""
    config = types.GenerateContentConfig(
        system_instruction="Be careful.",
        thinking_config=types.ThinkingConfig(include_thoughts=True),
        tools=[types.Tool(function_declarations=[types.FunctionDeclaration(**BASH)])],
    )
    contents: list[Any] = [types.UserContent(task)]
    with genai.Client() as client:
        asked: Any = {"model": MODEL, "contents": contents, "config": config}
        while True:
            if stream:
                answers = list(client.models.generate_content_stream(**asked))
            else:
                answers = [client.models.generate_content(**asked)]
            parts = [part for answer in answers for part in answer.parts or ()]
            contents.append(types.ModelContent(parts))
            calls = [part.function_call for part in parts if part.function_call is not None]
            if not calls:
                return "".join(part.text or "" for part in parts if not part.thought)
            results = [
                types.Part.from_function_response(name=call.name, response={"result": output})
                for call in calls
                for output in [bash(**call.args)]
            ]
            contents.append(types.UserContent(results))


if __name__ == "__main__":
    print(gemini("Run two commands.", stream=True))  # noqa: T201 - a program
