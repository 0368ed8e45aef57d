"""Somebody checks that a bundle is the one that was given out, by its signature file and a public key."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from decision_edge.__main__ import main
from decision_edge._bundle.signature import check_signature, verify

FIXTURES = Path(__file__).parents[3] / "test" / "fixtures" / "minisign"
KEY = str(FIXTURES / "minisign.pub")

# Tests 1 to 3 of RFC 8032, 7.1: public key, message, signature.
RFC_8032 = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
]


@pytest.mark.parametrize(("key", "message", "signature"), RFC_8032)
def test_the_vectors_of_rfc_8032_hold_and_no_changed_bit_of_them(key: str, message: str, signature: str) -> None:
    """[EDG-14]"""
    parts = [bytes.fromhex(part) for part in (key, message, signature)]
    assert verify(*parts)
    draw = random.Random(8032)
    for _ in range(12):
        changed = [bytearray(part) for part in parts]
        part = draw.choice([each for each in changed if each])
        part[draw.randrange(len(part))] ^= 1 << draw.randrange(8)
        assert not verify(*map(bytes, changed))
    # A scalar past the order, which would let one signature have two forms.
    order = 2**252 + 27742317777372353535851937790883648493
    scalar = int.from_bytes(parts[2][32:], "little") + order
    assert not verify(parts[0], parts[1], parts[2][:32] + scalar.to_bytes(32, "little"))


@pytest.fixture
def signed(tmp_path: Path) -> str:
    for name in ("release.txt", "release.txt.minisig"):
        shutil.copy(FIXTURES / name, tmp_path)
    return str(tmp_path / "release.txt")


def test_a_signature_of_minisign_holds_by_the_key_or_its_file(signed: str) -> None:
    """[EDG-14]"""
    assert check_signature(signed, KEY) is None
    assert check_signature(signed, Path(KEY).read_text().splitlines()[1]) is None


@pytest.mark.parametrize("suffix", ["", ".minisig"])
def test_each_changed_byte_is_seen(signed: str, suffix: str) -> None:
    """[EDG-14]"""
    file = Path(signed + suffix)
    whole = file.read_bytes()
    # The first line of a signature file is signed by nothing, as it says.
    first = whole.index(b"\n") + 1 if suffix else 0
    draw = random.Random(1)
    for _ in range(20):
        changed = bytearray(whole)
        changed[draw.randrange(first, len(whole) - 1)] ^= 1
        file.write_bytes(changed)
        assert check_signature(signed, KEY) is not None


def test_a_command_checks_the_signature_before_the_golden_vectors(make_bundle: Any, signed: str, capsys: Any) -> None:
    """[EDG-14]"""
    assert main(["verify", "nowhere.zip", "--key", KEY]) == 2
    assert "nowhere.zip is no file." in capsys.readouterr().err
    bundle = str(make_bundle())
    assert main(["verify", bundle, "--key", KEY]) == 2
    assert "is not signed" in capsys.readouterr().err
    shutil.copy(signed + ".minisig", bundle + ".minisig")
    assert main(["verify", bundle, "--key", KEY]) == 1
    assert "is not as it was signed." in capsys.readouterr().err
    assert main(["verify", bundle, "--key", "RWQ"]) == 2
    assert "no public key" in capsys.readouterr().err
