"""A server of tools in bare JSON-RPC, which starts in a moment and fails as it is asked to.

Its tools: `echo` gives its arguments back; `last` answers after the ones that came behind it;
`die` ends the server; `noise` writes a line that is no JSON first; `wait` never answers.
"""

import json
import sys
from typing import Any


def answer(identity: Any, result: Any) -> None:
    """Write an answer."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": identity, "result": result}) + "\n")
    sys.stdout.flush()


def main() -> int:
    """Answer until the input ends; return the exit code."""
    held: list[Any] = []
    for line in sys.stdin:
        message = json.loads(line)
        for request in message if isinstance(message, list) else [message]:
            if "id" not in request or "method" not in request:
                continue
            name = request.get("params", {}).get("name", request["method"])
            if name == "die":
                return 7
            if name == "wait":
                continue
            if name == "noise":
                sys.stdout.write("\x00 starting…\n\n")
            if name == "last":
                held.append(request)
                continue
            answer(request["id"], {"asked": request.get("params")})
            for late in held:
                answer(late["id"], {"asked": late["params"]})
            held = []
    return 0


if __name__ == "__main__":
    sys.exit(main())
