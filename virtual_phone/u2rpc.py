"""uiautomator2's server on the phone: HTTP on tcp:9008, JSON-RPC behind it.

It lives as long as the ``app_process`` shell that started it, which is how the real one behaves:
when the client closes that stream the port is gone.
"""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

from virtual_phone import u2device, u2objects
from virtual_phone.android import Phone
from virtual_phone.sh import Call
from virtual_phone.u2table import METHODS, RpcError, UnknownMethod
from virtual_phone.wire import Stream

logger = logging.getLogger(__name__)

METHOD_FILES = (u2device, u2objects)  # importing them fills the table
PORT = "9008"
MAIN_CLASS = "com.wetest.uia2.Main"
_JAR = "/data/local/tmp/u2.jar"
_ERROR_CODE = -32001


async def run_app_process(call: Call) -> int:
    """Serve until the shell that carries us is closed; anything but u2's main class fails."""
    if MAIN_CLASS not in call.argv:
        return await call.complain(f"Error: could not find class {call.argv[-1]}")
    if call.phone.files.get(_JAR) is None:
        return await call.complain(f"Error: could not open {_JAR}")
    port = call.argv[call.argv.index("-p") + 1] if "-p" in call.argv else PORT
    faults, listeners = call.phone.faults, call.phone.listeners
    if faults.on("u2_killed"):
        await call.say("Killed")
        return 137  # 128 + SIGKILL, as a shell reports it
    if faults.on("port_busy") and port == PORT:
        await call.say("java.net.BindException: bind failed: EADDRINUSE (Address already in use)")
        return 1
    if port in listeners or (faults.on("exclusive_uia") and running(call.phone)):
        await call.say("java.lang.IllegalStateException: UiAutomationService already registered!")
        return 1
    faults.take("u2_disconnected")
    server = Server(call.phone)
    listeners[port] = server.serve
    try:
        await call.say("[server] INFO: [UiAutomator2Server] Starting Server")
        await server.stopped.wait()
    finally:
        del listeners[port]
    return 0


def running(phone: Phone) -> bool:
    """Tell whether a server holds UiAutomation: those listen on TCP ports."""
    return any(name.isdecimal() for name in phone.listeners)


def end_servers(phone: Phone) -> bool:
    """End every server, whoever started it; False when none ran."""
    owners = [getattr(serve, "__self__", None) for serve in list(phone.listeners.values())]
    servers = [owner for owner in owners if isinstance(owner, Server)]
    for server in servers:
        server.stopped.set()
    return bool(servers)


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request."""

    method: str
    target: str
    body: bytes
    keep: bool


async def _read_request(stream: Stream) -> Request:
    head = (await stream.read_until(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, target, _ = head[0].split(" ", 2)
    headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in head[1:])}
    body = await stream.read_exactly(int(headers.get("content-length") or 0))
    return Request(method, target, body, headers.get("connection", "").lower() != "close")


class Server:
    """One running server; it ends when it is stopped, or with the shell that started it."""

    def __init__(self, phone: Phone) -> None:
        self.stopped = asyncio.Event()
        self._phone = phone

    async def serve(self, stream: Stream) -> None:
        """Answer the requests of one connection."""
        while True:
            try:
                request = await _read_request(stream)
            except EOFError:
                return
            if self._phone.faults.on("u2_killed"):
                self.stopped.set()
                return
            calls = request.target.startswith("/jsonrpc")
            drop = calls and self._phone.faults.take("drop_mid_command")
            dies = calls and self._phone.faults.take("u2_dies")
            answer = await _answer(self._phone, request)
            if drop:  # it was done, and nobody will ever hear of it
                stream.link.abort()
                return
            if dies or request.target == "/stop":
                self.stopped.set()
            if dies:
                return
            await _reply(stream, *answer)
            if not request.keep:
                return


async def serve_stranger(stream: Stream) -> None:
    """Answer as another program does that holds uiautomator2's port."""
    await _read_request(stream)
    await _reply(stream, "404 Not Found", "text/plain", b"Not Found!!!")


async def _reply(stream: Stream, status: str, kind: str, body: bytes) -> None:
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    await stream.write(head.encode() + body)


async def _answer(phone: Phone, request: Request) -> tuple[str, str, bytes]:
    url = urlsplit(request.target)
    match url.path:
        case "/ping":
            return "200 OK", "text/plain", b"pong"
        case "/stop":
            return "200 OK", "text/plain", b"Server stopped!!!"
        case "/jsonrpc/0":
            return "200 OK", "application/json", await _rpc(phone, request.body)
        case "/screenshot/0":
            query = parse_qs(url.query)
            scale = float(query.get("scale", ["1"])[0])
            return "200 OK", "image/jpeg", await phone.camera.jpeg(80, scale)
        case _:
            return "404 Not Found", "text/plain", b"Not Found!!!"


async def _rpc(phone: Phone, body: bytes) -> bytes:
    question = json.loads(body)
    reply: dict[str, Any] = {"jsonrpc": "2.0", "id": question.get("id")}
    params = question.get("params") or []
    arguments = list(params.values()) if isinstance(params, dict) else params
    try:
        if phone.faults.on("u2_disconnected"):
            raise RpcError("java.lang.IllegalStateException: UiAutomation not connected!")
        method = METHODS.get(question["method"])
        if method is None:
            raise UnknownMethod(question["method"])
        reply["result"] = await method(phone, *arguments)
    except RpcError as error:
        reply["error"] = {"code": error.code, "message": str(error), "data": error.data}
    except (TypeError, ValueError) as error:
        logger.warning("u2 %s%r: %s", question["method"], arguments, error)
        text = f"java.lang.IllegalArgumentException: {error}"
        reply["error"] = {"code": _ERROR_CODE, "message": text, "data": text}
    return json.dumps(reply, ensure_ascii=False).encode()
