"""Make sure that a port is free before a program is started on it."""

import socket
import time


def require_free(host: str, port: int, variable: str, patience_s: float) -> None:
    """Wait until a program could listen on ``host`` and ``port``.

    Args:
        host: An address or name of this machine.
        port: 1 to 65535.
        variable: The environment variable that chooses the port, for the message.
        patience_s: How long to wait for a predecessor to let go of it.

    Raises:
        SystemExit: it is taken, or cannot be had.
    """
    limit = time.monotonic() + patience_s
    while not _can_bind(host, port, variable):
        if time.monotonic() >= limit:
            raise SystemExit(
                f"port {port} is taken: end what listens there, or set {variable} to another"
            )
        time.sleep(0.1)


def _can_bind(host: str, port: int, variable: str) -> bool:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror as error:
        raise SystemExit(f"PHONEDECK_HOST is {host!r}, which is no address: {error}") from None
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except PermissionError:
            raise SystemExit(f"port {port} needs more rights: set {variable} above 1023") from None
        except OSError:
            return False
    return True
