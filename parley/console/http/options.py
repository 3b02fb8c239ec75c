"""Where the console listens, and who may come in."""

from __future__ import annotations

from dataclasses import dataclass, field

from parley.core.model.errors import ConfigError
from parley.core.network import is_loopback

MIN_TOKEN = 12


@dataclass(frozen=True, slots=True)
class HttpTimeouts:
    """Seconds for the headers of a request, and for each piece of its body, however long it is."""

    headers: float = 15.0
    body: float = 30.0


@dataclass(frozen=True, slots=True)
class ConsoleOptions:
    """`port` 0 takes any free port. Reports named in `needed` must be up for `/readyz` to say so.

    A `generated` token nobody can guess; it may come in the address of the page. `names` are those, in
    lower case, under which others reach the server; none: see `console.auth.access_control`.
    """

    host: str = "127.0.0.1"
    port: int = 8321
    token: str = ""
    needed: tuple[str, ...] = ("store",)
    generated: bool = False
    names: tuple[str, ...] = ()
    timeouts: HttpTimeouts = field(default_factory=HttpTimeouts)

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach the host."""
        return is_loopback(self.host)

    def check(self) -> None:
        """Raise ConfigError for want of a token, or for one that others could guess."""
        if self.loopback and self.token:
            return
        if not self.token and self.loopback:
            raise ConfigError("console.token: is needed; being on this machine lets nobody in")
        if not self.token:
            raise ConfigError(
                f"console.host: {self.host} can be reached by others, so a token is needed; set "
                "console.token (say, to $PARLEY_TOKEN), or write 127.0.0.1 here"
            )
        if len(self.token) < MIN_TOKEN:
            raise ConfigError(
                f"console.token: shorter than {MIN_TOKEN} characters, which can be guessed; "
                "write a longer one, such as the output of: openssl rand -hex 24"
            )


def host_name(host: str) -> str:
    """Return the name in a Host header, without its port; "" where it is not a name and a port."""
    if host.startswith("["):
        name, closed, port = host.partition("]")
        name += closed
    else:
        name, colon, port = host.partition(":")
        port = colon + port
    return name if not port or (port[0] == ":" and port[1:].isdecimal()) else ""
