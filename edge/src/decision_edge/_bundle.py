"""Reading a bundle: names, sizes and SHA-256 are checked before anything in it is used; nothing is extracted."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeAlias

from ._errors import InvalidBundle, TextModelNeeded
from ._json import JsonObject, parse_json
from ._tables import MAX_BUNDLE_ENTRIES, MAX_UNPACKED_BYTES

__all__ = ["Bundle", "BundleSource", "name_source", "read_bundle"]

BundleSource: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview | IO[bytes]"

FORMAT_VERSION = 1
MAX_RATIO = 100
# Below this size a high ratio is harmless and happens in honest bundles (weights that are all zero).
RATIO_FREE_BYTES = 16 * 1024 * 1024
MAX_DIRECTORY_BYTES = 64 * 1024

TOKENIZER, ENCODER = "text/tokenizer.json", "text/encoder.int8.onnx"
_PARTS = {"manifest.json", "rules.json", "features.json", "classifier.onnx", "reasons.json", "golden.jsonl"}
REQUIRED = _PARTS | {"model-card.md", "LICENSES"}
ALLOWED = REQUIRED | {"reasons.onnx", "familiarity.json", "input_schema.json", TOKENIZER, ENCODER}

# What the ZIP reader raises for damaged files; NotImplementedError is a RuntimeError.
_ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError)


class Bundle:
    """The checked contents of a bundle: `manifest` and the other entries as bytes."""

    def __init__(self, manifest: JsonObject, entries: dict[str, bytes]) -> None:
        self.manifest = manifest
        self._entries = entries

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def bytes(self, name: str) -> bytes:
        """Return the bytes of an entry."""
        return self._entries[name]

    def json(self, name: str) -> JsonObject:
        """Return an entry that holds a JSON object."""
        return _read_object(self._entries[name], name)

    def golden(self) -> list[JsonObject]:
        """Return the golden vectors, each `{input, output}`; none where the bundle has none."""
        lines = self._entries.get("golden.jsonl", b"").splitlines()
        return [_read_object(line, f"golden.jsonl line {number}") for number, line in enumerate(lines, 1)]


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
            entries = _read_entries(file)
    except IsADirectoryError as error:
        raise InvalidBundle("This is a folder: it cannot be read as a bundle, which is the ZIP file itself.") from error
    except OSError as error:
        raise InvalidBundle(f"The file cannot be read: {error.strerror or error}.") from error
    except _ZIP_ERRORS as error:
        raise InvalidBundle(f"The file is not a sound ZIP file: {error}.") from error
    manifest = _read_object(entries.pop("manifest.json"), "manifest.json")
    version = manifest.get("format_version")
    if version != FORMAT_VERSION or isinstance(version, bool):
        raise InvalidBundle(f"Bundle format {version!r} is not known to this version, which reads {FORMAT_VERSION}.")
    _check_files(manifest, entries)
    bundle = Bundle(manifest, entries)
    _add_text_model(bundle, entries, None if text_model is None else Path(text_model))
    return bundle


@contextmanager
def _open_source(source: BundleSource) -> Iterator[IO[bytes]]:
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            yield file
    elif isinstance(source, (bytes, bytearray, memoryview)):
        yield io.BytesIO(source)
    elif not hasattr(source, "read"):
        raise TypeError(f"A bundle is a path, bytes or a binary file object, not {type(source).__name__}.")
    elif source.seekable():
        yield source
    else:
        yield io.BytesIO(source.read(MAX_UNPACKED_BYTES + 1))


def _read_entries(file: IO[bytes]) -> dict[str, bytes]:
    size = file.seek(0, os.SEEK_END)
    if size > MAX_UNPACKED_BYTES:
        raise InvalidBundle(f"The file is larger than {MAX_UNPACKED_BYTES} bytes.")
    _check_directory(file, size)
    with zipfile.ZipFile(file) as archive:
        infos = archive.infolist()
        if len(infos) > MAX_BUNDLE_ENTRIES:
            raise InvalidBundle(f"The file has more than {MAX_BUNDLE_ENTRIES} entries.")
        seen: set[str] = set()
        for info in infos:
            if info.filename not in ALLOWED or info.orig_filename != info.filename:
                raise InvalidBundle(f"Entry {info.orig_filename!r} does not belong in a bundle.")
            if info.filename in seen:
                raise InvalidBundle(f"Entry {info.filename!r} is there twice.")
            seen.add(info.filename)
            kind = stat.S_IFMT(info.external_attr >> 16)
            if kind not in (0, stat.S_IFREG):
                raise InvalidBundle(f"Entry {info.filename!r} is not a plain file.")
            if info.flag_bits & 0x1:
                raise InvalidBundle(f"Entry {info.filename!r} is encrypted.")
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise InvalidBundle(f"Entry {info.filename!r} is compressed in an unknown way.")
        if missing := sorted(REQUIRED - seen):
            raise InvalidBundle(f"Entry {missing[0]!r} is missing.")
        unpacked = sum(info.file_size for info in infos)
        if unpacked > MAX_UNPACKED_BYTES:
            raise InvalidBundle(f"The entries unpack to more than {MAX_UNPACKED_BYTES} bytes.")
        if unpacked > RATIO_FREE_BYTES and unpacked > MAX_RATIO * size:
            raise InvalidBundle(f"The entries unpack to more than {MAX_RATIO} times the file.")
        return {info.filename: _read_entry(archive, info) for info in infos}


def _check_directory(file: IO[bytes], size: int) -> None:
    """Refuse an oversized list of entries before the ZIP reader takes all of it into memory."""
    file.seek(max(0, size - 65557))
    tail = file.read()
    end = tail.rfind(b"PK\x05\x06")
    if end < 0 or len(tail) - end < 22:
        raise InvalidBundle("The file is not a ZIP file, or its end is missing. Export it again, or copy it again.")
    directory: int = struct.unpack_from("<L", tail, end + 12)[0]
    if directory > MAX_DIRECTORY_BYTES or tail[max(0, end - 20) : end].startswith(b"PK\x06\x07"):
        raise InvalidBundle("The file's list of entries is too large.")
    file.seek(0)


def _read_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    # Sizes in the directory may lie: never take more than announced.
    with archive.open(info) as stream:
        data = stream.read(info.file_size + 1)
    if len(data) != info.file_size:
        raise InvalidBundle(f"Entry {info.filename!r} has another size than announced.")
    return data


def _check_files(manifest: JsonObject, entries: dict[str, bytes]) -> None:
    files = manifest.get("files")
    if not isinstance(files, dict):
        raise InvalidBundle("manifest.json: files is missing.")
    if different := sorted(files.keys() ^ entries.keys()):
        raise InvalidBundle(f"Entry {different[0]!r} is not both listed in manifest.json and present.")
    for name, data in entries.items():
        listed = files[name]
        if not isinstance(listed, dict) or listed.get("size_bytes") != len(data):
            raise InvalidBundle(f"Entry {name!r} has another size than manifest.json says.")
        if listed.get("sha256") != hashlib.sha256(data).hexdigest():
            raise InvalidBundle(f"Entry {name!r} has another SHA-256 than manifest.json says.")


def _add_text_model(bundle: Bundle, entries: dict[str, bytes], folder: Path | None) -> None:
    """Take the text files that the plan uses from the bundle, else from `folder`, and check their SHA-256."""
    plan_text = bundle.json("features.json").get("text")
    if plan_text is None:
        return
    text = bundle.manifest.get("text")
    if not isinstance(plan_text, dict) or not isinstance(text, dict):
        raise InvalidBundle("The feature plan uses text, but manifest.json names no text model.")
    needed = [(TOKENIZER, text.get("tokenizer_sha256"))]
    if plan_text.get("encoder") is not None:
        needed.append((ENCODER, text.get("encoder_sha256")))
    for name, sha256 in needed:
        if name not in entries:
            entries[name] = _read_text_file(name, folder)
        if hashlib.sha256(entries[name]).hexdigest() != sha256:
            raise TextModelNeeded(f"{name.removeprefix('text/')} is not the one that the bundle was trained with.")


def _read_text_file(name: str, folder: Path | None) -> bytes:
    if folder is None:
        raise TextModelNeeded("The bundle is slim: give the folder of its text model (text_model).")
    path = folder / name.removeprefix("text/")
    try:
        if path.stat().st_size > MAX_UNPACKED_BYTES:
            raise TextModelNeeded(f"{path.name} of the text model is larger than {MAX_UNPACKED_BYTES} bytes.")
        return path.read_bytes()
    except OSError as error:
        raise TextModelNeeded(f"{path.name} of the text model cannot be read: {error.strerror or error}.") from error


def _read_object(data: bytes, name: str) -> JsonObject:
    try:
        value = parse_json(data.decode("utf-8"))
    except ValueError as error:
        raise InvalidBundle(f"{name} is not JSON: {error}.") from error
    if not isinstance(value, dict):
        raise InvalidBundle(f"{name} is not a JSON object.")
    return value
