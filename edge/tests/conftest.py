"""Fixtures for all tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tiny_bundle import parts, seal, write_zip


@pytest.fixture
def make_bundle(tmp_path: Path) -> Callable[..., Path]:
    """Write the tiny bundle; `change(parts)` may alter it first, `manifest` settings are laid over it."""

    def make(change: Callable[[dict[str, Any]], None] | None = None, **manifest: Any) -> Path:
        entries = parts()
        entries["manifest.json"].update(manifest)
        if change is not None:
            change(entries)
        return write_zip(tmp_path / "bundle.zip", seal(entries))

    return make
