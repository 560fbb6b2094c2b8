"""Devices: listed, connected, looked at, touched by a person."""

from dataclasses import asdict
from typing import Any

from flask import Blueprint, Response, request

from core.devices import lease, store
from core.devices.finding import unreachable
from core.devices.lease import Claim
from core.errors import AdbDown, DeviceBusy, DeviceOffline, Invalid, NotFound, PhoneFault
from core.runs import parking
from core.steps.lines import Asked
from core.words import phrase
from web import stream
from web.api import contract
from web.console import console
from web.errors import reader_lang
from web.guard import principal
from web.schemas.base import Ok
from web.schemas.devices import (
    Connect,
    Connected,
    DeviceEdit,
    DevicePage,
    DevicePin,
    DeviceShown,
    ElementsShown,
    Examined,
    Input,
    InputDone,
    LiveSteps,
    Pair,
)
from web.step_stream import Lines, steps_stream

blueprint = Blueprint("devices", __name__, url_prefix="/api/devices")

NEEDED: dict[str, tuple[str, ...]] = {
    "tap": ("x", "y"),
    "long_press": ("x", "y"),
    "swipe": ("from", "to"),
    "key": ("key",),
    "text": ("text",),
}


@blueprint.get("")
@contract(gives=DevicePage)
def listing() -> dict[str, Any]:
    """List every device with its state and who holds it."""
    return {"items": store.listing(console().instance.db, reader_lang()), "next": None}


@blueprint.post("/connect")
@contract(Connect, Connected)
def connect(json: Connect) -> dict[str, Any]:
    """Connect a phone by its network address; it is connected again at each start."""
    return {"serial": console().phones.connect(json.address)}


@blueprint.post("/pair")
@contract(Pair, Ok)
def pair(json: Pair) -> dict[str, Any]:
    """Pair with a phone by the code it shows; it is connected by its address afterwards."""
    console().phones.pair(json.address, json.code)
    return {"ok": True}


@blueprint.put("/<serial>")
@contract(DeviceEdit, DeviceShown)
def edit(serial: str, json: DeviceEdit) -> dict[str, Any]:
    """Give a device an alias and tags."""
    store.edit(console().instance.db, serial, alias=json.alias, tags=json.tags)
    console().board.changed()
    return _shown(serial)


@blueprint.delete("/<serial>")
@contract(gives=Ok)
def forget(serial: str) -> dict[str, Any]:
    """Forget a device, what is kept for it and its address; one on a cable is met anew."""
    held = lease.holder_of(console().instance.db, _hardware(serial))
    if held is not None and held.owner != _owner():
        raise DeviceBusy(serial=serial, holder=held.label)
    console().phones.forget(serial)
    console().board.changed()
    return {"ok": True}


@blueprint.put("/<serial>/pin")
@contract(DevicePin, DeviceShown)
def keep_pin(serial: str, json: DevicePin) -> dict[str, Any]:
    """Keep the PIN of a device's lock, encrypted; it is never shown again."""
    instance = console().instance
    sealed = instance.fernet.encrypt(json.pin.encode()).decode() if json.pin else None
    store.set_pin(instance.db, serial, sealed)
    console().board.changed()
    return _shown(serial)


@blueprint.post("/<serial>/reconnect")
@contract(gives=Connected)
def reconnect(serial: str) -> dict[str, Any]:
    """Open the link to a device anew and wait until it is ready."""
    return {"serial": console().phones.reconnect(serial)}


@blueprint.get("/<serial>/doctor")
@contract(gives=Examined)
def doctor(serial: str) -> dict[str, Any]:
    """Find out what hampers a device, and say what to do about it."""
    _hardware(serial)
    try:
        found = console().phones.doctor(serial)
    except (DeviceOffline, PhoneFault, AdbDown) as error:
        # a device that cannot be asked is what the doctor is for
        found = [unreachable(error, reader_lang())]
    return {"ok": not found, "findings": [each.shown(reader_lang()) for each in found]}


@blueprint.get("/<serial>/screenshot")
def screenshot(serial: str) -> Response:
    """Return the screen now as JPEG; a capture that fails is an error, never a black picture."""
    picture = console().phones.screenshot(serial, request.args.get("max", type=int))
    return Response(picture, mimetype="image/jpeg", headers={"Cache-Control": "no-store"})


@blueprint.get("/<serial>/live")
def live(serial: str) -> Response:
    """Follow the screen as MJPEG."""
    return stream.live_stream(serial)


@blueprint.get("/<serial>/info")
def info(serial: str) -> dict[str, Any]:
    """Say which app is in front, and how fast the live picture comes."""
    return asdict(console().phones.info(serial))


@blueprint.get("/<serial>/elements")
@contract(gives=ElementsShown)
def elements(serial: str) -> dict[str, Any]:
    """List what is on the screen, each with the selectors that find it, the most lasting first."""
    return console().phones.elements(serial)


@blueprint.post("/<serial>/input")
@contract(Input, InputDone)
def touch(serial: str, json: Input) -> dict[str, Any]:
    """Pass a person's touch on; a free phone grants 30 s, one that is held refuses.

    With ``record`` the answer holds the step that does the same.
    """
    body = json.model_dump(by_alias=True, exclude_none=True)
    for name in NEEDED[json.type]:
        if name not in body:
            raise Invalid(path=name, detail=name)
    hardware = _hardware(serial)
    fence = parking.touch(console().instance.db, hardware, _claim())
    done = console().phones.input(serial, {**body, "owner": _owner(), "fence": fence})
    return {"ok": True, "step": done.get("step")}


@blueprint.post("/<serial>/steps")
@contract(LiveSteps)
def run_steps(serial: str, json: LiveSteps) -> tuple[Lines, int, dict[str, str]]:
    """Carry steps out on a phone in this person's hands; the answer is JSON, a line a piece.

    The lines are ``{"began": path}``, ``{"record": step}`` and at last ``{"verdict", "values",
    "error"}``. Closing the answer ends the steps.
    """
    hardware, claim, owner = _hardware(serial), _claim(), _owner()
    db = console().instance.db
    asked = Asked(
        steps=list(json.steps),
        inputs=json.inputs,
        first=json.first,
        autonomy="auto" if json.risky else "confirm_risky",
        pictures="none",
    )
    return steps_stream(serial, asked, owner, lambda: parking.touch(db, hardware, claim))


@blueprint.post("/<serial>/takeover")
@contract(gives=Ok)
def takeover(serial: str) -> dict[str, Any]:
    """Hold a phone for a person; a run that has it is paused until it is given back."""
    console().runner.take_over(_hardware(serial), _claim(), reader_lang())
    console().board.changed()
    return {"ok": True}


@blueprint.post("/<serial>/release")
@contract(gives=Ok)
def release(serial: str) -> dict[str, Any]:
    """Give back what this person holds of this phone; a run that was paused for it goes on."""
    console().runner.give_back(_hardware(serial), _claim())
    console().board.changed()
    return {"ok": True}


def _shown(serial: str) -> dict[str, Any]:
    """Give a device's card as the list shows it, also when it is known by another name."""
    hardware = _hardware(serial)
    items = store.listing(console().instance.db, reader_lang())
    return next(i for i in items if hardware in (i["hardware_serial"], i["serial"]))


def _claim() -> Claim:
    label = phrase("holder.human", reader_lang(), name=principal().name)
    return Claim("human", _owner(), label)


def _owner() -> str:
    return f"human:{principal().user_id}"


def _hardware(serial: str) -> str:
    found = store.known(console().instance.db, serial)
    if found is None:
        raise NotFound(kind="device", name=serial)
    return found.hardware_serial
