"""The console's way to frames and touches, on the loopback beside the tools.

Every request shows the instance's secret, which no page in a browser can know. Work on phones
runs in threads of its own, so that many viewers never keep a tool waiting.
"""

import hmac
import logging
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal, TypeVar

import anyio
import anyio.to_thread
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from core.devices import image, lease
from core.devices.android import AndroidPhone
from core.devices.base import Picture, Point
from core.devices.frames import view
from core.devices.gate import Need
from core.devices.live import why_black
from core.devices.remote import SECRET_HEADER
from core.errors import ConsoleError, Forbidden, Invalid, ScreenTurned, TextNotTyped
from core.screen.state import ADVICE
from core.setup import Instance
from core.steps import recording
from core.steps.recording import Touch
from core.words import DEFAULT_LANG, LANGS
from mcp_server import live_stream
from mcp_server.access import Caller, Device
from mcp_server.acting import Acting, Gesture, carrying
from mcp_server.rack import Rack
from mcp_server.sight import look
from mcp_server.slot import Slot

logger = logging.getLogger(__name__)

THREADS = 64
Pixels = Annotated[tuple[int, int], Field(description="[x, y] in pixels")]
T = TypeVar("T")
Model = TypeVar("Model", bound=BaseModel)
Handler = Callable[[Request], Awaitable[Response]]


class Input(BaseModel):
    """One touch, with the lease under which it is made.

    A tap or a long press goes to a point, or to what the tools would touch: ``element``, a number
    of the owner's last `PhoneApi.observe`, or the element that carries ``text``. Points are of a
    ``screen`` of that size; when the phone was turned since, nothing is touched. ``record`` asks
    for the step that does the same.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    type: Literal["tap", "long_press", "swipe", "key", "text"]
    owner: str
    fence: int
    x: int | None = None
    y: int | None = None
    start: Pixels | None = Field(default=None, alias="from")
    end: Pixels | None = Field(default=None, alias="to")
    ms: int | None = Field(default=None, ge=1, le=5000)
    key: str | None = None
    text: str | None = Field(default=None, max_length=5000)
    element: int | None = None
    index: int | None = None
    screen: Pixels | None = None
    record: bool = False

    @property
    def is_of_element(self) -> bool:
        """Say whether an element is touched rather than a point."""
        touches = self.type in ("tap", "long_press")
        return touches and (self.element is not None or bool(self.text))

    @property
    def point(self) -> Point:
        """Give the point of a tap.

        Raises:
            Invalid: It has none.
        """
        if self.x is None or self.y is None:
            raise Invalid(path="x", detail="x and y are needed.")
        return self.x, self.y


class Address(BaseModel):
    """A phone on the network, with or without port."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    address: str = Field(min_length=1, max_length=128, pattern=r"^[\w.:\[\]-]+$")


class PhoneApi:
    """The routes under ``/phones``."""

    def __init__(self, instance: Instance, rack: Rack, acting: Acting) -> None:
        self.db = instance.db
        self.acting = acting
        self.secret = instance.loopback_secret
        self.rack = rack
        self.threads = anyio.CapacityLimiter(THREADS)

    def routes(self) -> list[Route]:
        """List the routes."""
        table: list[tuple[str, str, Handler]] = [
            ("GET", "/phones/health", self.health),
            ("GET", "/phones/{serial}/screenshot", self.screenshot),
            ("GET", "/phones/{serial}/live", self.live),
            ("GET", "/phones/{serial}/info", self.info),
            ("GET", "/phones/{serial}/apps/{package}", self.app),
            ("GET", "/phones/{serial}/observe", self.observe),
            ("POST", "/phones/{serial}/input", self.input),
            ("POST", "/phones/connect", self.connect),
        ]
        return [Route(path, self.guarded(do), methods=[method]) for method, path, do in table]

    async def health(self, request: Request) -> Response:
        """Say that the server is up."""
        return JSONResponse({"ok": True})

    async def screenshot(self, request: Request) -> Response:
        """Give a picture as JPEG, its longer side at most ``max`` pixels; never a black one."""
        longest = _number(request, "max")
        picture = await self.run(lambda: _seen(self._slot(request).phone, longest))
        return Response(picture.jpeg, media_type="image/jpeg")

    async def live(self, request: Request) -> Response:
        """Give frames for as long as the caller reads them: at most ``fps``, ``max`` pixels."""
        slot = await self.run(lambda: self._slot(request))
        lang = next((each for each in LANGS if each == request.query_params.get("lang")), None)
        wanted = view(_number(request, "fps"), _number(request, "max"), lang)
        return StreamingResponse(live_stream.parts(slot.live, wanted), media_type=live_stream.KIND)

    async def info(self, request: Request) -> Response:
        """Say what is in front, how large the screen is and how the live view does."""
        slot = await self.run(lambda: self._slot(request))
        app = await self.run(lambda: slot.phone.current_app())
        size, rotation = await self.run(lambda: slot.live.turned())
        return JSONResponse(
            {
                "package": app.package,
                "activity": app.activity,
                "fps": slot.live.fps,
                "source": slot.live.source,
                "missing": slot.live.missing,
                "width": size.width,
                "height": size.height,
                "rotation": rotation,
            }
        )

    async def app(self, request: Request) -> Response:
        """Say which version of an app is installed; empty when the phone does not tell."""
        package = str(request.path_params["package"])
        version = await self.run(lambda: self._slot(request).phone.app_version(package))
        return JSONResponse({"package": package, "version": version})

    async def observe(self, request: Request) -> Response:
        """Give the screen as a model reads it; its numbers are ``owner``'s from now on."""
        owner = request.query_params.get("owner", "")

        def read() -> dict[str, Any]:
            slot = self._slot(request)
            seen = self.acting.sight.show(Device(slot, _person(owner, 0)))
            return {"text": seen.text, "state": seen.state, "advice": ADVICE.get(seen.state, "")}

        return JSONResponse(await self.run(read))

    async def input(self, request: Request) -> Response:
        """Touch a phone, if the lease is still the caller's; ``said`` is what came of it."""
        act = read_body(Input, await request.body())
        done = await self.run(lambda: self._touch(self._slot(request), act))
        return JSONResponse({"ok": True, **done})

    async def connect(self, request: Request) -> Response:
        """Connect to a phone on the network and remember its address."""
        wanted = read_body(Address, await request.body())
        serial = await self.run(lambda: self.rack.connect(wanted.address))
        return JSONResponse({"serial": serial})

    def _slot(self, request: Request) -> Slot:
        return self.rack.slot(str(request.path_params["serial"]))

    def _touch(self, slot: Slot, act: Input) -> dict[str, Any]:
        if act.is_of_element:
            device = Device(slot, _person(act.owner, act.fence))
            return {"said": self._touch_element(device, act)}
        with slot.phone.gate.hold(Need.ACT):
            _check_screen(slot, act.screen)
            step = recording.step_of(look(slot.phone), _as_touch(act)) if act.record else None
            lease.check(self.db, slot.hardware_serial, act.owner, act.fence)
            _carry_out(slot, act)
        return {"said": "", **({"step": step} if act.record else {})}

    def _touch_element(self, device: Device, act: Input) -> str:
        phone, text = device.slot.phone, act.text
        long = act.type == "long_press"
        gesture = (
            Gesture("Pressed long", phone.long_press) if long else Gesture("Tapped", phone.tap)
        )
        if text:
            return self.acting.touch(device, carrying(text, act.index), gesture)
        return self.acting.touch(device, self.acting.numbered(device, act.element or 0), gesture)

    async def run(self, work: Callable[[], T]) -> T:
        """Do something with a phone in a thread of the phones' own."""
        return await anyio.to_thread.run_sync(work, limiter=self.threads)

    def guarded(self, handler: Handler) -> Handler:
        """Let only the console in, and answer errors in their wire form."""

        async def guarded(request: Request) -> Response:
            shown = request.headers.get(SECRET_HEADER, "")
            try:
                if not hmac.compare_digest(shown.encode(), self.secret.encode()):
                    raise Forbidden
                return await handler(request)
            except ConsoleError as error:
                logger.info("%s %s: %s", request.method, request.url.path, error)
                return JSONResponse({"error": error.wire()}, status_code=error.status)

        return guarded


def _person(owner: str, fence: int) -> Caller:
    return Caller(key=owner, who=owner, owner=owner, lang=DEFAULT_LANG, can_write=True, fence=fence)


def _seen(phone: AndroidPhone, longest: int | None) -> Picture:
    picture = phone.screenshot(longest)
    if image.is_black(picture.jpeg):
        raise why_black(phone)
    return picture


def _check_screen(slot: Slot, meant: Point | None) -> None:
    if meant is None:
        return
    now = slot.phone.size()
    if meant != (now.width, now.height):
        raise ScreenTurned(serial=slot.phone.serial)


def _as_touch(act: Input) -> Touch:
    words = act.text if act.type == "text" else act.key
    start = act.start or (act.x or 0, act.y or 0)
    return Touch(act.type, start, act.end or start, words or "")


def _carry_out(slot: Slot, act: Input) -> None:
    phone = slot.phone
    match act.type:
        case "tap":
            phone.tap(act.point)
        case "long_press":
            phone.long_press(act.point, act.ms or 800)
        case "swipe":
            if act.start is None or act.end is None:
                raise Invalid(path="from", detail="from and to are needed.")
            phone.swipe(act.start, act.end, act.ms or 300)
        case "key":
            phone.press_key(act.key or "")
        case "text":
            if not act.text:
                raise TextNotTyped(serial=phone.serial, detail="It was empty.")
            phone.type_text(act.text)


def _number(request: Request, name: str) -> int | None:
    value = request.query_params.get(name)
    if value is None:
        return None
    if not value.isdecimal() or not 0 < int(value) < 10_000:
        raise Invalid(path=name, detail=f"{name} is no number of pixels or frames.")
    return int(value)


def read_body(kind: type[Model], raw: bytes) -> Model:
    """Check a body against its model.

    Raises:
        Invalid: It does not fit; ``path`` names the place.
    """
    try:
        return kind.model_validate_json(raw)
    except ValidationError as error:
        first: Any = error.errors()[0]
        path = ".".join(str(part) for part in first["loc"])
        raise Invalid(path=path, detail=f"{path}: {first['msg']}") from error
