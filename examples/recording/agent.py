"""An agent with one tool, written against OpenAI's chat API; it knows nothing of agentlog.

python examples/recording/agent.py "What should I wear in Lisbon?"
"""

import json
import os
import sys
from typing import Any
from urllib.request import Request, urlopen


def weather(city: str) -> str:
    """Return the temperature in a city."""
    del city  # a service would know more
    return json.dumps({"celsius": 19})


TOOLS = {"weather": weather}
WEATHER = {
    "name": "weather",
    "description": "Returns the temperature in a city, in degrees Celsius.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
}


def ask(messages: list[Any]) -> dict[str, Any]:
    """Return the model's next message."""
    tools = [{"type": "function", "function": WEATHER}]
    body = {"model": "gpt-4o-mini", "messages": messages, "tools": tools}
    key = os.environ.get("OPENAI_API_KEY", "none")
    headers = {"content-type": "application/json", "authorization": f"Bearer {key}"}
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    with urlopen(Request(url, json.dumps(body).encode(), headers)) as response:  # noqa: S310 - http
        answer = json.load(response)
    message: dict[str, Any] = answer["choices"][0]["message"]
    return message


def run(task: str) -> str:
    """Do a task: call the tool as long as the model asks for it."""
    messages: list[Any] = [{"role": "user", "content": task}]
    while True:
        message = ask(messages)
        messages.append(message)
        if not message.get("tool_calls"):
            return str(message["content"])
        for call in message["tool_calls"]:
            called = call["function"]
            result = TOOLS[called["name"]](**json.loads(called["arguments"]))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})


if __name__ == "__main__":
    sys.stdout.write(run(sys.argv[1]) + "\n")
