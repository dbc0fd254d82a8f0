"""Does the server speak TLS with a certificate that it is given?"""

from __future__ import annotations

import datetime as dt
import ipaddress
import ssl
from http.client import HTTPSConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.interfaces.web.conftest import running
from tests.serving.conftest import ROOT, Served

from clew.assembly import open_service
from clew.errors import UsageError
from clew.interfaces.web.entering import Anybody
from clew.interfaces.web.running import Listening


def certificate(folder: Path) -> tuple[str, str]:
    """A certificate for this machine that it signed itself, and its key."""
    key, now = ec.generate_private_key(ec.SECP256R1()), dt.datetime.now(dt.UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "clew")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    plain = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "key.pem").write_bytes(plain)
    return str(folder / "cert.pem"), str(folder / "key.pem")


def test_a_client_that_trusts_the_certificate_is_answered(served: Served, tmp_path: Path) -> None:
    cert, key = certificate(tmp_path)
    with open_service([served.open]) as service, running(service, Anybody(ROOT), where=Listening("127.0.0.1", 0, cert, key)) as (asking, _):
        assert asking.address.startswith("https://127.0.0.1:")
        connection = HTTPSConnection(urlsplit(asking.address).netloc, context=ssl.create_default_context(cafile=cert), timeout=30)
        connection.request("GET", "/v1/namespaces")
        assert connection.getresponse().status == 200
        connection.close()


def test_a_key_that_is_not_the_certificates_is_named(served: Served, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    cert, _ = certificate(tmp_path)
    _, key = certificate(tmp_path / "other")
    with (
        open_service([served.open]) as service,
        pytest.raises(UsageError, match="cannot be used"),
        running(service, Anybody(ROOT), where=Listening("127.0.0.1", 0, cert, key)),
    ):
        raise AssertionError("it must not start")
