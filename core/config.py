"""What a deployer sets before the start, read from the environment.

What a person changes while it runs lives in the database instead: `core.settings`.
"""

from functools import cached_property
from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "[::1]")


class Config(BaseSettings):
    """The variables of CONTRACTS 1; the field's name in capitals is the variable's."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    phonedeck_data: Path = Path("data")
    phonedeck_host: str = "127.0.0.1"
    phonedeck_port: int = Field(default=8000, ge=1, le=65535)
    phonedeck_mcp_port: int = Field(default=8033, ge=1, le=65535)
    phonedeck_admin_password: str = ""
    phonedeck_allowed_hosts: str = ""
    phonedeck_proxies: int = Field(default=0, ge=0, le=9)
    phonedeck_connect: str = ""
    mcp_allow_write: bool = False
    database_url: str = ""

    @cached_property
    def data(self) -> Path:
        """The data folder, absolute."""
        return self.phonedeck_data.expanduser().resolve()

    @property
    def url(self) -> str:
        """The database's address."""
        return self.database_url or f"sqlite:///{self.data / 'phonedeck.db'}"

    @property
    def artifacts(self) -> Path:
        """Where pictures and files of runs lie."""
        return self.data / "artifacts"

    @property
    def logs(self) -> Path:
        """Where web.log and mcp.log lie."""
        return self.data / "logs"

    @property
    def mcp_base(self) -> str:
        """The MCP server's address; it listens on the loopback only."""
        return f"http://127.0.0.1:{self.phonedeck_mcp_port}"

    @property
    def mcp_url(self) -> str:
        """Where tools are called."""
        return f"{self.mcp_base}/mcp"

    @property
    def allowed_hosts(self) -> tuple[str, ...]:
        """Host names, without port, that the console and the MCP server answer to."""
        named = tuple(h.strip() for h in self.phonedeck_allowed_hosts.split(",") if h.strip())
        return named or LOOPBACK_HOSTS

    @property
    def connect_addresses(self) -> tuple[str, ...]:
        """Addresses of phones that the MCP server connects to at its start."""
        return tuple(a.strip() for a in self.phonedeck_connect.split(",") if a.strip())
