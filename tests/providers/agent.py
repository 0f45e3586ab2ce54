"""An agent that calls tools until its model is done, in the words of any API."""

import json
import os
import ssl
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import httpx2

from agentlog.projections.exchanges.requests import Api
from agentlog.projections.exchanges.streams import answer_of, events_in

PATHS: Mapping[Api, str] = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "messages": "/v1/messages",
    "gemini": "/v1beta/models/model-1:generateContent",
}
_SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}}
RAN = os.environ.get("AGENT_RAN", "ran")
"""The beginning of each result."""
Item = dict[str, Any]


def path_of(api: Api, *, stream: bool) -> str:
    """Return the path of an API's requests; Gemini's for streams is another."""
    path = PATHS[api]
    if stream and api == "gemini":
        return path.replace(":generate", ":streamGenerate") + "?alt=sse"
    return path


NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For clients of loopback: to load certificates takes longer than what they do."""


class Agent:
    """Asks at `url`; `items` are its conversation as its API has it, sent whole each time."""

    def __init__(
        self, url: str, api: Api, *, stream: bool = False, headers: Mapping[str, str] | None = None
    ) -> None:
        self.api, self.stream = api, stream
        self.items: list[Item] = []
        self.path = path_of(api, stream=stream)
        self._url = url + self.path
        self._headers = {"authorization": "Bearer sk-secret-0123456789", **(headers or {})}

    def say(self, text: str) -> None:
        """Add what a user says."""
        said: Item = {"parts": [{"text": text}]} if self.api == "gemini" else {"content": text}
        self.items.append({"role": "user", **said})

    def run(self, task: str) -> str:
        """Do a task, and return the last answer's text."""
        self.say(task)
        while True:
            text, calls = self._ask()
            if not calls:
                return text
            for call_id, arguments in calls:
                self._add_result(call_id, f"{RAN} {arguments}")

    def body(self) -> Item:
        """Return the next request."""
        tool: Item = {"name": "shell", "description": "Runs a command. " * 40}
        body: Item = {"model": "model-1", "stream": self.stream}
        if self.api == "chat":
            tool = {"type": "function", "function": {**tool, "parameters": _SCHEMA}}
            system = {"role": "system", "content": "Be careful."}
            return {
                **body,
                "messages": [system, *self.items],
                "tools": [tool],
                "user": "u-identity",
            }
        if self.api == "gemini":
            declared = [{**tool, "parameters": _SCHEMA}]
            own = {"systemInstruction": {"parts": [{"text": "Be careful."}]}}
            return {**own, "contents": self.items, "tools": [{"functionDeclarations": declared}]}
        if self.api == "responses":
            tool = {"type": "function", **tool, "parameters": _SCHEMA}
            own = {"instructions": "Be careful.", "client_metadata": {"id": "u-identity"}}
            return {**body, "input": self.items, "tools": [tool], **own}
        own = {"system": "Be careful.", "max_tokens": 99, "metadata": {"user_id": "u-identity"}}
        return {**body, **own, "messages": self.items, "tools": [{**tool, "input_schema": _SCHEMA}]}

    def _ask(self) -> tuple[str, Sequence[tuple[str, str]]]:
        response = httpx2.post(
            self._url, json=self.body(), headers=self._headers, timeout=60, verify=NO_TLS
        )
        response.raise_for_status()
        answer: Any = response.json() if not self.stream else None
        if answer is None:
            answer = answer_of(events_in(response.content), self.api)
        if self.api == "chat":
            message = answer["choices"][0]["message"]
            self.items.append(message)
            made = message.get("tool_calls") or ()
            return message["content"] or "", [
                (call["id"], call["function"]["arguments"]) for call in made
            ]
        if self.api == "gemini":
            content = answer["candidates"][0]["content"]
            self.items.append(content)
            called = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
            said = "".join(part.get("text", "") for part in content["parts"])
            return said, [(call["name"], json.dumps(call["args"])) for call in called]
        parts = answer["output" if self.api == "responses" else "content"]
        texts = [block for part in parts for block in part.get("content", ())] or parts
        if self.api == "responses":
            self.items += parts
            made = [part for part in parts if part["type"] == "function_call"]
            calls = [(part["call_id"], part["arguments"]) for part in made]
        else:
            self.items.append({"role": "assistant", "content": parts})
            made = [part for part in parts if part["type"] == "tool_use"]
            calls = [(part["id"], json.dumps(part["input"])) for part in made]
        return "".join(block.get("text", "") for block in texts), calls

    def _add_result(self, call_id: str, output: str) -> None:
        if self.api == "chat":
            self.items.append({"role": "tool", "tool_call_id": call_id, "content": output})
        elif self.api == "responses":
            self.items.append(
                {"type": "function_call_output", "call_id": call_id, "output": output}
            )
        elif self.api == "gemini":
            response = {"name": call_id, "response": {"output": output}}
            self.items.append({"role": "user", "parts": [{"functionResponse": response}]})
        else:
            block = {"type": "tool_result", "tool_use_id": call_id, "content": output}
            self.items.append({"role": "user", "content": [block]})


if __name__ == "__main__":  # agent.py URL API TASK [--stream]
    URL, API, TASK, *STREAM = sys.argv[1:]
    sys.stdout.write(Agent(URL.removesuffix("/v1"), API, stream=bool(STREAM)).run(TASK))
