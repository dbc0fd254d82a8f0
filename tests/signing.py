"""What do tests sign with? Keys of a maker of tokens, its key set, and a small server that hands that out."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

ISSUER, AUDIENCE = "https://id.example", "clew"


@dataclass
class Maker:
    """Signs tokens. `private` are keys by their names, with the algorithm of each."""

    private: dict[str, tuple[str, Any]] = field(default_factory=dict)

    def key_set(self) -> dict[str, Any]:
        """The public halves."""
        return {"keys": [self.public(name) for name in self.private]}

    def public(self, name: str) -> dict[str, Any]:
        algorithm, key = self.private[name]
        kind = RSAAlgorithm if algorithm[:2] in ("RS", "PS") else OKPAlgorithm if algorithm == "EdDSA" else ECAlgorithm
        return {**json.loads(kind.to_jwk(key.public_key())), "kid": name, "use": "sig", "alg": algorithm}

    def signed(self, name: str = "rsa", header: dict[str, Any] | None = None, **claims: Any) -> str:
        """A token that is good, but for what is said otherwise; a claim that is None is left out."""
        algorithm, key = self.private[name]
        head = {"alg": algorithm, "typ": "JWT", "kid": name, **(header or {})}
        said = {**self.usual(), **claims}
        signed = f"{part(_given(head))}.{part(_given(said))}"
        return f"{signed}.{part(jwt.get_algorithm_by_name(algorithm).sign(signed.encode(), key))}"

    def usual(self) -> dict[str, Any]:
        now = int(time.time())
        return {"iss": ISSUER, "aud": AUDIENCE, "sub": "ann", "exp": now + 300, "iat": now}


def _given(said: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in said.items() if value is not None}


def maker() -> Maker:
    """A maker with a key of each kind."""
    return Maker(
        {
            "rsa": ("RS256", rsa.generate_private_key(65_537, 2_048)),
            "curve": ("ES256", ec.generate_private_key(ec.SECP256R1())),
            "edwards": ("EdDSA", ed25519.Ed25519PrivateKey.generate()),
        }
    )


def part(value: Any) -> str:
    """A part of a token, made by hand."""
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def by_hand(header: dict[str, Any], claims: dict[str, Any], secret: bytes = b"") -> str:
    """A token that no library would make: signed by a shared secret, or by nothing."""
    signed = f"{part(header)}.{part(claims)}"
    return f"{signed}.{part(hmac.new(secret, signed.encode(), hashlib.sha256).digest()) if secret else ''}"


def pem(key: Any) -> bytes:
    """A public key as text."""
    return key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def bad(keys: Maker) -> dict[str, str]:
    """Tokens that must not be good, by what is wrong with them."""
    now, usual = int(time.time()), keys.usual()
    other = maker()
    public = keys.private["rsa"][1]
    small = Maker({"rsa": ("RS256", rsa.generate_private_key(65_537, 1_024))})
    head = {"alg": "HS256", "typ": "JWT", "kid": "rsa"}
    good = keys.signed()
    first, second, third = good.split(".")
    return {
        "no algorithm": by_hand({"alg": "none", "kid": "rsa"}, usual),
        "no algorithm, spelled otherwise": by_hand({"alg": "NoNe", "kid": "rsa"}, usual),
        "signed with the public key as a secret": by_hand(head, usual, pem(public)),
        "signed with the public key's JSON as a secret": by_hand(head, usual, json.dumps(keys.public("rsa")).encode()),
        "signed with an empty secret": by_hand(head, usual, b"\0"),
        "wrong key": other.signed(),
        "key of another kind": keys.signed("curve", {"kid": "rsa"}),
        "unknown key": keys.signed(header={"kid": "other"}),
        "no key named": keys.signed(header={"kid": None}),
        "empty key name": keys.signed(header={"kid": ""}),
        "key name is a number": by_hand({"alg": "RS256", "kid": 7}, usual),
        "key in the header": small.signed(header={"jwk": small.public("rsa"), "kid": "x"}),
        "expired": keys.signed(exp=now - 6),
        "never ends": keys.signed(exp=None),
        "end is no time": keys.signed(exp="tomorrow"),
        "not yet": keys.signed(nbf=now + 3_600),
        "made in the future": keys.signed(iat=now + 3_600),
        "other audience": keys.signed(aud="other"),
        "no audience": keys.signed(aud=None),
        "audience is no text": keys.signed(aud=[7]),
        "other issuer": keys.signed(iss="https://evil.example"),
        "issuer that begins alike": keys.signed(iss=f"{ISSUER}.evil"),
        "no issuer": keys.signed(iss=None),
        "issuer in a list": keys.signed(iss=[ISSUER]),
        "nobody": keys.signed(sub=None),
        "blank name": keys.signed(sub="  "),
        "long name": keys.signed(sub="x" * 201),
        "name that acts": keys.signed(sub="ann\n"),
        "name is a number": by_hand({"alg": "RS256", "kid": "rsa"}, {**usual, "sub": 7}),
        "critical header": keys.signed(header={"crit": ["magic"], "magic": 1}),
        "changed claims": f"{first}.{part({**usual, 'sub': 'root'})}.{third}",
        "changed signature": f"{first}.{second}.{'A' * len(third)}",
        "no signature": f"{first}.{second}.",
        "only dots": "..",
        "no base64": "é.é.é",
        "claims in a list": by_hand({"alg": "RS256", "kid": "rsa"}, [1]),  # type: ignore[arg-type]
        "deep": f"{part(b'[' * 5_000)}.{part(b'[' * 5_000)}.x",
        "head is no object": f"{part([1])}.{second}.{third}",
    }


@dataclass
class KeyServer:
    """Hands out what it is told to, and counts how often it is asked."""

    address: str = ""
    said: bytes = b""
    status: int = 200
    asked: int = 0


@contextmanager
def key_server(said: Any) -> Iterator[KeyServer]:
    """A server for a key set, on loopback."""
    held = KeyServer(said=json.dumps(said).encode())

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            held.asked += 1
            self.send_response(held.status)
            if held.status == 302:
                self.send_header("Location", "http://127.0.0.1:1/")
            self.send_header("Content-Length", str(len(held.said)))
            self.end_headers()
            self.wfile.write(held.said)

        def log_message(self, *arguments: Any) -> None:
            """Nothing is said."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    held.address = f"http://127.0.0.1:{server.server_address[1]}/keys"
    try:
        yield held
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
