"""The containers of deploy/ and the script that starts the same by hand fill in one configuration of nginx."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from deploy import local
from tests.browser.proxy import certificate
from tests.redis_server import find

TEMPLATE = (local.HERE / "former.conf.template").read_text()
NAMES = set(re.findall(r"\$\{(\w+)\}", TEMPLATE))


def test_the_containers_name_everything_that_nginx_needs_and_share_a_redis():
    services = yaml.safe_load((local.HERE / "docker-compose.yml").read_text())["services"]
    filled = services["nginx"]["environment"]
    assert {name for name in filled if re.search(filled["NGINX_ENVSUBST_FILTER"], name)} == NAMES
    assert services["app"]["deploy"]["replicas"] >= 2
    assert services["app"]["environment"]["FORMER_REDIS"] == "redis://redis:6379"
    copied = re.findall(r"^COPY (\S+)", (local.HERE / "Dockerfile").read_text(), re.MULTILINE)
    allowed = re.findall(r"^!(.+)", (local.HERE / "Dockerfile.dockerignore").read_text(), re.MULTILINE)
    assert sorted(copied) == sorted(allowed)
    assert all((local.HERE.parent / name).exists() for name in copied)


@pytest.mark.parametrize("path", ["", "/former"])
@pytest.mark.parametrize("proto", ["$scheme", '""'], ids=["X-Forwarded-Proto", "Host alone"])
def test_nginx_takes_the_configuration(path, proto, tmp_path):
    file = local.configure(tmp_path, [7001, 7002], local.free_port(), path, None, proto)
    assert_taken(tmp_path, file)


def test_nginx_takes_a_certificate_whose_path_has_spaces(tmp_path):
    if not (openssl := shutil.which("openssl")):
        pytest.skip("no openssl, which makes the certificate")
    (folder := tmp_path / "my certificates").mkdir()
    certificate(folder, openssl)
    tls = local.Tls(folder / "certificate.pem", folder / "key.pem")
    assert_taken(tmp_path, local.configure(tmp_path, [7001], local.free_port(), "", tls))


def assert_taken(tmp_path: Path, file: Path) -> None:
    """Asserts that nginx accepts the configuration in a file."""
    assert not NAMES & set(re.findall(r"\$\{(\w+)\}", (tmp_path / "former.conf").read_text()))
    run = subprocess.run([find("nginx"), "-t", "-p", tmp_path, "-c", file], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
