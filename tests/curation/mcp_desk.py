"""The refund desk of the other tests as an MCP server, each session with a desk of its own.

`python -m tests.curation.mcp_desk` speaks over stdio; with `http` it prints its port and serves
streamable HTTP there.
"""

import os
import socket
import sys
import time
from collections import defaultdict

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent
from pydantic import JsonValue

from tests.curation.refund_desk import RefundDesk

server = MCPServer("desk", log_level="ERROR")
desks: defaultdict[str, RefundDesk] = defaultdict(RefundDesk)


def desk_of(context: Context) -> RefundDesk:
    return desks[(context.headers or {}).get("mcp-session-id", "the only one")]


def answer(context: Context, name: str, order_id: int) -> str:
    content, is_error = desk_of(context).call(name, {"order_id": order_id})
    if is_error:
        raise ToolError(content)
    return content


@server.tool()
def refund_order(order_id: int, context: Context) -> str:
    """Refund an order."""
    return answer(context, "refund_order", order_id)


@server.tool()
def cancel_order(order_id: int, context: Context) -> str:
    """Cancel an order, in one of the ways that a server can fail where no such order is."""
    if order_id == 1:
        os._exit(3)
    if order_id == 2:
        time.sleep(60)
    if order_id == 3:
        raise ToolError("503 Service Unavailable")
    return answer(context, "cancel_order", order_id)


@server.tool()
def receipt(order_id: int) -> CallToolResult:
    """A receipt in two parts."""
    return CallToolResult(
        content=[
            TextContent(type="text", text=f"Receipt of {order_id}"),
            TextContent(type="text", text="Paid"),
        ]
    )


@server.tool()
def start_episode(state: dict[str, JsonValue], context: Context) -> str:
    """Set the desk up."""
    desk_of(context).reset(state)
    return "ready"


@server.tool()
def score(context: Context) -> float:
    """How far the request is fulfilled."""
    return desk_of(context).verdict()


def serve_http() -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        print(listening.getsockname()[1], flush=True)
        config = uvicorn.Config(server.streamable_http_app(), log_level="error")
        uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    if sys.argv[1:] == ["http"]:
        serve_http()
    else:
        server.run("stdio")
