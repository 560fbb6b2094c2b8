"""The console's way to mend phones, on the loopback beside frames and touches."""

from collections.abc import Callable
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from mcp_server.phone_api import Handler, PhoneApi, read_body

T = TypeVar("T")


class Pairing(BaseModel):
    """A phone under Wireless debugging and the code that it shows."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    address: str = Field(min_length=3, max_length=128, pattern=r"^[\w.:\[\]-]+$")
    code: str = Field(pattern=r"^\d{6}$")


class CareApi:
    """The routes under ``/phones`` that mend, pair and forget."""

    def __init__(self, door: PhoneApi) -> None:
        self.door = door
        self.rack = door.rack

    def routes(self) -> list[Route]:
        """List the routes."""
        table: list[tuple[str, str, Handler]] = [
            ("POST", "/phones/pair", self.pair),
            ("POST", "/phones/{serial}/reconnect", self.reconnect),
            ("POST", "/phones/{serial}/forget", self.forget),
            ("GET", "/phones/{serial}/doctor", self.doctor),
        ]
        return [Route(path, self.door.guarded(do), methods=[verb]) for verb, path, do in table]

    async def pair(self, request: Request) -> Response:
        """Pair with a phone by the code that it shows."""
        wanted = read_body(Pairing, await request.body())
        await self.door.run(lambda: self.rack.pair(wanted.address, wanted.code))
        return JSONResponse({"ok": True})

    async def reconnect(self, request: Request) -> Response:
        """Open the link to a phone anew."""
        return JSONResponse({"serial": await self._with(request, self.rack.reconnect)})

    async def forget(self, request: Request) -> Response:
        """Let go of a phone and of what is kept for it."""
        await self._with(request, self.rack.forget)
        return JSONResponse({"ok": True})

    async def doctor(self, request: Request) -> Response:
        """List what hampers a phone, as codes and details; the console has the words."""
        found = await self._with(request, self.rack.examine)
        items = [{"code": each.code, "details": each.details} for each in found]
        return JSONResponse({"findings": items})

    async def _with(self, request: Request, do: Callable[[str], T]) -> T:
        serial = str(request.path_params["serial"])
        return await self.door.run(lambda: do(serial))
