"""Somebody hands over a file that claims to be a bundle."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest

from decision_edge import EdgePredictor, InvalidBundle
from tiny_bundle import parts, seal, write_zip


def refusal(path: Path) -> str:
    with pytest.raises(InvalidBundle) as caught:
        EdgePredictor.from_bundle(path)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_an_honest_bundle_opens_and_says_what_it_is(make_bundle: Any) -> None:
    info = EdgePredictor.from_bundle(make_bundle()).info
    assert info["decision_type"] == "loan"
    assert info["policy_version"] == "v3"
    assert info["options"] == ["approve", "review", "reject"]


def test_path_may_be_a_string(make_bundle: Any) -> None:
    assert EdgePredictor.from_bundle(str(make_bundle())).predict({"loan": {"amount": 5}}).decision == "approve"


def test_bytes_and_file_objects_are_bundles_too(make_bundle: Any) -> None:
    data = make_bundle().read_bytes()
    reader, writer = os.pipe()
    os.write(writer, data)
    os.close(writer)
    file = io.BytesIO(data)
    with open(reader, "rb") as pipe:
        for source in (data, bytearray(data), memoryview(data), file, pipe):
            assert EdgePredictor.from_bundle(source).predict({"loan": {"amount": 5}}).decision == "approve"
    assert not file.closed
    with pytest.raises(TypeError, match="not int"):
        EdgePredictor.from_bundle(5)  # type: ignore[arg-type]


def test_messages_begin_with_the_name_of_the_file(make_bundle: Any, tmp_path: Path) -> None:
    path = make_bundle(fallback_option="nobody")
    assert refusal(path).startswith(f"{path}: manifest.json: fallback_option")
    with path.open("rb") as file, pytest.raises(InvalidBundle, match=re.escape(str(path))):
        EdgePredictor.from_bundle(file)
    with pytest.raises(InvalidBundle, match=r"^bundle: The file is not a ZIP file"):
        EdgePredictor.from_bundle(b"PK")


@pytest.mark.parametrize(
    "name", ["../evil.txt", "/etc/passwd", "C:\\evil", "text/../evil", "Manifest.json", "rules.json/", "evil.py"]
)
def test_names_outside_the_list_are_refused(tmp_path: Path, name: str) -> None:
    path = write_zip(tmp_path / "b.zip", {**seal(parts()), name: b"x"})
    assert "does not belong" in refusal(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["b.zip"]


def test_a_name_hidden_behind_nul_is_refused(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "b.zip", {**seal(parts()), "input_schema.json_.py": b"x"})
    path.write_bytes(path.read_bytes().replace(b"input_schema.json_.py", b"input_schema.json\x00.py"))
    refusal(path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_entry_twice_is_refused(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "b.zip", seal(parts()))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("rules.json", b"{}")
    assert "twice" in refusal(path)


def test_a_symbolic_link_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "b.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in seal(parts()).items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (0o120777 if name == "LICENSES" else 0o100644) << 16
            archive.writestr(info, data)
    assert "not a plain file" in refusal(path)


def test_an_encrypted_entry_is_refused(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "b.zip", seal(parts()))
    data = bytearray(path.read_bytes())
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    assert "encrypted" in refusal(path)


def test_other_compression_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "b.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        for name, data in seal(parts()).items():
            archive.writestr(name, data)
    assert "unknown way" in refusal(path)


def test_a_zip_bomb_is_refused_by_its_announced_size(tmp_path: Path) -> None:
    entries = {**seal(parts()), "model-card.md": bytes(40 * 1024 * 1024)}
    assert "times the file" in refusal(write_zip(tmp_path / "b.zip", entries))


def test_more_than_the_allowed_size_is_refused(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "b.zip", seal(parts()))
    data = bytearray(path.read_bytes())
    struct.pack_into("<L", data, data.rindex(b"PK\x01\x02") + 24, 300 * 1024 * 1024)
    path.write_bytes(data)
    assert "unpack to more" in refusal(path)


@pytest.mark.parametrize("announced", [1, 100_000])
def test_an_entry_that_lies_about_its_size_is_refused(tmp_path: Path, announced: int) -> None:
    path = write_zip(tmp_path / "b.zip", seal(parts()))
    data = bytearray(path.read_bytes())
    struct.pack_into("<L", data, data.rindex(b"PK\x01\x02") + 24, announced)
    path.write_bytes(data)
    refusal(path)


def test_a_huge_list_of_entries_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "b.zip", {**seal(parts()), **{f"x{i}": b"" for i in range(2000)}})
    assert "list of entries is too large" in refusal(path)


def test_too_many_entries_are_refused(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "b.zip", {**seal(parts()), **{f"x{i}": b"" for i in range(40)}})
    assert "more than 32 entries" in refusal(path)


@pytest.mark.parametrize("name", ["manifest.json", "rules.json", "classifier.onnx", "golden.jsonl"])
def test_a_missing_entry_is_named(tmp_path: Path, name: str) -> None:
    entries = seal(parts())
    del entries[name]
    assert f"{name!r} is missing" in refusal(write_zip(tmp_path / "b.zip", entries))


def test_a_changed_entry_is_named(tmp_path: Path) -> None:
    entries = seal(parts())
    entries["reasons.json"] = entries["reasons.json"].replace(b"SMALL", b"LARGE")
    message = refusal(write_zip(tmp_path / "b.zip", entries))
    assert "reasons.json" in message
    assert "SHA-256" in message


def test_an_unlisted_entry_is_refused(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "b.zip", {**seal(parts()), "input_schema.json": b"{}"})
    assert "input_schema.json" in refusal(path)


def test_every_cut_of_the_file_is_refused(make_bundle: Any, tmp_path: Path) -> None:
    whole = make_bundle().read_bytes()
    cut = tmp_path / "cut.zip"
    for length in range(0, len(whole), 97):
        cut.write_bytes(whole[:length])
        refusal(cut)


def test_flipped_bytes_are_refused_or_harmless(make_bundle: Any, tmp_path: Path) -> None:
    whole = make_bundle().read_bytes()
    damaged = tmp_path / "damaged.zip"
    for position in range(0, len(whole), 13):
        data = bytearray(whole)
        data[position] ^= 0xFF
        damaged.write_bytes(data)
        try:
            predictor = EdgePredictor.from_bundle(damaged)
        except InvalidBundle:
            continue
        # What still opens passed the hashes: only ZIP dates and the like were hit.
        assert predictor.predict({"loan": {"amount": 4}}).decision == "approve"


@pytest.mark.parametrize("content", [b"", b"PK\x05\x06", os.urandom(5000), b"%PDF-1.7 and so on", b"{}"])
def test_foreign_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "b.zip"
    path.write_bytes(content)
    assert "ZIP" in refusal(path)


def test_no_file_and_a_folder(tmp_path: Path) -> None:
    assert "cannot be read" in refusal(tmp_path / "none.zip")
    assert "cannot be read" in refusal(tmp_path)


def test_a_newer_format_is_refused(make_bundle: Any) -> None:
    assert "format 2 is not known" in refusal(make_bundle(format_version=2))


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("options", ["approve"]),
        ("options", ["approve", "approve", "reject"]),
        ("options", None),
        ("options", ["approve", "reject"]),
        ("fallback_option", "nobody"),
        ("confidence_thresholds", {}),
        ("escalation_policy", {"between": "panic"}),
        ("confidence_thresholds", {"auto_decide": 10**400, "escalation": 0}),
        ("confidence_thresholds", {"auto_decide": "0.9", "escalation": 0.5}),
        ("confidence_thresholds", {"auto_decide": 7, "escalation": 0.5}),
        ("confidence_thresholds", {"auto_decide": 0.5, "escalation": 0.6}),
        ("confidence_thresholds", {"auto_decide": 0.5, "escalation": -0.1}),
        ("options", ["approve", "", "reject"]),
        ("options", ["approve", "__proto__", "reject"]),
        ("options", ["approve", "x" * 201, "reject"]),
        ("escalation_policy", {"between": "flag", "unfamiliar": "perhaps"}),
        ("options", "abc"),
        ("options", [1, 2, 3]),
        ("fallback_option", ["approve"]),
    ],
)
def test_settings_that_make_no_sense_are_refused(make_bundle: Any, setting: str, value: Any) -> None:
    refusal(make_bundle(**{setting: value}))


@pytest.mark.parametrize("entry", ["features.json", "rules.json", "reasons.json"])
@pytest.mark.parametrize("content", [b"[]", b"{}", b"nonsense", b'{"rules": 5}', b"[" * 100_000])
def test_parts_of_another_shape_are_refused(make_bundle: Any, entry: str, content: bytes) -> None:
    refusal(make_bundle(lambda entries: entries.update({entry: content})))


@pytest.mark.parametrize("number", [10**400, True, "1", None], ids=["huge", "boolean", "string", "null"])
@pytest.mark.parametrize("setting", ["median", "mean", "std"])
def test_a_number_of_the_plan_that_is_none_is_refused(make_bundle: Any, setting: str, number: object) -> None:
    def change(entries: dict[str, Any]) -> None:
        entries["features.json"]["fields"][0][setting] = number

    assert "features.json: a field is not as the format says: a number" in refusal(make_bundle(change))


def test_a_plan_that_does_not_fit_the_classifier_is_refused(make_bundle: Any) -> None:
    def change(entries: dict[str, Any]) -> None:
        fields = entries["features.json"]["fields"]
        entries["features.json"].update(fields=fields * 2, tabular_size=4)

    assert "does not fit" in refusal(make_bundle(change))


def test_a_broken_classifier_is_refused(make_bundle: Any) -> None:
    assert "classifier.onnx" in refusal(make_bundle(lambda entries: entries.update({"classifier.onnx": b"junk"})))


def test_a_classifier_with_outside_data_is_refused(make_bundle: Any) -> None:
    import onnx

    def change(entries: dict[str, Any]) -> None:
        model = onnx.load(io.BytesIO(entries["classifier.onnx"]))
        tensor = model.graph.initializer[0]
        tensor.data_location = onnx.TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="/etc/passwd")
        entries["classifier.onnx"] = model.SerializeToString()

    assert "outside" in refusal(make_bundle(change))


def slim_text(entries: dict[str, Any], tokenizer: bytes) -> None:
    ngrams = {"unigrams": [1], "bigrams": [], "idf": [1.0], "scale": 1.0}
    entries["features.json"].update(text={"fields": [["note"]], "ngrams": ngrams, "encoder": None})
    digest = hashlib.sha256(tokenizer).hexdigest()
    entries["manifest.json"].update(text={"encoder_sha256": None, "tokenizer_sha256": digest, "slim": True})


def test_a_slim_bundle_asks_for_its_text_model(make_bundle: Any, tmp_path: Path) -> None:
    path = make_bundle(lambda entries: slim_text(entries, b"{}"))
    assert "text_model" in refusal(path)
    with pytest.raises(InvalidBundle, match="cannot be read"):
        EdgePredictor.from_bundle(path, text_model=tmp_path)
    (tmp_path / "tokenizer.json").write_text(json.dumps({"other": 1}))
    with pytest.raises(InvalidBundle, match="not the one"):
        EdgePredictor.from_bundle(path, text_model=tmp_path)


def test_error_codes_are_those_of_the_workbench() -> None:
    from decision_edge import _errors

    table = (Path(__file__).parents[2] / "src" / "engine" / "errors.ts").read_text("utf-8")
    for name in _errors.__all__:
        assert f"  {getattr(_errors, name).code}: {{ status:" in table
