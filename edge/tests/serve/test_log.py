"""A service logs its decisions to a file, from which the workbench takes them."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from decision_edge.__main__ import main
from decision_edge._serve.personal import PersonalFields
from service import Service

SHARED = json.loads((Path(__file__).parents[3] / "test" / "cases" / "personal-fields.json").read_text(encoding="utf-8"))
MASK = f"pii:{'0' * 24}"


def read_lines(*files: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("case", SHARED["cases"], ids=lambda case: case["name"])
def test_personal_values_are_found_as_in_the_workbench(case: dict[str, Any]) -> None:
    """[TYP-30]"""

    def fill(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: fill(each) for key, each in value.items()}
        if isinstance(value, list):
            return [fill(each) for each in value]
        return MASK if value == "#" else value

    assert PersonalFields(case["paths"]).mask(case["input"]) == fill(case["masked"])


def test_each_decision_has_a_line_before_its_answer(make_bundle: Any, tmp_path: Path) -> None:
    """Whichever way it was asked for, without personal values, and none for what is refused [SRV-14]."""
    log = tmp_path / "decisions.jsonl"
    with Service(make_bundle(pii_fields=["name", "loan.owner"]), "--log", log) as running:
        input = {"loan": {"amount": 4, "owner": "Ada"}, "name": "Zoë", "note": "naïve\n🙂"}
        answer = running.ask("POST", "/decide", {"type": "loan", "input": input}, x_request_id="order 7").body
        (line,) = read_lines(log)
        assert UUID(line.pop("id")).version == 4
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line.pop("created_at"))
        assert line.pop("input") == {"loan": {"amount": 4, "owner": MASK}, "name": MASK, "note": "naïve\n🙂"}
        assert line.pop("decision_type_version") == 1
        assert line.pop("decision_type") == "loan"
        same = {name: answer[{"escalated": "escalate"}.get(name, name)] for name in line}
        assert line == same
        assert set(answer) - set(same) == {"escalate", "bundle_digest", "unread"}

        items = [{"type": "loan", "input": {"loan": {"amount": at}}} for at in range(3)]
        running.ask("POST", "/api/v1/decide/batch", [*items, {"type": "loan", "input": 1}], x_request_id="b")
        question = {"type": "choice", "criteria": dict.fromkeys(("approve", "review", "reject"), "")}
        body = {"state": {"loan": {"amount": 9}}, "questions": {"first": question, "second": question}}
        running.ask("POST", "/v1/systemone", body, x_request_id="s")
        choices = [{"value": value} for value in ("approve", "review", "reject")]
        asked = {"type": "choice", "choices": choices}
        running.ask(
            "POST", "/v1/decisions", {"input": '{"loan": {"amount": 8}}', "questions": [asked]}, x_request_id="d"
        )
        refused = running.decide("loan", 7)
        assert refused["error"]["code"] == "validation_error"
        lines = read_lines(log)[1:]
        assert [(each["request_id"], each["input"]["loan"]["amount"]) for each in lines] == [
            ("b-0", 0),
            ("b-1", 1),
            ("b-2", 2),
            ("s", 9),
            ("d", 8),
        ]
        assert 'decision_edge_logged_total{written="true"} 6.0' in running.ask("GET", "/metrics").body
    assert "Zoë" not in log.read_text(encoding="utf-8")
    assert log.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("sync", ["always", "second"])
def test_several_workers_write_one_log(make_bundle: Any, tmp_path: Path, sync: str) -> None:
    """Line by line, also where one of them begins a new file [SRV-14] [SRV-15]."""
    log = tmp_path / "decisions.jsonl"
    options = ("--workers", 2, "--log", log, "--log-fsync", sync, "--log-size", 1)
    with Service(make_bundle(), *options) as running, ThreadPoolExecutor(8) as clients:

        def ask(number: int) -> None:
            items = [{"type": "loan", "input": {"loan": {"amount": number}, "note": "x" * 15_000}}] * 3
            answer = running.ask("POST", "/decide/batch", items, x_request_id=f"r{number}")
            assert answer.body["succeeded"] == 3

        list(clients.map(ask, range(40)))
    files = list(tmp_path.glob("decisions*"))
    assert len(files) > 1
    written = read_lines(*files)
    assert sorted(line["request_id"] for line in written) == sorted(f"r{n}-{at}" for n in range(40) for at in range(3))
    assert len({line["id"] for line in written}) == 120


def test_a_log_keeps_so_many_files_of_such_a_size(make_bundle: Any, tmp_path: Path) -> None:
    """The newest; one that was moved away counts no more [SRV-15]."""
    log = tmp_path / "decisions.jsonl"
    with Service(make_bundle(), "--log", log, "--log-size", 1, "--log-files", 2) as running:
        for amount in range(7):
            running.decide("loan", {"loan": {"amount": amount}, "note": "x" * 400_000})
        files = [log, tmp_path / "decisions.jsonl.1"]
        assert sorted(tmp_path.glob("decisions*")) == files
        assert [line["input"]["loan"]["amount"] for line in read_lines(*files)] == [6, 4, 5]
        log.rename(tmp_path / "taken.jsonl")
        running.decide("loan", {"loan": {"amount": 7}})
        assert [line["input"]["loan"]["amount"] for line in read_lines(*files)] == [7, 4, 5]


def test_half_a_line_of_a_killed_process_is_removed(make_bundle: Any, tmp_path: Path) -> None:
    """[SRV-15]"""
    log = tmp_path / "decisions.jsonl"
    with Service(make_bundle(), "--log", log) as running:
        running.decide("loan", {"loan": {"amount": 1}})
        os.kill(running.process.pid, signal.SIGKILL)
        running.process.wait()
    whole = log.read_bytes()
    log.write_bytes(whole + whole[:70] + b"x" * 100_000)
    with Service(make_bundle(), "--log", log) as running:
        running.decide("loan", {"loan": {"amount": 2}})
        with log.open("ab") as another:
            another.write(whole[:9])
        running.decide("loan", {"loan": {"amount": 3}})
    assert [line["input"]["loan"]["amount"] for line in read_lines(log)] == [1, 2, 3]


def test_what_cannot_be_logged_is_answered_and_counted(make_bundle: Any, tmp_path: Path) -> None:
    """It is said once, until the file can be written again [SRV-16]."""
    log = tmp_path / "decisions.jsonl"
    with Service(make_bundle(), "--log", log) as running:
        log.unlink()
        log.mkdir()
        for amount in (1, 2):
            assert running.decide("loan", {"loan": {"amount": amount}})["decision"] == "approve"
        assert 'decision_edge_logged_total{written="false"} 2.0' in running.ask("GET", "/metrics").body
        log.rmdir()
        running.decide("loan", {"loan": {"amount": 3}})
        assert 'decision_edge_logged_total{written="true"} 1.0' in running.ask("GET", "/metrics").body
    assert [line["input"]["loan"]["amount"] for line in read_lines(log)] == [3]
    said = [line for line in running.log if "decisions.jsonl" in line]
    assert [re.sub(r"^\S+ \S+ ", "", line).replace(str(log), "LOG") for line in said] == [
        "ERROR Decisions cannot be written to the log LOG: [Errno 21] Is a directory: 'LOG'."
        " They are answered all the same; /metrics counts those without a line.",
        "INFO The log LOG is written again.",
    ]


def test_a_full_disk_costs_lines_and_no_answers(make_bundle: Any, tmp_path: Path) -> None:
    """What was written in part is taken back [SRV-16]."""
    log = tmp_path / "decisions.jsonl"
    limited = ("sh", "-c", 'ulimit -f 40; exec "$0" "$@"', sys.executable)
    with Service(make_bundle(), "--log", log, prefix=limited) as running:
        answers = [running.decide("loan", {"loan": {"amount": at}, "note": "x" * 4_000}) for at in range(12)]
        assert [answer["decision"] for answer in answers] == ["approve"] * 12
        counted = re.findall(
            r'decision_edge_logged_total\{written="(\w+)"\} (\d+)', running.ask("GET", "/metrics").body
        )
    written = dict(counted)
    assert int(written["true"]) + int(written["false"]) == 12
    assert int(written["false"]) > 0
    assert [line["input"]["loan"]["amount"] for line in read_lines(log)] == list(range(int(written["true"])))


def test_a_log_that_cannot_be_written_is_said_before_the_service_listens(
    make_bundle: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """[SRV-16]"""
    bundle, pipe, nowhere = str(make_bundle()), tmp_path / "pipe", tmp_path / "no" / "log"
    os.mkfifo(pipe)
    places = {tmp_path: "Is a directory", pipe: "it is no regular file", nowhere: "No such file or directory"}
    for place, reason in places.items():
        for workers in ("1", "2"):
            assert main(["serve", bundle, "--log", str(place), "--workers", workers]) == 2
            assert capsys.readouterr().err == f"The log {place} cannot be written: {reason}.\n"
