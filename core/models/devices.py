"""The phones that were seen, who holds them, and where they are reached."""

from typing import Any

from sqlalchemy import String, Text
from sqlalchemy.orm import Mapped, mapped_column

from core.models.base import Base, Moment


class Device(Base):
    """A device as adb names it, with what was last seen of it.

    ``serialno`` and ``mark`` are what the phone says of itself, `core.devices.identity` makes
    ``hardware_serial`` of them. ``pin`` is encrypted with the instance key.
    """

    __tablename__ = "devices"

    serial: Mapped[str] = mapped_column(String(128), primary_key=True)
    hardware_serial: Mapped[str] = mapped_column(String(128), index=True)
    alias: Mapped[str] = mapped_column(String(64), default="")
    tags: Mapped[list[Any]] = mapped_column(default=list)
    model: Mapped[str] = mapped_column(String(128), default="")
    android: Mapped[str] = mapped_column(String(32), default="")
    state: Mapped[str] = mapped_column(String(16), default="offline")
    reason: Mapped[str | None] = mapped_column(Text)
    since: Mapped[Moment]
    battery: Mapped[int | None]
    width: Mapped[int] = mapped_column(default=0)
    height: Mapped[int] = mapped_column(default=0)
    serialno: Mapped[str] = mapped_column(String(128), default="")
    mark: Mapped[str] = mapped_column(String(128), default="")
    storage_mb: Mapped[int | None]
    pin: Mapped[str | None] = mapped_column(Text)


class Address(Base):
    """A network address that the operator connected; it is connected again at each start."""

    __tablename__ = "addresses"

    address: Mapped[str] = mapped_column(String(128), primary_key=True)
    created: Mapped[Moment]


class Lease(Base):
    """Who holds a device; the row stays when nobody does, so that the fence only grows."""

    __tablename__ = "leases"

    hardware_serial: Mapped[str] = mapped_column(String(128), primary_key=True)
    holder: Mapped[str | None] = mapped_column(String(16))
    owner: Mapped[str | None] = mapped_column(String(64))
    label: Mapped[str] = mapped_column(String(256), default="")
    fence: Mapped[int] = mapped_column(default=0)
    since: Mapped[Moment]
    until: Mapped[Moment]
