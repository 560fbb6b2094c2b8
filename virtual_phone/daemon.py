"""One phone's listening socket: each connection from an adb server becomes a link."""

from __future__ import annotations

import asyncio
import errno
from functools import partial

from virtual_phone.android import Phone
from virtual_phone.services import find_service
from virtual_phone.wire import NEVER, Link, Welcome

HOST = "127.0.0.1"
_LAST_PORT = 65535


class Daemon:
    """Serves a phone on a TCP port of this machine only."""

    def __init__(self, phone: Phone, server: asyncio.Server) -> None:
        self.phone = phone
        self._server = server
        self._links: set[Link] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._refusing: asyncio.TimerHandle | None = None
        phone.drop_links = self.drop_links
        phone.look_at_links = self.look

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Run one link until it ends."""
        task = asyncio.current_task()
        if self.phone.faults.any("offline_link", "refuse_reconnect") or task is None:
            writer.transport.abort()
            return
        open_service = partial(find_service, self.phone)
        link = Link(reader, writer, self.phone.profile.banner(), open_service, self._welcome)
        self._links.add(link)
        self._tasks.add(task)
        try:
            await link.run()
        finally:
            self._links.discard(link)
            kept = self.phone.reverses.items()
            self.phone.reverses = {name: to for name, to in kept if to[1] is not link}
            self._tasks.discard(task)

    def _welcome(self) -> Welcome:
        faults = self.phone.faults
        asks_s = faults.value("authorise_after") if faults.on("authorise_after") else None
        if faults.on("unauthorized"):
            asks_s = NEVER
        return Welcome(faults.on("offline"), asks_s, faults.on("half_open"))

    def look(self) -> None:
        """Let the links see which faults are on; refusing connections ends by itself."""
        for link in self._links:
            link.look()
        faults = self.phone.faults
        if faults.on("refuse_reconnect") and self._refusing is None:
            later = asyncio.get_running_loop().call_later
            self._refusing = later(faults.value("refuse_reconnect"), self._stop_refusing)

    def _stop_refusing(self) -> None:
        self._refusing = None
        self.phone.switch_fault("refuse_reconnect", False)

    @property
    def linked(self) -> bool:
        """Tell whether an adb server is connected."""
        return bool(self._links)

    def drop_links(self) -> None:
        """Abort every connection, as when the cable is pulled."""
        for link in list(self._links):
            link.abort()

    async def close(self) -> None:
        """Stop listening and end the links."""
        self._server.close()
        if self._refusing:
            self._refusing.cancel()
        self.phone.background.cancel()
        self.drop_links()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()


async def listen(first_port: int) -> tuple[asyncio.Server, int, list[Daemon]]:
    """Bind the first free port from ``first_port`` on; 0 lets the system choose.

    Returns:
        The server, its port, and a list whose first item, once set, takes the connections: the
        phone's serial number depends on the port, so the port comes first.

    Raises:
        OSError: no port is free.
    """
    owner: list[Daemon] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await owner[0].serve(reader, writer)

    for port in range(first_port, _LAST_PORT + 1):
        try:
            server = await asyncio.start_server(serve, HOST, port, limit=4 * 1024 * 1024)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            continue
        return server, server.sockets[0].getsockname()[1], owner
    raise OSError(errno.EADDRINUSE, f"no free port from {first_port} on")
