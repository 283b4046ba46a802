"""Starts what docker-compose.yml starts, by hand: Redis, replicas of the app, and nginx in front of them.

    python deploy/local.py [--replicas 2] [--port 8080] [--path /former] [--tls CERTIFICATE KEY]

redis-server and nginx must be installed (Debian: apt install redis-server nginx). Ctrl+C stops everything.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
import socket
import string
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
LIMIT = 180  # seconds until the app answers
NGINX = """
{user}
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/former.conf;
}}
"""


class Tls(NamedTuple):
    """The files of a certificate."""

    certificate: Path
    key: Path


@dataclass
class Running:
    """The servers that were started."""

    origin: str  # where nginx serves the page
    ports: list[int]  # of the replicas
    replicas: list[Any]  # their processes
    log: Path  # of the replicas


def find(program: str) -> str | None:
    """Returns the path of a server's program, which a user's PATH may leave out; None without it."""
    return shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin")


def free_port() -> int:
    """Returns a port that nothing listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def start_app(port: int, log: Path, **settings: str) -> subprocess.Popen[bytes]:
    """Starts a replica on a port, with further environment variables."""
    with log.open("ab") as out:
        return subprocess.Popen(
            [sys.executable, "app.py"],
            cwd=HERE.parent,
            env={**os.environ, "GRADIO_SERVER_NAME": "127.0.0.1", "GRADIO_SERVER_PORT": str(port), **settings},
            stdout=out,
            stderr=subprocess.STDOUT,
        )


def wait_for(port: int, process: Any) -> None:
    """Waits until a process listens on a port.

    Raises:
        RuntimeError: it ended, or did not within `LIMIT` seconds.
    """
    end = time.monotonic() + LIMIT
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    raise RuntimeError(f"nothing came up on port {port}")


def configure(folder: Path, ports: list[int], port: int, path: str, tls: Tls | None, proto: str = "$scheme") -> Path:
    """Writes nginx's configuration from the template of the containers; returns its file. `proto` is what nginx says in
    X-Forwarded-Proto; '""' leaves it out."""
    (folder / "tls").mkdir(exist_ok=True)
    if tls:
        certificate = f'ssl_certificate "{tls.certificate}";\nssl_certificate_key "{tls.key}";\n'
        (folder / "tls" / "tls.conf").write_text(certificate)
    settings = {
        "FORMER_REPLICAS": " ".join(f"server 127.0.0.1:{each} max_fails=1 fail_timeout=5s;" for each in ports),
        "FORMER_LISTEN": f"127.0.0.1:{port}{' ssl' if tls else ''}",
        "FORMER_PATH": path,
        "FORMER_PROTO": proto,
        "FORMER_TLS": str(folder / "tls"),
    }
    template = string.Template((HERE / "former.conf.template").read_text())
    (folder / "former.conf").write_text(template.safe_substitute(settings))
    file = folder / "nginx.conf"
    user = "user root;" if os.geteuid() == 0 else ""  # else its workers could not enter the folder
    file.write_text(NGINX.format(folder=folder, user=user))
    return file


@contextlib.contextmanager
def started(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """Runs a server inside the `with` block."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def running(
    folder: Path,
    replicas: int = 2,
    port: int = 0,
    path: str = "",
    tls: Tls | None = None,
    start: Callable[..., Any] = start_app,
) -> Iterator[Running]:
    """Runs everything inside the `with` block.

    Args:
        folder: for sockets, logs and configuration; of a short path.
        replicas: how many processes of the app.
        port: of nginx; 0 for a free one.
        path: that the page stands at, such as "/former".
        tls: the certificate; without it, plain HTTP.
        start: starts a replica, as `start_app`.
    """
    redis_server, nginx_program = find("redis-server"), find("nginx")
    if redis_server is None or nginx_program is None:
        raise RuntimeError("redis-server and nginx must be installed (Debian: apt install redis-server nginx)")
    port, ports = port or free_port(), [free_port() for _ in range(replicas)]
    memory = f"{folder}/redis.sock"
    redis = [redis_server, "--port", "0", "--unixsocket", memory, "--save", "", "--appendonly", "no"]
    settings = {"FORMER_REDIS": f"unix://{memory}"} | ({"GRADIO_ROOT_PATH": path} if path else {})
    file, log = configure(folder, ports, port, path, tls), folder / "app.log"
    with started([*redis, "--dir", str(folder)]) as keeper, contextlib.ExitStack() as stack:
        while not Path(memory).exists():
            if keeper.poll() is not None:
                raise RuntimeError(f"redis-server ended with exit code {keeper.returncode}")
            time.sleep(0.02)
        processes = [start(each, log, **settings) for each in ports]
        for process in processes:
            stack.callback(process.kill)
        for each, process in zip(ports, processes, strict=True):
            wait_for(each, process)
        nginx = stack.enter_context(started([nginx_program, "-p", str(folder), "-c", str(file)]))
        wait_for(port, nginx)
        scheme = "https" if tls else "http"
        yield Running(f"{scheme}://127.0.0.1:{port}{path}", ports, processes, log)


def main() -> None:
    """Serves the page until it is stopped."""
    parser = argparse.ArgumentParser(description="The page from several processes, behind nginx.")
    parser.add_argument("--replicas", type=int, default=2)
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--path", default="", help="such as /former")
    parser.add_argument("--tls", nargs=2, type=Path, metavar=("CERTIFICATE", "KEY"))
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    tls = Tls(*(path.resolve() for path in given.tls)) if given.tls else None
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder), given.replicas, given.port, given.path, tls) as site,
        contextlib.suppress(KeyboardInterrupt),
    ):
        print(f"{site.origin}/ (replicas on ports {', '.join(map(str, site.ports))}; log: {site.log})", flush=True)
        while True:
            time.sleep(60)


if __name__ == "__main__":
    main()
