"""What the package declares about itself."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

EDGE = Path(__file__).parents[1]
DECLARED = (EDGE / "pyproject.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", sorted((EDGE / "src").rglob("*.py")), ids=lambda path: path.name)
def test_every_module_is_python_3_10(path: Path) -> None:
    """Declared and, as far as the grammar goes, true [EDG-1]."""
    assert 'requires-python = ">=3.10"' in DECLARED
    ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 10))


def test_the_licence_is_in_the_package() -> None:
    """The wheel and the source distribution take what is in this folder, so the text stands here a second time."""
    assert (EDGE / "LICENSE").read_bytes() == (EDGE.parent / "LICENSE").read_bytes()
    assert 'license-files = ["LICENSE"]' in DECLARED


def test_the_extras_are_rules_mcp_and_all() -> None:
    """Expression rules, the tool server, and both [EDG-6]."""
    section = DECLARED.split("[project.optional-dependencies]\n")[1].split("\n[")[0]
    extras = dict(re.findall(r"^(\w+) = (\[.*\])$", section, re.MULTILINE))
    assert {"rules", "mcp", "all"} <= set(extras)
    assert extras["all"] == '["decision-edge[rules,mcp]"]'
