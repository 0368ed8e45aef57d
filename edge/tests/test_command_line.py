"""Somebody checks a bundle and pipes lines through it, as another program would: in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from decision_edge import __version__
from decision_edge.__main__ import main
from service import PATIENCE_S, SOURCE


def run(*arguments: Any, stdin: bytes = b"", **variables: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-W", "error", "-m", "decision_edge", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONIOENCODING": "ascii", **variables}
    environment.pop("ORT_DISABLE_TELEMETRY", None)  # Set in this process by the package, which must set it itself.
    return subprocess.run(command, input=stdin, capture_output=True, env=environment, timeout=PATIENCE_S, check=False)


def test_a_decision_leaves_nothing_behind(make_bundle: Any, tmp_path: Path) -> None:
    """No id of the machine and no events to be sent, as ONNX Runtime keeps them of itself [EDG-8]."""
    bundle, home = make_bundle(), tmp_path / "home"
    home.mkdir()
    done = run("predict", bundle, stdin=b'{"loan": {"amount": 4}}', HOME=str(home), USERPROFILE=str(home))
    assert (done.returncode, done.stderr) == (0, b"")
    assert list(home.rglob("*")) == []


def test_verify_an_honest_bundle(make_bundle: Any) -> None:
    done = run("verify", make_bundle())
    assert done.stdout.decode().strip() == "2 golden vectors, 2 equal"
    assert done.returncode == 0


def test_verify_lists_what_differs(make_bundle: Any) -> None:
    def change(entries: dict[str, Any]) -> None:
        entries["golden.jsonl"] = entries["golden.jsonl"].replace(b'"decision": "reject"', b'"decision": "review"')

    done = run("verify", make_bundle(change))
    assert done.returncode == 1
    assert done.stdout.decode().splitlines() == [
        "golden vector 2: decision: expected 'review', got 'reject'",
        "2 golden vectors, 1 equal",
    ]


def test_verify_lists_an_input_that_the_schema_refuses(make_bundle: Any) -> None:
    schema = {"properties": {"loan": {"properties": {"amount": {"minimum": 0}}}}}
    done = run("verify", make_bundle(lambda entries: entries.update({"input_schema.json": schema}), golden=True))
    assert done.returncode == 1
    assert done.stdout.decode().splitlines() == [
        "golden vector 2: refused: The input does not fit the input schema: input.loan.amount does not satisfy"
        " minimum 0.0.",
        "2 golden vectors, 1 equal",
    ]


def test_verify_tells_small_differences_of_probabilities(make_bundle: Any) -> None:
    def change(entries: dict[str, Any]) -> None:
        lines = [json.loads(line) for line in entries["golden.jsonl"].splitlines()]
        lines[0]["output"]["class_probabilities"]["review"] += 0.002
        entries["golden.jsonl"] = "\n".join(map(json.dumps, lines)).encode()

    done = run("verify", make_bundle(change))
    assert done.returncode == 1
    assert done.stdout.startswith(b"golden vector 1: class_probabilities of 'review'")


def test_verify_refuses_what_it_cannot_check(make_bundle: Any, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.zip"
    foreign.write_bytes(b"PK\x03\x04 but not really")
    empty = make_bundle(lambda entries: entries.update({"golden.jsonl": b""}))
    for path in (foreign, empty, tmp_path / "absent.zip"):
        done = run("verify", path)
        assert done.returncode == 2
        assert done.stdout == b""
        assert len(done.stderr.splitlines()) == 1
        assert path.name in done.stderr.decode()


def test_verify_refuses_golden_vectors_of_another_shape(make_bundle: Any) -> None:
    for line in (b"[]", b"{}", b'{"input": {}, "output": 5}', b'{"input": [], "output": {}}', b"x"):
        done = run("verify", make_bundle(lambda entries, line=line: entries.update({"golden.jsonl": line})))
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1


def test_predict_line_by_line_in_order(make_bundle: Any) -> None:
    inputs = [{"loan": {"amount": amount}, "note": "naïve \u2028 text 🙂"} for amount in (4, -4, 0.5)]
    stdin = "\n".join(json.dumps(line, ensure_ascii=False) for line in inputs).encode()
    done = run("predict", make_bundle(), stdin=stdin)
    results = [json.loads(line) for line in done.stdout.split(b"\n")[:-1]]
    assert [result["decision"] for result in results] == ["approve", "reject", "approve"]
    assert done.returncode == 0
    assert done.stderr == b""
    assert set(results[0]) == {
        "decision",
        "confidence",
        "classifier_choice",
        "classifier_probability",
        "reason_codes",
        "stage",
        "class_probabilities",
        "rules_triggered",
        "escalate",
        "fallback_used",
        "unfamiliar",
        "policy_version",
        "digest",
        "bundle_digest",
        "unread",
        "rule_errors",
    }


def test_info_and_version(make_bundle: Any) -> None:
    done = run("info", make_bundle())
    info = json.loads(done.stdout)
    assert (info["decision_type"], info["options"]) == ("loan", ["approve", "review", "reject"])
    assert done.returncode == 0
    assert run("--version").stdout.decode().split() == ["decision-edge", __version__]


def test_a_reader_that_leaves_early_sees_no_traceback(make_bundle: Any) -> None:
    command = [sys.executable, "-W", "error", "-m", "decision_edge", "predict", str(make_bundle())]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, **streams) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"{}\n")
        process.stdin.flush()
        assert process.stdout.readline()
        process.stdout.close()
        process.stdin.write(b"{}\n" * 100)
        process.stdin.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_predict_answers_bad_lines_in_their_place(make_bundle: Any) -> None:
    bad = [
        b"",
        b"  ",
        b"{",
        b"[1]",
        b'{"a": NaN}',
        b'{"a": 1e999}',
        b'{"a": "\\ud800"}',
        b'{"a": "\\u0000"}',
        b"\xff",
        b"[" * 99999,
    ]
    lines = [line for one in bad for line in (one, b'{"loan": {"amount": 4}}')]
    done = run("predict", make_bundle(), stdin=b"\n".join(lines))
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(results) == len(lines)
    assert all(result["error"]["code"] == "validation_error" for result in results[0::2])
    assert {result["error"]["message"] for result in results[0:4:2]} == {"The line is blank."}
    assert all(result["decision"] == "approve" for result in results[1::2])
    assert done.returncode == 1


def test_serving_is_a_command_of_the_package_for_node(capsys: pytest.CaptureFixture[str]) -> None:
    """With the options that it had here [SRV-8]."""
    assert main(["serve", "loan.zip", "--workers", "2", "--log", "a"]) == 2
    assert "npx decision-edge serve BUNDLE" in capsys.readouterr().err
