"""Reading a bundle: names, sizes and SHA-256 are checked before anything in it is used; nothing is extracted."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeAlias

from .._errors import InvalidBundle, TextModelNeeded
from .._json import JsonObject, expect_object, parse_entry, reading
from .._model.shared import SharedFile, share_file
from .._tables import MAX_GOLDEN_LINES, MAX_UNPACKED_BYTES
from .manifest import check_manifest, check_manifest_digest, list_files
from .release import digest_release
from .zip import ADAPTERS, ENCODER, TOKENIZER, read_zip

BundleSource: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | IO[bytes]"

_PARTS = {"manifest.json", "rules.json", "features.json", "reasons.json", "golden.jsonl"}
REQUIRED = frozenset(_PARTS | {"model-card.md", "LICENSES"})
MAX_GOLDEN_LINE_BYTES = 8 * 1024 * 1024


class Bundle:
    """The checked contents of a bundle: `manifest` and the other entries as bytes.

    `digest` is the SHA-256 of the manifest, which covers every other entry by its own; `release` that of all that
    decides, as the workbench names it.
    """

    def __init__(self, manifest: JsonObject, entries: dict[str, bytes], digest: str) -> None:
        self.manifest = manifest
        self.digest = digest
        self.release = digest_release(manifest)
        self._entries = entries
        self._text_files: dict[str, SharedFile] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def bytes(self, name: str) -> bytes:
        """Return the bytes of an entry."""
        return self._entries[name]

    def text_file(self, name: str) -> SharedFile:
        """Return an entry of the text model, shared with the other bundles of this process that have it."""
        return self._text_files[name]

    def take_text_file(self, name: str, file: SharedFile) -> None:
        """Take an entry of the text model, whose SHA-256 was checked."""
        self._text_files[name] = file
        self._entries[name] = file.data

    def json(self, name: str) -> JsonObject:
        """Return an entry that holds a JSON object."""
        return _read_object(self._entries[name], name)

    def iterate_golden(self) -> Iterator[JsonObject]:
        """Yield the golden vectors as they are read, each `{input, output}`."""
        lines = io.BytesIO(self._entries["golden.jsonl"])
        for number, line in enumerate(iter(lambda: lines.readline(MAX_GOLDEN_LINE_BYTES + 2), b""), 1):
            name, line = f"golden.jsonl line {number}", line.removesuffix(b"\n")
            if number > MAX_GOLDEN_LINES or len(line) > MAX_GOLDEN_LINE_BYTES:
                raise InvalidBundle(f"{name} is too long, or one of too many.")
            yield _read_object(line, name)


def name_source(source: BundleSource) -> str:
    """Return what error messages call a bundle: the name of its file, or "bundle" where there is none."""
    named = source if isinstance(source, (str, os.PathLike)) else getattr(source, "name", None)
    return os.fspath(named) if isinstance(named, (str, os.PathLike)) else "bundle"


def read_bundle(source: BundleSource, text_model: str | os.PathLike[str] | None = None) -> Bundle:
    """Read and check a bundle; `text_model` is the folder of a slim bundle's text model. Raises InvalidBundle.

    A file object is read from its beginning and stays open.
    """
    try:
        with _open_source(source) as file:
            entries = read_zip(file, REQUIRED)
    except IsADirectoryError as error:
        raise InvalidBundle("This is a folder: it cannot be read as a bundle, which is the ZIP file itself.") from error
    except OSError as error:
        raise InvalidBundle(f"The file cannot be read: {error.strerror or error}.") from error
    data, stated = entries.pop("manifest.json"), entries.pop("manifest.sha256", None)
    manifest = _read_object(data, "manifest.json")
    check_manifest(manifest)
    check_manifest_digest(data, stated)
    _check_classifier(manifest, entries)
    _check_files(manifest, entries)
    bundle = Bundle(manifest, entries, hashlib.sha256(data).hexdigest())
    _add_text_model(bundle, None if text_model is None else Path(text_model))
    return bundle


@contextmanager
def _open_source(source: BundleSource) -> Iterator[IO[bytes]]:
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            yield file
    elif isinstance(source, (bytes, bytearray, memoryview)):
        yield io.BytesIO(source)
    elif not hasattr(source, "read") or isinstance(source, io.TextIOBase):
        name = "a file opened as text" if hasattr(source, "read") else type(source).__name__
        raise TypeError(f"A bundle is a path, bytes or a binary file object, not {name}.")
    elif source.seekable():
        yield source
    else:
        yield io.BytesIO(source.read(MAX_UNPACKED_BYTES + 1))


def _check_files(manifest: JsonObject, entries: dict[str, bytes]) -> None:
    files = list_files(manifest)
    if different := sorted(files.keys() ^ entries.keys()):
        raise InvalidBundle(f"Entry {different[0]!r} is not both listed in manifest.json and present.")
    for name, data in entries.items():
        if files[name]["size_bytes"] != len(data):
            raise InvalidBundle(f"Entry {name!r} has another size than manifest.json says.")
        if files[name]["sha256"] != hashlib.sha256(data).hexdigest():
            raise InvalidBundle(f"Entry {name!r} has another SHA-256 than manifest.json says.")


def _check_classifier(manifest: JsonObject, entries: dict[str, bytes]) -> None:
    """Refuse a missing classifier and, where rules alone decide, parts that only a classifier would use."""
    if manifest["classifier"] is not None:
        if "classifier.onnx" not in entries:
            raise InvalidBundle("Entry 'classifier.onnx' is missing.")
        return
    for name in ("classifier.onnx", "reasons.onnx", "familiarity.json"):
        if name in entries:
            raise InvalidBundle(f"Entry {name!r} is not expected where rules alone decide.")


def _add_text_model(bundle: Bundle, folder: Path | None) -> None:
    """Take the text files that the plan uses from the bundle, or from `folder` where it is slim.

    Refuses a bundle whose plan, manifest and text files do not agree about text.
    """
    planned, text = bundle.json("features.json").get("text"), bundle.manifest["text"]
    if (planned is None) != (text is None):
        raise InvalidBundle("features.json and manifest.json disagree about text.")
    with reading("features.json: text"):
        encoder, model = expect_object(planned or {}).get("encoder"), expect_object(text or {})
    digests = {TOKENIZER: model.get("tokenizer_sha256"), ENCODER: model.get("encoder_sha256")}
    used = [name for name, part in ((TOKENIZER, digests[TOKENIZER]), (ENCODER, encoder)) if part is not None]
    for name in digests:
        if (name in bundle) != (name in used and not model["slim"]):
            raise InvalidBundle(f"Entry {name!r} is missing or not expected in this bundle.")
    if (isinstance(encoder, dict) and "adapters" in encoder) != (ADAPTERS in bundle):
        raise InvalidBundle(f"{ADAPTERS} and features.json disagree about adapters.")
    for name in used:
        data = bundle.bytes(name) if name in bundle else _read_text_file(name, folder)
        if hashlib.sha256(data).hexdigest() != digests[name]:
            raise TextModelNeeded(f"{name.removeprefix('text/')} is not the one that the bundle was trained with.")
        bundle.take_text_file(name, share_file(str(digests[name]), data))


def _read_text_file(name: str, folder: Path | None) -> bytes:
    if folder is None:
        raise TextModelNeeded(
            "The bundle is slim: name the folder of its text model by `--text-model`, or `text_model=`."
        )
    path = folder / name.removeprefix("text/")
    try:
        if path.stat().st_size > MAX_UNPACKED_BYTES:
            raise TextModelNeeded(f"{path.name} of the text model is larger than {MAX_UNPACKED_BYTES} bytes.")
        return path.read_bytes()
    except OSError as error:
        raise TextModelNeeded(f"{path.name} of the text model cannot be read: {error.strerror or error}.") from error


def _read_object(data: bytes, name: str) -> JsonObject:
    value = parse_entry(data, name)
    if not isinstance(value, dict):
        raise InvalidBundle(f"{name} is not a JSON object.")
    return value
