"""uiautomator2's server on the phone: HTTP on tcp:9008, JSON-RPC behind it.

It lives as long as the ``app_process`` shell that started it, which is how the real one behaves:
when the client closes that stream the port is gone.
"""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import parse_qs, urlsplit

from virtual_phone import u2device, u2objects
from virtual_phone.android import Phone
from virtual_phone.sh import Call
from virtual_phone.u2table import METHODS, RpcError, UnknownMethod
from virtual_phone.wire import Stream

logger = logging.getLogger(__name__)

METHOD_FILES = (u2device, u2objects)  # importing them fills the table
_MAIN_CLASS = "com.wetest.uia2.Main"
_JAR = "/data/local/tmp/u2.jar"
_ERROR_CODE = -32001


async def run_app_process(call: Call) -> int:
    """Serve until the shell that carries us is closed; anything but u2's main class fails."""
    if _MAIN_CLASS not in call.argv:
        return await call.complain(f"Error: could not find class {call.argv[-1]}")
    if call.phone.files.get(_JAR) is None:
        return await call.complain(f"Error: could not open {_JAR}")
    port = call.argv[call.argv.index("-p") + 1] if "-p" in call.argv else "9008"
    if port in call.phone.listeners:
        await call.say("java.lang.IllegalStateException: UiAutomationService already registered!")
        return 1
    call.phone.listeners[port] = partial(_serve, call.phone)
    try:
        await call.say("[server] INFO: [UiAutomator2Server] Starting Server")
        await call.read_all()
        await asyncio.Event().wait()
    finally:
        del call.phone.listeners[port]
    return 0


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


async def _serve(phone: Phone, stream: Stream) -> None:
    while True:
        try:
            request = await _read_request(stream)
        except EOFError:
            return
        status, kind, body = await _answer(phone, request)
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
        await stream.write(head.encode() + body)
        if not request.keep:
            return


async def _answer(phone: Phone, request: Request) -> tuple[str, str, bytes]:
    url = urlsplit(request.target)
    match url.path:
        case "/ping":
            return "200 OK", "text/plain", b"pong"
        case "/jsonrpc/0":
            return "200 OK", "application/json", await _rpc(phone, request.body)
        case "/screenshot/0":
            query = parse_qs(url.query)
            scale = float(query.get("scale", ["1"])[0])
            return "200 OK", "image/jpeg", await phone.jpeg(80, scale)
        case _:
            return "404 Not Found", "text/plain", b"Not Found!!!"


async def _rpc(phone: Phone, body: bytes) -> bytes:
    question = json.loads(body)
    reply: dict[str, Any] = {"jsonrpc": "2.0", "id": question.get("id")}
    params = question.get("params") or []
    arguments = list(params.values()) if isinstance(params, dict) else params
    try:
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
