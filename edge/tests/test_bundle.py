"""Somebody hands over a file that claims to be a bundle."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from decision_edge import EdgePredictor, InvalidBundle, __version__
from decision_edge._bundle.manifest import check_manifest
from decision_edge._bundle.release import digest_release
from service import PATIENCE_S
from tiny_bundle import parts, seal, write_zip

RELEASES = json.loads((Path(__file__).parents[2] / "test/cases/releases.json").read_text("utf-8"))


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


def test_a_bundle_is_a_path_bytes_or_a_file_object(make_bundle: Any) -> None:
    path = make_bundle()
    data = path.read_bytes()
    reader, writer = os.pipe()
    os.write(writer, data)
    os.close(writer)
    file = io.BytesIO(data)
    with open(reader, "rb") as pipe:
        for source in (path, str(path), data, bytearray(data), memoryview(data), file, pipe):
            assert EdgePredictor.from_bundle(source).predict({"loan": {"amount": 5}}).decision == "approve"
    assert not file.closed
    with pytest.raises(TypeError, match="not int"):
        EdgePredictor.from_bundle(5)  # type: ignore[arg-type]
    with open(path, encoding="latin-1") as text, pytest.raises(TypeError, match="not a file opened as text"):
        EdgePredictor.from_bundle(text)  # type: ignore[arg-type]


def test_messages_begin_with_the_name_of_the_file(make_bundle: Any, tmp_path: Path) -> None:
    path = make_bundle(fallback_option="nobody")
    assert refusal(path).startswith(f"{path}: manifest.json is not as the format says: fallback_option")
    with path.open("rb") as file, pytest.raises(InvalidBundle, match=re.escape(str(path))):
        EdgePredictor.from_bundle(file)
    with pytest.raises(InvalidBundle, match=r"^bundle: The file is not a complete ZIP file"):
        EdgePredictor.from_bundle(b"PK")


def test_a_huge_list_of_entries_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "b.zip", {**seal(parts()), **{f"x{i}": b"" for i in range(2000)}})
    assert "more than 32 entries" in refusal(path)


def test_a_long_list_of_few_entries_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "b.zip", {**seal(parts()), "x" * 60_000: b"", "y" * 60_000: b""})
    assert "list of entries is too large" in refusal(path)


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


def test_a_plan_that_does_not_fit_the_classifier_is_refused(make_bundle: Any) -> None:
    def change(entries: dict[str, Any]) -> None:
        fields = entries["features.json"]["fields"]
        entries["features.json"].update(fields=fields * 2, tabular_size=4)

    assert "does not fit" in refusal(make_bundle(change))


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


def test_a_bundle_of_before_0_2_0_or_for_a_newer_package_is_refused_with_the_way(make_bundle: Any) -> None:
    assert "which versions before 0.2.0 wrote. Export it again with version 0.2.0" in refusal(
        make_bundle(format_version=1)
    )
    newer = refusal(make_bundle(min_reader="0.99.0", something_new=True))
    assert f"only version 0.99.0 and later of decision-edge read rightly; this is {__version__}." in newer
    assert "Install the wheel of version 0.99.0 or later." in newer
    EdgePredictor.from_bundle(make_bundle(min_reader=__version__))


def test_what_a_policy_was_trained_from_may_be_left_out_and_is_checked_otherwise(make_bundle: Any) -> None:
    known = {"version": 1, "snapshot_sha256": "0" * 64, "seed": 7, "node": "v24.1.0", "runtime": None}
    for training in (None, known, {**known, "snapshot_sha256": None, "seed": None}):
        EdgePredictor.from_bundle(make_bundle(training=training))
    for change in ({"version": 0}, {"seed": -1}, {"snapshot_sha256": "0"}, {"node": 24}, {"another": 1}):
        assert "manifest.json" in refusal(make_bundle(training={**known, **change}))


@pytest.mark.parametrize("case", RELEASES, ids=lambda case: case["note"])
def test_what_decides_has_the_name_that_the_workbench_gives_it(case: Any) -> None:
    check_manifest(case["manifest"])
    assert digest_release(case["manifest"]) == case["digest"]


def test_decisions_name_what_decides_whatever_it_is_called(make_bundle: Any) -> None:
    seen = []
    for settings in ({}, {"decision_type": "other", "policy_version": "v9"}, {"fallback_option": "review"}):
        predictor = EdgePredictor.from_bundle(make_bundle(**settings))
        decision = predictor.predict({"loan": {"amount": 4}})
        assert predictor.info["digest"] == decision.digest == predictor.predict_many([{}])[0].digest
        seen.append(decision.digest)
    assert seen[0] == seen[1] != seen[2]


def test_info_and_decisions_say_which_bundle_it_is(make_bundle: Any) -> None:
    """Two bundles that decide otherwise have different digests, and every decision carries its bundle's."""
    seen = set()
    for fallback in (None, "review"):
        path = make_bundle(fallback_option=fallback)
        with zipfile.ZipFile(path) as archive:
            digest = hashlib.sha256(archive.read("manifest.json")).hexdigest()
        predictor = EdgePredictor.from_bundle(path)
        decision = predictor.predict({"loan": {"amount": 4}})
        assert predictor.info["bundle_digest"] == decision.bundle_digest == digest
        assert decision.policy_version == "v3"
        seen.add(digest)
    assert len(seen) == 2


MEASURE = """
import resource, sys
from decision_edge import EdgePredictor, InvalidBundle, __version__
EdgePredictor.from_bundle(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    EdgePredictor.from_bundle(sys.argv[2])
except InvalidBundle as error:
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024, error)
"""

MEBIBYTE = 1024 * 1024
HOARDERS = {
    "39 MB of empty lists": ("reasons.json", b'{"by_option":[' + b"[]," * (13 * MEBIBYTE) + b"[]]}"),
    "as many empty lists as an entry may have bytes": ("features.json", b"[" + b"[]," * (2 * MEBIBYTE) + b"[]]"),
    "a long text with one wide character": ("features.json", b'["' + b"x" * (7 * MEBIBYTE) + "🙂".encode() + b'"]'),
    "golden vectors of empty objects": ("golden.jsonl", b"{}\n" * (9 * MEBIBYTE)),
    "one endless golden vector": ("golden.jsonl", b'{"input":' + b" " * (30 * MEBIBYTE)),
    "a graph of tiny parts": ("classifier.onnx", b"\x08\x01" * (15 * MEBIBYTE)),
    "a large graph of nothing": ("classifier.onnx", bytes(30 * MEBIBYTE)),
    "a large model card": ("model-card.md", bytes(60 * MEBIBYTE)),
}


@pytest.mark.parametrize("case", HOARDERS)
def test_a_refused_file_takes_little_memory(make_bundle: Any, tmp_path: Path, case: str) -> None:
    honest = make_bundle().rename(tmp_path / "honest.zip")
    entry, content = HOARDERS[case]
    hostile = make_bundle(lambda entries: entries.update({entry: content}))
    assert hostile.stat().st_size < MEBIBYTE
    folders = os.pathsep.join(str(Path(__file__).parents[1] / name) for name in ("src", "tests"))
    environment = {**os.environ, "PYTHONPATH": folders}
    command = [sys.executable, "-c", MEASURE, str(honest), str(hostile)]
    done = subprocess.run(command, capture_output=True, env=environment, timeout=PATIENCE_S, check=True)
    grown, _, refusal_text = done.stdout.decode().partition(" ")
    assert refusal_text
    assert int(grown) < 100, done.stdout


def test_the_worked_example_of_the_format_comes_out_as_it_says() -> None:
    from decision_edge._model.features import TabularFeatures

    page = (Path(__file__).parents[2] / "docs" / "bundle-format.md").read_text("utf-8")
    block = page.split("## Worked example")[1].split("```json\n")[1].split("```")[0]
    example = json.loads(block, parse_int=float)
    dense = TabularFeatures(json.loads(block)["features"]).encode(example["input"])
    assert [round(value, 6) for value in dense] == pytest.approx(example["dense"])
