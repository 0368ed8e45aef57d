"""The image's own commands, run as its runtime would, on this machine."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from service import Service

EDGE = Path(__file__).parents[2]
DOCKERFILE = (EDGE / "Dockerfile").read_text(encoding="utf-8")


def read_command(instruction: str) -> list[str]:
    found = re.search(rf"^(?:.*\n)?\s*{instruction} (\[.*\])$", DOCKERFILE, re.MULTILINE)
    assert found, instruction
    command: list[str] = json.loads(found[1])
    return command


def test_the_image_serves_its_bundle_and_knows_that_it_is_well(make_bundle: Any) -> None:
    """As it is written in the Dockerfile, but at a free port [SRV-8]."""
    (start,) = [line for line in DOCKERFILE.splitlines() if line.startswith("CMD ")]
    name, bundle, *options = json.loads(start.removeprefix("CMD "))
    assert read_command("ENTRYPOINT") == ["decision-edge"]
    assert (name, bundle) == ("serve", "/bundles/bundle.zip")
    with Service(make_bundle(), *options) as running:
        assert running.decide("loan", {"loan": {"amount": 4}})["decision"] == "approve"
        _, flag, program = read_command("HEALTHCHECK .*\\n\\s*CMD")
        healthy = program.replace(":8080", f":{running.port}")
        assert subprocess.run([sys.executable, flag, healthy], timeout=60, check=False).returncode == 0
    assert subprocess.run([sys.executable, flag, healthy], stderr=subprocess.DEVNULL, check=False).returncode == 1


def test_what_the_image_copies_is_all_that_its_wheel_is_built_of(tmp_path: Path) -> None:
    """The files that COPY names, and nothing else of the repository [SRV-8]."""
    build = tmp_path / "build"
    build.mkdir()
    for names, target in re.findall(r"^COPY ([^-].*) (\S+)$", DOCKERFILE, re.MULTILINE):
        for name in names.split():
            if (EDGE / name).is_dir():
                shutil.copytree(EDGE / name, build / target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(EDGE / name, build / target)
    wheel = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(tmp_path), "."]
    made = subprocess.run(wheel, cwd=build, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    assert list(tmp_path.glob("decision_edge-*.whl"))


def test_the_image_runs_without_rights() -> None:
    """Nobody's user, a pinned base, and nothing to write on but /tmp [SRV-8]."""
    assert re.search(r"^USER 65532:65532$", DOCKERFILE, re.MULTILINE)
    assert re.search(r"^ARG PYTHON=python:\S+@sha256:[0-9a-f]{64}$", DOCKERFILE, re.MULTILINE)
    assert re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE) == ["${PYTHON}"] * 2
    compose = (EDGE / "compose.yaml").read_text(encoding="utf-8")
    for setting in ("read_only: true", "cap_drop: [ALL]", "/bundles:ro", "tmpfs: [/tmp]", '"127.0.0.1:8080:8080"'):
        assert setting in compose
