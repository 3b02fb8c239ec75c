"""Certificates of a test's own authority, made by OpenSSL's program."""

from __future__ import annotations

import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ServerCertificate:
    """A certificate for "localhost" that is its own authority, and its key."""

    certificate: Path
    key: Path

    @classmethod
    def make(cls, folder: Path) -> ServerCertificate:
        """A new one in a folder."""
        made = cls(folder / "server.crt", folder / "server.key")
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
        command += [
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=DNS:localhost",
        ]
        command += ["-keyout", str(made.key), "-out", str(made.certificate)]
        subprocess.run(command, check=True, capture_output=True)
        made.key.chmod(0o600)
        return made

    def server_context(self) -> ssl.SSLContext:
        """What a server presents it with."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return context
