"""A proxy that ends TLS in front of the app, like the one in front of a school's server."""

from __future__ import annotations

import contextlib
import http.client
import ssl
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HOP = {"connection", "keep-alive", "transfer-encoding"}  # headers of one connection


def certificate(folder: Path, openssl: str) -> ssl.SSLContext:
    """Returns a TLS context with a self-signed certificate."""
    key, signed = folder / "key.pem", folder / "certificate.pem"
    requests = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "2"]
    subprocess.run([openssl, *requests, "-keyout", key, "-out", signed], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(signed, key)
    return context


class Forward(BaseHTTPRequestHandler):
    """Forwards each request to `port` without the proxy's path prefix, and streams the answer back."""

    port = 0
    path_of_its_own = ""
    names_scheme = False  # by X-Forwarded-Proto
    names_port = True  # in Host, as a browser does; nginx's $host does not

    def forward(self) -> None:
        """Forwards one request."""
        inside = self.path.startswith(f"{self.path_of_its_own}/")
        if not inside:
            return self.send_error(404)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP}
        if self.names_scheme:
            headers["X-Forwarded-Proto"] = "https"
        if not self.names_port:
            headers["Host"] = headers["Host"].partition(":")[0]
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        inner = http.client.HTTPConnection("127.0.0.1", self.port)
        inner.request(self.command, self.path.removeprefix(self.path_of_its_own), body, headers)
        with contextlib.closing(inner), inner.getresponse() as answer, contextlib.suppress(OSError):
            self.send_response_only(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in HOP:
                    self.send_header(name, value)
            self.end_headers()
            while piece := answer.read1(1 << 16):
                self.wfile.write(piece)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = forward

    def log_message(self, format: str, *args: object) -> None:
        """Logs nothing."""


@contextlib.contextmanager
def proxied(
    tls: ssl.SSLContext, port: int, path: str = "", *, scheme: bool = False, named: bool = True
) -> Iterator[str]:
    """Yields the address, path included, of a proxy in front of the app at a port.

    Args:
        tls: of its port.
        port: of the app.
        path: that it stands at, "/former".
        scheme: whether it says that the request came by TLS.
        named: whether it passes on the port of the Host.
    """
    settings = {"port": port, "path_of_its_own": path, "names_scheme": scheme, "names_port": named}
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Proxy", (Forward,), settings))
    # The handler's own thread does the handshake, so one that hangs does not delay others.
    server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"https://127.0.0.1:{server.server_port}{path}"
    finally:
        server.shutdown()
        server.server_close()
