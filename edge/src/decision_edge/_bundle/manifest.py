"""Reading `manifest.json`: every setting by its type and range, and none that the format does not name."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from .._errors import InvalidBundle
from .._json import (
    JsonObject,
    JsonValue,
    expect_integer,
    expect_keys,
    expect_list,
    expect_number,
    expect_object,
    expect_string,
    read_record,
    reading,
)
from .._tables import (
    CLASSIFIER_KINDS,
    DATE_TIME,
    FIELD_KINDS,
    MAX_NAME_LENGTH,
    MAX_OPTIONS,
    MAX_REASON_CODES,
    NEWEST_READER,
    VERSION,
)

__all__ = ["check_manifest", "check_manifest_digest", "list_files"]

FORMAT_VERSION = 2
_KEYS = frozenset(
    {
        "format_version",
        "tool_version",
        "decision_type",
        "version",
        "policy_id",
        "policy_version",
        "options",
        "reason_codes",
        "confidence_thresholds",
        "escalation_policy",
        "fallback_option",
        "created_at",
        "classifier",
        "text",
        "files",
        "revision",
        "runtime",
    }
)
# Facts about training, options, fields, promise, golden inputs and personal fields; earlier bundles have none.
_OPTIONAL_KEYS = frozenset(
    {
        "training",
        "set_aside",
        "never_alone",
        "fields",
        "promise",
        "golden_inputs",
        "readings",
        "questions",
        "pii_fields",
        "min_reader",
    }
)
_FIELD_KEYS = frozenset({"path", "kind", "required", "missing", "values", "range"})
_VERSION = re.compile(r"(\d{1,9})\.(\d{1,9})\.(\d{1,9})", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}")
_DATE_TIME = re.compile(DATE_TIME, re.ASCII)


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
        expect_keys(manifest, _KEYS, _OPTIONAL_KEYS)
        for name in ("tool_version", "decision_type", "policy_id", "policy_version"):
            expect_string(manifest[name])
        if expect_integer(manifest["version"]) < 1:
            raise ValueError("version must be 1 or more")
        if not _DATE_TIME.fullmatch(expect_string(manifest["created_at"])):
            raise ValueError("created_at is no time")
        _expect_sha256(manifest["revision"])
        if manifest["runtime"] is not None:
            expect_string(manifest["runtime"])
        _check_training(manifest.get("training"))
        for field in expect_list(manifest.get("fields", [])):
            _check_field(expect_keys(field, _FIELD_KEYS))
        _check_promise(manifest.get("promise"))
        for each in expect_list(manifest.get("readings", [])):
            _check_reading(expect_keys(each, frozenset({"path", "reading"})))
        _expect_one_of(manifest.get("golden_inputs", "examples"), ("synthetic", "examples"), "golden_inputs")
        _check_names(manifest)
        if "set_aside" in manifest:
            _check_set_aside(expect_list(manifest["set_aside"]), expect_list(manifest["options"]))
        _check_questions(manifest.get("questions", {}), expect_list(manifest["options"]))
        if "pii_fields" in manifest and not all(map(expect_string, expect_list(manifest["pii_fields"]) or [""])):
            raise ValueError("pii_fields must name paths")
        options = expect_list(manifest["options"])
        if any(option not in options for option in expect_list(manifest.get("never_alone", []))):
            raise ValueError("never_alone must name options")
        _check_escalation(manifest)
        _check_parts(manifest)


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


def _check_training(training: JsonValue) -> None:
    if training is None:
        return
    facts = expect_keys(training, frozenset({"version", "snapshot_sha256", "seed", "node", "runtime"}))
    if expect_integer(facts["version"]) < 1:
        raise ValueError("training.version must be 1 or more")
    if facts["snapshot_sha256"] is not None:
        _expect_sha256(facts["snapshot_sha256"])
    if facts["seed"] is not None and expect_integer(facts["seed"]) < 0:
        raise ValueError("training.seed must be 0 or more")
    for name in ("node", "runtime"):
        if facts[name] is not None:
            expect_string(facts[name])


def _check_field(field: JsonObject) -> None:
    if not [expect_string(key) for key in expect_list(field["path"])]:
        raise ValueError("the path of a field is empty")
    _expect_one_of(field["kind"], FIELD_KINDS, "the kind of a field")
    if not isinstance(field["required"], bool):
        raise ValueError("required of a field is no boolean")
    if field["missing"] is not None and not 0 <= expect_number(field["missing"]) <= 1:
        raise ValueError("missing of a field must be 0 to 1")
    if field["values"] is not None:
        for value in expect_list(field["values"]):
            expect_string(value)
    if field["range"] is not None:
        ends = expect_list(field["range"])
        if len(ends) != 2 or isinstance(ends[0], str) != isinstance(ends[1], str):
            raise ValueError("the range of a field must be two numbers or two strings")
        for end in ends:
            expect_string(end) if isinstance(end, str) else expect_number(end)


def _check_reading(each: JsonObject) -> None:
    if not [expect_string(key) for key in expect_list(each["path"])]:
        raise ValueError("the path of a reading is empty")
    reading = expect_object(each["reading"])
    kind, missing = reading.get("kind"), frozenset({"missing"})
    if kind == "number":
        expect_keys(reading, frozenset({"kind", "decimal"}), missing | {"unit"})
        _expect_one_of(reading["decimal"], (".", ","), "decimal of a reading")
        expect_string(reading.get("unit", ""))
    elif kind == "date":
        expect_keys(reading, frozenset({"kind", "order"}), missing)
        _expect_one_of(reading["order"], ("day_first", "month_first", "year_first"), "order of a reading")
    else:
        _expect_one_of(kind, ("boolean", "text"), "kind of a reading")
        expect_keys(reading, frozenset({"kind"}), missing | ({"yes", "no"} if kind == "boolean" else frozenset()))
    for name in ("missing", "yes", "no"):
        for word in expect_list(reading.get(name, [])):
            expect_string(word)


def _check_promise(promise: JsonValue) -> None:
    if promise is None:
        return
    facts = expect_keys(promise, frozenset({"state", "target_error", "certainty"}))
    if expect_string(facts["state"]) not in ("kept", "not_kept"):
        raise ValueError("promise.state must be kept or not_kept")
    for name in ("target_error", "certainty"):
        if not 0 <= expect_number(facts[name]) <= 1:
            raise ValueError(f"promise.{name} must lie between 0 and 1")


def check_manifest_digest(data: bytes, stated: bytes | None) -> None:
    """Compare the manifest's bytes with `manifest.sha256`."""
    if stated is None:
        raise InvalidBundle("Entry 'manifest.sha256' is missing.")
    if stated != f"{hashlib.sha256(data).hexdigest()}  manifest.json\n".encode():
        raise InvalidBundle("Entry 'manifest.json' has another SHA-256 than manifest.sha256 says.")


def _check_names(manifest: JsonObject) -> None:
    options = [expect_string(option) for option in expect_list(manifest["options"])]
    if not 2 <= len(options) <= MAX_OPTIONS or len(set(options)) != len(options):
        raise ValueError(f"options must be 2 to {MAX_OPTIONS} different names")
    codes = [expect_string(code) for code in expect_list(manifest["reason_codes"])]
    if len(codes) > MAX_REASON_CODES or len(set(codes)) != len(codes):
        raise ValueError(f"reason_codes must be up to {MAX_REASON_CODES} different names")
    for name in (*options, *codes):
        if not 1 <= len(name) <= MAX_NAME_LENGTH:
            raise ValueError(f"{name[:50]!r} cannot be a name")
    if "__proto__" in options:
        raise ValueError("'__proto__' cannot be the name of an option")
    fallback = manifest["fallback_option"]
    if fallback is not None and expect_string(fallback) not in options:
        raise ValueError(f"fallback_option {fallback!r} is none of the options")


def _check_set_aside(set_aside: list[JsonValue], options: list[JsonValue]) -> None:
    if not set_aside or any(expect_string(option) not in options for option in set_aside):
        raise ValueError("set_aside must name options")
    if all(option in set_aside for option in options):
        raise ValueError("set_aside must leave an option")


def _check_questions(questions: JsonValue, options: list[JsonValue]) -> None:
    marks = expect_keys(questions, frozenset(), frozenset({"yes", "order"}))
    if "yes" in marks and expect_string(marks["yes"]) not in options:
        raise ValueError("questions.yes must be one of the options")
    if "order" in marks:
        order = [expect_string(option) for option in expect_list(marks["order"])]
        if len(order) != len(options) or set(order) != set(options):
            raise ValueError("questions.order must name every option once")


def _check_escalation(manifest: JsonObject) -> None:
    known = frozenset({"auto_decide", "escalation"})
    thresholds = expect_keys(manifest["confidence_thresholds"], known, frozenset({"by_option"}))
    auto_decide, escalation = expect_number(thresholds["auto_decide"]), expect_number(thresholds["escalation"])
    if not 0 <= escalation <= auto_decide <= 1:
        raise ValueError("confidence_thresholds must be 0 ≤ escalation ≤ auto_decide ≤ 1")
    if "by_option" in thresholds:
        own, options = read_record(thresholds["by_option"]), expect_list(manifest["options"])
        if not own or any(option not in options or not 0 <= expect_number(own[option]) <= 1 for option in own):
            raise ValueError("confidence_thresholds.by_option must give one option or more a confidence of 0 to 1")
    known = frozenset({"enabled", "between", "connection", "timeout_ms", "unfamiliar"})
    policy = expect_keys(manifest["escalation_policy"], frozenset(), known)
    if not isinstance(policy.get("enabled", False), bool):
        raise ValueError("escalation_policy.enabled is no boolean")
    _expect_one_of(policy.get("between", "flag"), ("flag", "accept", "fallback", "escalate"), "between")
    _expect_one_of(policy.get("unfamiliar", "escalate"), ("escalate", "ignore"), "unfamiliar")
    if policy.get("connection") is not None:
        expect_string(policy["connection"])
    if not 100 <= expect_integer(policy.get("timeout_ms", 10_000)) <= 60_000:
        raise ValueError("escalation_policy.timeout_ms must be 100 to 60,000")


def _check_parts(manifest: JsonObject) -> None:
    if manifest["classifier"] is None:
        if manifest["fallback_option"] is None:
            raise ValueError("fallback_option must be set where rules alone decide")
        if manifest["text"] is not None:
            raise ValueError("text must be null where rules alone decide")
    else:
        kind = expect_keys(manifest["classifier"], frozenset({"kind"}))["kind"]
        _expect_one_of(kind, CLASSIFIER_KINDS, "classifier.kind")
    if manifest["text"] is not None:
        known = frozenset({"encoder_sha256", "tokenizer_sha256", "slim"})
        text = expect_keys(manifest["text"], known, frozenset({"base_model"}))
        if not 1 <= len(expect_string(text.get("base_model", "-"))) <= 200:
            raise ValueError("text.base_model must have 1 to 200 characters")
        for name in ("encoder_sha256", "tokenizer_sha256"):
            if text[name] is not None:
                _expect_sha256(text[name])
        if not isinstance(text["slim"], bool):
            raise ValueError("text.slim is no boolean")
    for facts in read_record(manifest["files"]).values():
        listed = expect_keys(facts, frozenset({"sha256", "size_bytes"}))
        _expect_sha256(listed["sha256"])
        if expect_integer(listed["size_bytes"]) < 0:
            raise ValueError("a file has a negative size")


def _expect_one_of(value: JsonValue, known: tuple[str, ...], name: str) -> None:
    if value not in known:
        raise ValueError(f"{name} is {value!r:.50}, which is none of {', '.join(known)}")


def _expect_sha256(value: JsonValue) -> None:
    if not _SHA256.fullmatch(expect_string(value)):
        raise ValueError("a SHA-256 must be 64 lower-case hex digits")


def list_files(manifest: JsonObject) -> Mapping[str, JsonObject]:
    """Return size and SHA-256 of every listed entry of a checked manifest."""
    return {name: expect_object(facts) for name, facts in expect_object(manifest["files"]).items()}
