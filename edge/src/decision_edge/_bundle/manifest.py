"""Reading `manifest.json`: every setting as the workbench's own schema says, and none that it does not name."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path

from .._errors import InvalidBundle
from .._json import JsonObject, JsonValue, expect_list, expect_number, expect_object, read_record, reading
from .._tables import NEWEST_READER, VERSION
from .shapes import Shape, check_shape

FORMAT_VERSION = 2
_SHAPE: Shape = json.loads(Path(__file__).with_name("manifest.schema.json").read_text("utf-8"))
_VERSION = re.compile(r"(\d{1,9})\.(\d{1,9})\.(\d{1,9})", re.ASCII)


def check_manifest(manifest: JsonObject) -> None:
    """Raise InvalidBundle where a setting is missing, unknown, of another type or out of its range."""
    version = manifest.get("format_version")
    if version == 1 and not isinstance(version, bool):
        raise InvalidBundle(
            "The bundle has format 1, which versions before 0.2.0 wrote. Export it again with version 0.2.0, or train"
            " the type again."
        )
    if version != FORMAT_VERSION:
        raise InvalidBundle(
            f"Bundle format {version!r} is not known to this version, which reads format {FORMAT_VERSION}."
        )
    _check_min_reader(manifest.get("min_reader", "0.2.0"))
    with reading("manifest.json"):
        check_shape(_SHAPE, manifest)
        read_record(manifest["files"])
        _check_options(manifest, expect_list(manifest["options"]))
        _check_thresholds(expect_object(manifest["confidence_thresholds"]))
        if manifest["classifier"] is None and manifest["fallback_option"] is None:
            raise ValueError("fallback_option must be set where rules alone decide")
        if manifest["classifier"] is None and manifest["text"] is not None:
            raise ValueError("text must be null where rules alone decide")


def _check_min_reader(needed: JsonValue) -> None:
    """Refuse a bundle that uses what only a later version reads rightly, before anything in it is looked at."""
    match = _VERSION.fullmatch(needed) if isinstance(needed, str) else None
    if match is None:
        raise InvalidBundle("manifest.json is not as the format says: min_reader must be a version such as 0.3.0.")
    if tuple(map(int, match.groups())) > tuple(map(int, NEWEST_READER.split("."))):
        raise InvalidBundle(
            f"The bundle uses what only version {needed} and later of decision-edge read rightly; this is {VERSION}."
            f" Install the wheel of version {needed} or later."
        )


def check_manifest_digest(data: bytes, stated: bytes | None) -> None:
    """Compare the manifest's bytes with `manifest.sha256`."""
    if stated is None:
        raise InvalidBundle("Entry 'manifest.sha256' is missing.")
    if stated != f"{hashlib.sha256(data).hexdigest()}  manifest.json\n".encode():
        raise InvalidBundle("Entry 'manifest.json' has another SHA-256 than manifest.sha256 says.")


def _check_options(manifest: JsonObject, options: list[JsonValue]) -> None:
    """Refuse what names an option that there is not, or all of them where some must be left."""
    fallback = manifest["fallback_option"]
    if fallback is not None and fallback not in options:
        raise ValueError(f"fallback_option {fallback!r} is none of the options")
    for name in ("set_aside", "never_alone"):
        if any(option not in options for option in expect_list(manifest.get(name, []))):
            raise ValueError(f"{name} must name options")
    if all(option in expect_list(manifest.get("set_aside", [])) for option in options):
        raise ValueError("set_aside must leave an option")
    for mark in map(expect_object, expect_list(manifest.get("questions", []))):
        named, is_yes = expect_list(mark["options"]), mark["kind"] == "predicate"
        if any(option not in options for option in named) or len(named) != (1 if is_yes else len(options)):
            raise ValueError("questions must name one option of a yes or no, else every option once")
    own = read_record(expect_object(manifest["confidence_thresholds"]).get("by_option", {}))
    if any(option not in options for option in own):
        raise ValueError("confidence_thresholds.by_option must name options")


def _check_thresholds(thresholds: JsonObject) -> None:
    if expect_number(thresholds["escalation"]) > expect_number(thresholds["auto_decide"]):
        raise ValueError("confidence_thresholds must be 0 ≤ escalation ≤ auto_decide ≤ 1")


def list_files(manifest: JsonObject) -> Mapping[str, JsonObject]:
    """Return size and SHA-256 of every listed entry of a checked manifest."""
    return {name: expect_object(facts) for name, facts in expect_object(manifest["files"]).items()}
