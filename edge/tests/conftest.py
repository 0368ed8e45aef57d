"""Fixtures for all tests."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tiny_bundle import parts, seal, write_zip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the cases with patterns: they need the extra `rules`, and `-m "not needs_rules"` runs what does not."""
    for item in items:
        case = item.callspec.params.get("case") if hasattr(item, "callspec") else None
        if case is not None and re.search("matches|[pP]attern", json.dumps(case)):
            item.add_marker("needs_rules")


@pytest.fixture
def make_bundle(tmp_path: Path) -> Callable[..., Path]:
    """Write the tiny bundle; `change(parts)` may alter it first, `manifest` settings are laid over it.

    A changed bundle would be refused for its golden vectors, so it has none unless `golden` or `change` says so.
    """

    def make(change: Callable[[dict[str, Any]], None] | None = None, golden: bool = False, **manifest: Any) -> Path:
        entries = parts()
        original = entries["golden.jsonl"]
        entries["manifest.json"].update(manifest)
        if change is not None:
            change(entries)
        if (change is not None or manifest) and not golden and entries["golden.jsonl"] == original:
            entries["golden.jsonl"] = b""
        return write_zip(tmp_path / "bundle.zip", seal(entries))

    return make
