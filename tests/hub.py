"""A stand-in for Hugging Face's hub, on this machine: repositories whose weights come in two halves, and uploads."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

COMMIT = "0123456789" * 4
LARGE = "model.safetensors"


class Hub(ThreadingHTTPServer):
    """Serves folders as repositories, by name; the second half of the weights waits until `release` is set.

    Accepts any token and any upload, and records what was posted, by path.
    """

    daemon_threads = True

    def __init__(self, repositories: Mapping[str, Path]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.repositories, self.release = repositories, threading.Event()
        self.posted: dict[str, bytes] = {}
        self.address = f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    """Answers what `snapshot_download` and `upload_folder` ask."""

    server: Hub  # pyright: ignore[reportIncompatibleVariableOverride]

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/api/whoami-v2":
            return self._json({"type": "user", "name": "user", "auth": {"accessToken": {"role": "write"}}})
        if path.startswith("/api/spaces/"):
            return self._json([] if "/tree/" in path else {"id": "user/name", "sha": COMMIT, "siblings": []})
        for name, folder in self.server.repositories.items():
            files = sorted(folder.iterdir())
            if path.startswith(f"/api/models/{name}/tree/"):
                return self._json([entry(file) for file in files])
            if path.startswith(f"/api/models/{name}"):
                return self._json({"id": name, "sha": COMMIT, "siblings": [{"rfilename": file.name} for file in files]})
            if path.startswith(f"/{name}/resolve/") and (file := folder / path.rpartition("/")[2]).is_file():
                return self._file(file)
        return self.send_error(404)

    def do_POST(self) -> None:
        path, body = self.path.partition("?")[0], self.rfile.read(int(self.headers["Content-Length"] or 0))
        self.server.posted[path] = self.server.posted.get(path, b"") + body
        address = f"{self.server.address}/spaces/user/name"
        answer = {"url": address, "errors": [], "warnings": [], "commitUrl": address, "commitOid": COMMIT}
        if "/preupload/" in path:  # large files are left out
            answer["files"] = [
                {"path": file["path"], "uploadMode": "regular", "shouldIgnore": file["size"] > 100_000}
                for file in json.loads(body)["files"]
            ]
        self._json({} if path.endswith("/variables") else answer)

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
def hub(repositories: Mapping[str, Path]) -> Iterator[Hub]:
    """Context manager: the hub, while it runs."""
    server = Hub(repositories)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.release.set()
        server.shutdown()
        server.server_close()
