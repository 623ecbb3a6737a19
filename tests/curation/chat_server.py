"""A small OpenAI-compatible server, over real HTTP."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Answer = Callable[[dict[str, Any]], object]


@dataclass
class ChatServer:
    """Where it is, and what it was asked."""

    url: str
    asked: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)


def saying(text: str | None) -> dict[str, Any]:
    """A whole answer of the server, whose model says this."""
    message = {"role": "assistant", "content": text}
    return {
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }


@contextmanager
def chat_server(answer: Answer) -> Iterator[ChatServer]:
    """A server whose answers are a function of what it is asked; an int is a status of HTTP."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            known.asked.append(asked)
            known.paths.append(self.path)
            known.keys.append(self.headers["Authorization"])
            found = answer(asked)
            if isinstance(found, int):
                self.send_error(found)
                return
            body = found.encode() if isinstance(found, str) else json.dumps(found).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing on the terminal."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        known = ChatServer(f"http://127.0.0.1:{server.server_port}/v1")
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield known
        finally:
            server.shutdown()
