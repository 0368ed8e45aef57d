"""Reading the ZIP of a bundle: only known names, each once, and no bytes that belong to none of them.

The standard library's reader looks for the list of entries from the end, skips what stands before it and takes most
things as they come; two readers of one file could then see two bundles. This one refuses what the workbench refuses.
"""

from __future__ import annotations

import os
import stat
import struct
import zlib
from dataclasses import dataclass
from typing import IO

from .._errors import InvalidBundle
from .._tables import MAX_BUNDLE_ENTRIES, MAX_ENTRY_BYTES, MAX_PLAIN_BYTES

ENCODER, TOKENIZER = "text/encoder.onnx", "text/tokenizer.json"
# The part of a policy's text model that was learned beside the encoder.
ADAPTERS = "text/adapters.bin"

_LOCAL, _CENTRAL, _END = struct.Struct("<4s5H3L2H"), struct.Struct("<4s6H3L5H2L"), struct.Struct("<4s4H2LH")
# The level of compression, and UTF-8 names: flags that mean nothing to a reader.
_ALLOWED_FLAGS = 0x0806
_MAX_DIRECTORY_BYTES = 64 * 1024
_DAMAGED = "The file's list of entries is damaged."


@dataclass(frozen=True)
class _Entry:
    name: str
    raw_name: bytes
    method: int
    crc: int
    packed: int
    size: int
    offset: int


def read_zip(file: IO[bytes], required: frozenset[str]) -> dict[str, bytes]:
    """Return the entries of a seekable file. Names, sizes and places are checked before anything is inflated."""
    size = file.seek(0, os.SEEK_END)
    entries, directory = _list_entries(file, size)
    if missing := sorted(required - {entry.name for entry in entries}):
        raise InvalidBundle(f"Entry {missing[0]!r} is missing.")
    at, starts = 0, {}
    for entry in sorted(entries, key=lambda entry: entry.offset):
        if entry.offset != at:
            raise InvalidBundle(f"Entry {entry.name!r} does not follow the entry before it.")
        starts[entry.name] = _find_data(file, entry)
        at = starts[entry.name] + entry.packed
    if at != directory:
        raise InvalidBundle("The file has something between its entries and its list of entries.")
    return {entry.name: _read_entry(file, entry, starts[entry.name]) for entry in entries}


def _list_entries(file: IO[bytes], size: int) -> tuple[list[_Entry], int]:
    end = size - _END.size
    signature, _, _, here, count, length, directory, comment = _END.unpack(_read_at(file, end, _END.size))
    if signature != b"PK\x05\x06" or comment != 0:
        raise InvalidBundle("The file is not a complete ZIP file, or something follows it. Export or copy it again.")
    if here != count or directory + length != end:
        raise InvalidBundle(_DAMAGED)
    if count > MAX_BUNDLE_ENTRIES:
        raise InvalidBundle(f"The file has more than {MAX_BUNDLE_ENTRIES} entries.")
    if length > _MAX_DIRECTORY_BYTES:
        raise InvalidBundle("The file's list of entries is too large.")
    listing, at = _read_at(file, directory, length), 0
    entries: dict[str, _Entry] = {}
    total = 0
    for _ in range(count):
        entry, at = _read_central(listing, at)
        if entry.name in entries:
            raise InvalidBundle(f"Entry {entry.name!r} is there twice.")
        if entry.size > MAX_ENTRY_BYTES[entry.name]:
            raise InvalidBundle(f"Entry {entry.name!r} unpacks to more than {MAX_ENTRY_BYTES[entry.name]} bytes.")
        total += 0 if entry.name == ENCODER else entry.size
        entries[entry.name] = entry
    if at != length:
        raise InvalidBundle(_DAMAGED)
    if total > MAX_PLAIN_BYTES:
        raise InvalidBundle(f"The entries unpack to more than {MAX_PLAIN_BYTES} bytes.")
    return list(entries.values()), directory


def _read_central(listing: bytes, at: int) -> tuple[_Entry, int]:
    if at + _CENTRAL.size > len(listing):
        raise InvalidBundle(_DAMAGED)
    fields = _CENTRAL.unpack_from(listing, at)
    signature, _, _, flags, method, _, _, crc, packed, size = fields[:10]
    name_length, extra_length, comment_length, _, _, attributes, offset = fields[10:]
    start = at + _CENTRAL.size
    following = start + name_length + extra_length + comment_length
    if signature != b"PK\x01\x02" or following > len(listing):
        raise InvalidBundle(_DAMAGED)
    raw_name = listing[start : start + name_length]
    name = raw_name.decode("utf-8", "replace")
    if name not in MAX_ENTRY_BYTES:
        raise InvalidBundle(f"Entry {name[:100]!r} does not belong in a bundle.")
    if stat.S_IFMT(attributes >> 16) not in (0, stat.S_IFREG):
        raise InvalidBundle(f"Entry {name!r} is not a plain file.")
    if flags & 0x1:
        raise InvalidBundle(f"Entry {name!r} is encrypted.")
    if flags & ~_ALLOWED_FLAGS:
        raise InvalidBundle(f"Entry {name!r} is packed in an unknown way.")
    if method not in (0, 8):
        raise InvalidBundle(f"Entry {name!r} is compressed in an unknown way.")
    return _Entry(name, raw_name, method, crc, packed, size, offset), following


def _find_data(file: IO[bytes], entry: _Entry) -> int:
    """Return where the packed bytes begin; the entry's own header must say what the list says."""
    header = _LOCAL.unpack(_read_at(file, entry.offset, _LOCAL.size))
    signature, _, _, method, _, _, crc, packed, size, name_length, extra_length = header
    start: int = entry.offset + _LOCAL.size
    same = (method, crc, packed, size) == (entry.method, entry.crc, entry.packed, entry.size)
    if signature != b"PK\x03\x04" or not same or _read_at(file, start, name_length) != entry.raw_name:
        raise InvalidBundle(f"Entry {entry.name!r} is not where the list of entries says.")
    after_name: int = start + name_length + extra_length
    return after_name


def _read_entry(file: IO[bytes], entry: _Entry, start: int) -> bytes:
    data = _read_at(file, start, entry.packed)
    if entry.method == 8:
        inflater = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            # One byte more than announced: a longer entry shows by its length, however long it is.
            data = inflater.decompress(data, entry.size + 1)
        except zlib.error as error:
            raise InvalidBundle(f"Entry {entry.name!r} cannot be decompressed.") from error
    if len(data) != entry.size:
        raise InvalidBundle(f"Entry {entry.name!r} has another size than announced.")
    if zlib.crc32(data) != entry.crc:
        raise InvalidBundle(f"Entry {entry.name!r} is damaged.")
    return data


def _read_at(file: IO[bytes], at: int, size: int) -> bytes:
    if at < 0:
        raise InvalidBundle("The file is not a complete ZIP file. Export or copy it again.")
    file.seek(at)
    data = file.read(size)
    if len(data) != size:
        raise InvalidBundle(_DAMAGED)
    return data
