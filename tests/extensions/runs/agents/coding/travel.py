"""An MCP server that books journeys and notes them in a file; it is there in a moment.

Coding agents do not wait long for their servers, and MCP's SDK takes its time to start.
"""

import json
import sys
from pathlib import Path
from typing import Any

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
BOOK = {"name": "book", "description": "Books a journey.", "inputSchema": CITY}


def result_of(method: str, params: Any, noted: Path) -> Any:
    """Return what a request comes to; None where the method is not known."""
    match method:
        case "initialize":
            server = {"name": "travel", "version": "1"}
            version = params["protocolVersion"]
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server}
        case "tools/list":
            return {"tools": [BOOK]}
        case "tools/call":
            with noted.open("a") as file:
                file.write(f"{params['arguments']['city']}\n")
            number = len(noted.read_text().splitlines())
            return {"content": [{"type": "text", "text": f"booking number {number}"}]}
        case _:
            return None


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        result = result_of(request["method"], request.get("params"), Path(sys.argv[1]))
        missing = {"error": {"code": -32601, "message": "there is no such method"}}
        answer = missing if result is None else {"result": result}
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}), flush=True)  # noqa: T201
