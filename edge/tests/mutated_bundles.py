"""The shared mutations of bundles, applied: test/engine/deciding/mutated-bundles.ts does the same in TypeScript."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import struct
import warnings
import zipfile
from pathlib import Path
from typing import Any

CASES = json.loads((Path(__file__).parents[2] / "test" / "cases" / "mutated-bundles.json").read_text("utf-8"))


def mutate(mutation: dict[str, Any]) -> bytes:
    """Return the bytes of a mutated bundle."""
    base = CASES["bases"][mutation.get("base", "tabular")]
    entries = {name: to_bytes(content) for name, content in base.items()}
    for operation in mutation.get("parts", []):
        change_entry(entries, operation)
    list_files(entries)
    for operation in mutation.get("manifest", []):
        change_entry(entries, operation)
    digest = hashlib.sha256(entries["manifest.json"]).hexdigest()
    entries["manifest.sha256"] = f"{digest}  manifest.json\n".encode()
    for operation in mutation.get("sealed", []):
        change_entry(entries, operation)
    changes = mutation.get("zip", [])
    files = [*entries.items(), *((change["entry"], b"{}") for change in changes if change["op"] == "twice")]
    data = write_zip(files)
    for operation in changes:
        data = change_zip(data, operation)
    return data


def to_bytes(content: Any) -> bytes:
    return content.encode() if isinstance(content, str) else base64.b64decode(content["base64"])


def list_files(entries: dict[str, bytes]) -> None:
    """List size and digest of every entry, where the manifest still is an object."""
    text = entries["manifest.json"].decode()
    if not text.endswith("}"):
        return
    files = {
        name: {"sha256": hashlib.sha256(data).hexdigest(), "size_bytes": len(data)}
        for name, data in entries.items()
        if name != "manifest.json"
    }
    entries["manifest.json"] = f'{text[:-1]},"files":{json.dumps(files, separators=(",", ":"))}}}'.encode()


def change_entry(entries: dict[str, bytes], operation: dict[str, Any]) -> None:
    op, entry = operation["op"], operation["entry"]
    if op == "drop":
        entries.pop(entry, None)
    elif op == "put":
        entries[entry] = to_bytes(operation if "base64" in operation else operation["text"])
    elif op == "trim":
        entries[entry] = entries[entry].rstrip()
    elif op == "repeat":
        entries[entry] = (operation["before"] + operation["text"] * operation["count"] + operation["after"]).encode()
    elif op == "replace":
        find = operation["find"].encode()
        assert find in entries[entry]
        entries[entry] = entries[entry].replace(find, operation["with"].encode(), 1)
    else:
        root = parent = json.loads(entries[entry])
        *way, last = operation["path"]
        for key in way:
            parent = parent[key]
        if op == "set":
            parent[last] = operation["value"]
        else:
            del parent[last]
        entries[entry] = json.dumps(root, ensure_ascii=False, separators=(",", ":")).encode()


def write_zip(files: list[tuple[str, bytes]]) -> bytes:
    file = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # A name that occurs twice is wanted here.
        for name, data in files:
            archive.writestr(name, data)
    return file.getvalue()


def change_zip(data: bytes, operation: dict[str, Any]) -> bytes:
    op, text = operation["op"], operation.get("text", "").encode()
    if op == "prepend":
        return text + data
    if op == "append":
        return data + text
    if op == "cut":
        return data[: max(0, len(data) - operation["count"])]
    if op == "twice":
        return data
    end = len(data) - 22
    directory = struct.unpack_from("<L", data, end + 16)[0]
    if op == "wedge":
        wedged = bytearray(data[:directory] + text + data[directory:])
        struct.pack_into("<L", wedged, len(wedged) - 6, directory + len(text))
        return bytes(wedged)
    name = operation.get("entry", "").encode()
    starts = {"end": end, "local": data.index(name) - 30, "central": data.index(name, directory) - 46}
    at, change = starts[operation["record"]] + operation["at"], bytes.fromhex(operation["hex"])
    return data[:at] + change + data[at + len(change) :]
