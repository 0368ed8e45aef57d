"""Signature files in minisign's format beside a bundle: Ed25519 (RFC 8032) over the BLAKE2b digest of the file."""

from __future__ import annotations

import base64
import binascii
import hashlib
from pathlib import Path

from .._errors import DecisionEdgeError

SUFFIX = ".minisig"
_UNTRUSTED, _TRUSTED = "untrusted comment: ", "trusted comment: "
# A key or a signature is far smaller.
_MAX_BYTES = 10_000

# The curve's field, the order of its base point, and its constants.
_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT = pow(2, (_P - 1) // 4, _P)

# A point as X, Y, Z and T with x = X/Z, y = Y/Z and xy = T/Z.
_Point = tuple[int, int, int, int]


def check_signature(file: str, public_key: str) -> str | None:
    """Compare a file with the signature beside it; returns what is wrong as a sentence, or None.

    `public_key` is the key in base64, or the path of its file. Raises DecisionEdgeError where one of them is missing.
    """
    key = _read_key(public_key)
    signature = Path(file + SUFFIX)
    if not Path(file).is_file():
        raise DecisionEdgeError(f"{file} is no file.")
    if not signature.is_file():
        raise DecisionEdgeError(f"{file} is not signed: {signature} is missing.")
    lines = [*_read(signature).splitlines(), "", "", "", ""][:4]
    signed, whole = _decode(lines[1], 74), _decode(lines[3], 64)
    if not lines[0].startswith(_UNTRUSTED) or not lines[2].startswith(_TRUSTED) or signed[:2] != b"ED" or not whole:
        return f"{signature} is no signature of minisign."
    if signed[2:10] != key[2:10]:
        return f"{file} was signed with another key, {_show(signed)}, not {_show(key)}."
    digest = hashlib.blake2b()
    with open(file, "rb") as content:
        while block := content.read(1 << 20):
            digest.update(block)
    if not verify(key[10:], digest.digest(), signed[10:]):
        return f"{file} is not as it was signed."
    comment = lines[2][len(_TRUSTED) :].encode()
    return None if verify(key[10:], signed[10:] + comment, whole) else f"The comment of {signature} was changed."


def _read(file: Path) -> str:
    with file.open("rb") as content:
        return content.read(_MAX_BYTES).decode("utf-8", "replace")


def _read_key(given: str) -> bytes:
    lines = (_read(Path(given)) if Path(given).is_file() else given).strip().splitlines()
    key = _decode(lines[-1], 42) if lines else b""
    if key[:2] != b"Ed":
        raise DecisionEdgeError(f"{given:.200} is no public key of minisign, and no file of one.")
    return key


def _decode(text: str, length: int) -> bytes:
    """Decode base64 of so many bytes; anything else is empty."""
    try:
        found = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
    return found if len(found) == length else b""


def _show(numbered: bytes) -> str:
    return numbered[9:1:-1].hex().upper()


def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether an Ed25519 signature of 64 bytes is one of the message by the key of 32 bytes (RFC 8032, 5.1.7)."""
    key, commitment = _read_point(public_key), _read_point(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if key is None or commitment is None or scalar >= _ORDER:
        return False
    challenge = int.from_bytes(hashlib.sha512(signature[:32] + public_key + message).digest(), "little") % _ORDER
    left, right = _multiply(scalar, _BASE), _add(commitment, _multiply(challenge, key))
    # Equal as x and y, whatever they are scaled by.
    return all((left[i] * right[2] - right[i] * left[2]) % _P == 0 for i in (0, 1))


def _read_point(encoded: bytes) -> _Point | None:
    number = int.from_bytes(encoded, "little")
    y, sign = number & (2**255 - 1), number >> 255
    if y >= _P:
        return None
    x2 = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(x2, (_P + 3) // 8, _P)
    if (x * x - x2) % _P:
        x = x * _ROOT % _P
    if (x * x - x2) % _P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = _P - x
    return x, y, 1, x * y % _P


def _add(one: _Point, other: _Point) -> _Point:
    a, b = (one[1] - one[0]) * (other[1] - other[0]) % _P, (one[1] + one[0]) * (other[1] + other[0]) % _P
    c, d = 2 * one[3] * other[3] * _D % _P, 2 * one[2] * other[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _multiply(scalar: int, point: _Point) -> _Point:
    """Not in constant time: nothing here is secret."""
    product = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            product = _add(product, point)
        point, scalar = _add(point, point), scalar >> 1
    return product


def _find_base() -> _Point:
    point = _read_point((4 * pow(5, -1, _P) % _P).to_bytes(32, "little"))
    assert point is not None
    return point


_BASE = _find_base()
