"""A stand-in for Hugging Face's hub, on this machine: one repository, whose weights come in two halves."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

COMMIT = "0123456789" * 4
LARGE = "model.safetensors"


class Hub(ThreadingHTTPServer):
    """Serves a folder as the repository `name`; the second half of the weights waits until `release` is set."""

    daemon_threads = True

    def __init__(self, name: str, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.repository, self.folder, self.release = name, folder, threading.Event()
        self.address = f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    """Answers what `snapshot_download` asks."""

    server: Hub  # pyright: ignore[reportIncompatibleVariableOverride]

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path, name, files = self.path.partition("?")[0], self.server.repository, sorted(self.server.folder.iterdir())
        if path.startswith(f"/api/models/{name}/tree/"):
            return self._json([entry(file) for file in files])
        if path.startswith(f"/api/models/{name}"):
            return self._json({"id": name, "sha": COMMIT, "siblings": [{"rfilename": file.name} for file in files]})
        file = self.server.folder / path.rpartition("/")[2]
        if not path.startswith(f"/{name}/resolve/") or not file.is_file():
            self.send_error(404)
            return None
        return self._file(file)

    def _json(self, value: object) -> None:
        body = json.dumps(value).encode()
        self._head(len(body), {"Content-Type": "application/json"})
        self.wfile.write(body)

    def _file(self, file: Path) -> None:
        body = file.read_bytes()
        self._head(len(body), {"ETag": f'"{digest(file)}"', "X-Repo-Commit": COMMIT})
        if self.command == "HEAD":
            return
        half = len(body) // 2 if file.name == LARGE else len(body)
        self.wfile.write(body[:half])
        if file.name == LARGE:
            self.server.release.wait()
        self.wfile.write(body[half:])

    def _head(self, length: int, headers: dict[str, str]) -> None:
        self.send_response(200)
        for name, value in {"Content-Length": str(length), **headers}.items():
            self.send_header(name, value)
        self.end_headers()


def digest(file: Path) -> str:
    return hashlib.sha1(file.read_bytes()).hexdigest()


def entry(file: Path) -> dict[str, object]:
    return {"type": "file", "path": file.name, "size": file.stat().st_size, "oid": digest(file)}


@contextmanager
def hub(name: str, folder: Path) -> Iterator[Hub]:
    """Context manager: the hub, while it runs."""
    server = Hub(name, folder)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.release.set()
        server.shutdown()
        server.server_close()
