"""The image's own commands, run as its runtime would, on this machine."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from service import Service

EDGE = Path(__file__).parents[1]
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


def test_the_image_runs_without_rights() -> None:
    """Nobody's user, a pinned base, all that it copies there, and nothing to write on but /tmp [SRV-8]."""
    assert re.search(r"^USER 65532:65532$", DOCKERFILE, re.MULTILINE)
    assert re.search(r"^ARG PYTHON=python:\S+@sha256:[0-9a-f]{64}$", DOCKERFILE, re.MULTILINE)
    assert re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE) == ["${PYTHON}"] * 2
    copied = re.findall(r"^COPY ([^-].*) \S+$", DOCKERFILE, re.MULTILINE)
    assert copied
    assert all((EDGE / name).exists() for line in copied for name in line.split())
    compose = (EDGE / "compose.yaml").read_text(encoding="utf-8")
    for setting in ("read_only: true", "cap_drop: [ALL]", "/bundles:ro", "tmpfs: [/tmp]", '"127.0.0.1:8080:8080"'):
        assert setting in compose
