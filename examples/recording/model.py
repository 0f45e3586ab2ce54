"""A model that is a script: answers as OpenAI's chat API, without a key or a network.

python examples/recording/model.py 9999
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WEATHER = "It is 19 degrees in Lisbon: take a light jacket."


class Model(BaseHTTPRequestHandler):
    """Calls the first tool once, then answers."""

    def do_POST(self) -> None:
        """Answer a request."""
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        message = {"role": "assistant", "content": WEATHER}
        if request["messages"][-1]["role"] == "user":
            call = {"name": "weather", "arguments": '{"city": "Lisbon"}'}
            message = {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "call_1", "type": "function", "function": call}],
            }
        reason = "tool_calls" if "tool_calls" in message else "stop"
        answer = {
            "id": f"chatcmpl-{len(request['messages'])}",
            "object": "chat.completion",
            "created": 1767600000,
            "model": request["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": {"prompt_tokens": 60, "completion_tokens": 12, "total_tokens": 72},
        }
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - its name there
        """Say nothing of each request."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Model).serve_forever()
