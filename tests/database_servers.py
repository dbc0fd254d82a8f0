"""Which database servers do tests start? PostgreSQL and MariaDB as Debian ships them, unprivileged, on loopback, gone with the tests.

Where they are not installed and this is Debian (or a kin of it) and root runs the tests, they are installed; else the tests that need one say so.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from tests.servers import ATTEMPTS, free_port

_PATHS = ("/usr/sbin", "/usr/bin", "/usr/local/bin", "/usr/libexec")
_PACKAGES = {"postgres": "postgresql", "mariadbd": "mariadb-server"}
_LOCK = Path(tempfile.gettempdir()) / "clew-test-servers.lock"
_INSTALL_SECONDS = 600


class NotInstalled(AssertionError):
    """A server that a test needs is not there, and could not be installed."""


@dataclass
class Server:
    """A running server: `url` of its administrator without a database, `made` counts the databases made in it."""

    url: str
    client: list[str]
    made: int = field(default=0)

    def database(self, sql: str = "") -> str:
        """A new database in which some SQL was run, by its URL."""
        self.made += 1
        name = f"test_{self.made}"
        self.run(f"CREATE DATABASE {name}")
        self.run(sql, name)
        return f"{self.url}/{name}"

    def run(self, sql: str, database: str = "") -> None:
        """Run SQL with the server's own client, as its administrator."""
        done = subprocess.run([*self.client, *([database] if database else [])], input=sql, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def as_user(self, url: str, user: str, password: str) -> str:
        """The URL of a database for another user."""
        return f"{url.partition('://')[0]}://{user}:{quote(password, safe='')}@{url.rpartition('@')[2]}"


@contextmanager
def postgres_server() -> Iterator[Server]:
    """A PostgreSQL server."""
    binary, owner = _binary("postgres"), _unprivileged("postgres")
    with _folder(owner) as folder:
        data = folder / "data"
        make = [binary.with_name("initdb"), "-D", data, "-U", "clew", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]
        subprocess.run([*_as(owner), *map(str, make)], check=True, stdout=subprocess.DEVNULL, cwd=folder)
        port = free_port()
        settings = {"listen_addresses": "127.0.0.1", "fsync": "off", "max_connections": "20", "shared_buffers": "16MB"}
        command = [
            binary,
            "-D",
            data,
            "-p",
            port,
            "-k",
            folder,
            *(part for name, value in settings.items() for part in ("-c", f"{name}={value}")),
        ]
        client = [
            str(binary.with_name("psql")),
            "-h",
            "127.0.0.1",
            "-p",
            str(port),
            "-U",
            "clew",
            "-v",
            "ON_ERROR_STOP=1",
            "-q",
            "-X",
            "-d",
        ]
        with _running([*_as(owner), *map(str, command)], folder, [*client, "postgres", "-c", "SELECT 1"], stop="INT"):
            yield _Postgres(f"postgresql://clew@127.0.0.1:{port}", client)


class _Postgres(Server):
    def run(self, sql: str, database: str = "") -> None:
        super().run(sql, database or "postgres")


@contextmanager
def mariadb_server() -> Iterator[Server]:
    """A MariaDB server."""
    binary, owner = _binary("mariadbd"), _unprivileged("mysql")
    with _folder(owner) as folder:
        data, socket, port = folder / "data", folder / "socket", free_port()
        installer = shutil.which("mariadb-install-db", path=_search_path())
        assert installer
        make = [
            installer,
            "--no-defaults",
            f"--datadir={data}",
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
            f"--tmpdir={folder}",
        ]
        subprocess.run([*_as(owner), *make], check=True, stdout=subprocess.DEVNULL, cwd=folder)
        command = [str(binary), "--no-defaults", f"--datadir={data}", f"--socket={socket}", f"--port={port}", "--bind-address=127.0.0.1"]
        command += [f"--pid-file={folder}/pid", "--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=16M", f"--tmpdir={folder}"]
        client = [
            shutil.which("mariadb", path=_search_path()) or "mariadb",
            "--no-defaults",
            "-uroot",
            "-h",
            "127.0.0.1",
            "-P",
            str(port),
            "--default-character-set=utf8mb4",
        ]
        with _running([*_as(owner), *command], folder, [*client, "-e", "SELECT 1"], stop="TERM"):
            yield Server(f"mysql://root@127.0.0.1:{port}", client)


def _binary(name: str) -> Path:
    """A server's program, installed first where it may be. Raises NotInstalled, which says how."""
    found = _find(name)
    if found is None and _may_install():
        with _LOCK.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if _find(name) is None:
                _install(_PACKAGES[name])
        found = _find(name)
    if found is None:
        raise NotInstalled(
            f"{name} is not installed and these tests start one: apt-get install --no-install-recommends {' '.join(_PACKAGES.values())}"
        )
    return found


def _find(name: str) -> Path | None:
    versions = sorted(
        Path("/usr/lib/postgresql").glob(f"*/bin/{name}"),
        key=lambda path: float(path.parts[-3]) if path.parts[-3].replace(".", "").isdigit() else 0,
    )
    if versions:
        return versions[-1]
    found = shutil.which(name, path=_search_path())
    return Path(found) if found else None


def _search_path() -> str:
    return os.pathsep.join((os.environ.get("PATH", ""), *_PATHS))


def _may_install() -> bool:
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def _install(package: str) -> None:
    """Install a package; what it brings is not started as a service."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    policy = Path("/usr/sbin/policy-rc.d")
    is_ours = not policy.exists()
    if is_ours:
        policy.write_text("#!/bin/sh\nexit 101\n")
        policy.chmod(0o755)
    try:
        for command in (["apt-get", "update", "-q"], ["apt-get", "install", "-y", "-q", "--no-install-recommends", package]):
            subprocess.run(
                command,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                stdin=subprocess.DEVNULL,
                timeout=_INSTALL_SECONDS,
                check=False,
            )
    finally:
        if is_ours:
            policy.unlink()


def _unprivileged(user: str) -> str:
    """The user that a server runs as: servers refuse to run as root."""
    if os.geteuid() != 0:
        return ""
    try:
        pwd.getpwnam(user)
    except KeyError:
        return "nobody"
    return user


def _as(owner: str) -> list[str]:
    """What is put before a command, so that it runs as a user and ends with the tests even if they are killed."""
    setpriv = shutil.which("setpriv", path=_search_path())
    if setpriv is None:
        return []
    user = ["--reuid", owner, "--regid", str(pwd.getpwnam(owner).pw_gid), "--clear-groups"] if owner else []
    return [setpriv, *user, "--pdeathsig", "TERM", "--"]


@contextmanager
def _folder(owner: str) -> Iterator[Path]:
    """A folder that the server's user may use; pytest's own are closed to others."""
    folder = Path(tempfile.mkdtemp(prefix="clew-db-"))
    folder.chmod(0o755)
    if owner:
        shutil.chown(folder, owner)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _running(command: list[str], folder: Path, ping: list[str], stop: str) -> Iterator[None]:
    """A server's process for as long as it is needed, from when it answers."""
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=folder)
    try:
        for _ in range(ATTEMPTS):
            if subprocess.run(ping, capture_output=True, check=False).returncode == 0:
                break
            try:
                server.wait(timeout=0.1)
            except subprocess.TimeoutExpired:
                continue
            raise AssertionError(f"the server did not start: {(folder / 'log').read_text('utf-8', 'replace')[-2000:]}")
        yield
    finally:
        server.send_signal({"INT": 2, "TERM": 15}[stop])
        try:
            server.wait(timeout=30)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def main() -> int:
    """Install what is missing and say where the servers are; 1 where one is missing still."""
    try:
        for name in _PACKAGES:
            sys.stdout.write(f"{_binary(name)}\n")
    except NotInstalled as missing:
        sys.stderr.write(f"{missing}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
