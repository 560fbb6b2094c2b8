"""The console's way to see what is on a screen and how each thing there can be named."""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from core.screen.elements import Element
from core.screen.screen import Screen
from core.steps.ranking import ranks
from mcp_server.phone_api import PhoneApi
from mcp_server.sight import look


class ElementsApi:
    """The route under ``/phones`` that lists elements with their selectors."""

    def __init__(self, door: PhoneApi) -> None:
        self.door = door
        self.rack = door.rack

    def routes(self) -> list[Route]:
        """List the route."""
        return [Route("/phones/{serial}/elements", self.door.guarded(self.elements))]

    async def elements(self, request: Request) -> Response:
        """List what is on the screen, each with its bounds and the selectors that find it."""
        serial = str(request.path_params["serial"])
        return JSONResponse(await self.door.run(lambda: _told(look(self.rack.slot(serial).phone))))


def _told(screen: Screen) -> dict[str, Any]:
    return {
        "package": screen.app.package,
        "activity": screen.app.activity,
        "state": screen.state,
        "width": screen.size.width,
        "height": screen.size.height,
        "elements": [_one(screen, element) for element in screen.elements],
    }


def _one(screen: Screen, element: Element) -> dict[str, Any]:
    box = element.bounds
    return {
        "number": element.number,
        "kind": element.kind,
        "label": element.label,
        "bounds": [box.left, box.top, box.right, box.bottom],
        "clickable": element.clickable,
        "covered": element.covered,
        "selectors": [rank.shown() for rank in ranks(screen, element)],
    }
