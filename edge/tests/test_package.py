"""The package's own metadata."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from decision_edge import __version__

EDGE = Path(__file__).parents[1]
DECLARED = (EDGE / "pyproject.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", sorted((EDGE / "src").rglob("*.py")), ids=lambda path: path.name)
def test_every_module_is_python_3_10(path: Path) -> None:
    """Declared and, as far as the grammar goes, true [EDG-1]."""
    assert 'requires-python = ">=3.10"' in DECLARED
    ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 10))


def test_no_modules_import_each_other() -> None:
    """Not even for their types: each module is read without those above it."""
    root = EDGE / "src/decision_edge"
    imports: dict[Path, set[Path]] = {}
    for path in root.rglob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        froms = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.level > 0]
        targets = [path.parents[node.level - 1].joinpath(*(node.module or "").split(".")) for node in froms]
        imports[path] = {at / "__init__.py" if at.is_dir() else at.with_suffix(".py") for at in targets}
    while leaves := [name for name, others in imports.items() if not others & imports.keys()]:
        for name in leaves:
            del imports[name]
    assert imports == {}


def test_the_package_has_the_version_of_the_workbench() -> None:
    assert __version__ == json.loads((EDGE.parent / "package.json").read_text(encoding="utf-8"))["version"]
    path = re.search(r'\[tool\.hatch\.version\]\npath = "(.*)"', DECLARED)
    assert path
    assert f'VERSION = "{__version__}"' in (EDGE / path[1]).read_text(encoding="utf-8").splitlines()


def test_the_licence_is_in_the_package() -> None:
    """The wheel and the source distribution take what is in this folder, so the text stands here a second time."""
    assert (EDGE / "LICENSE").read_bytes() == (EDGE.parent / "LICENSE").read_bytes()
    assert 'license-files = ["LICENSE"]' in DECLARED


def test_the_extras_are_rules_mcp_and_all() -> None:
    """Expression rules, the tool server, and both of them [EDG-6]."""
    section = DECLARED.split("[project.optional-dependencies]\n")[1].split("\n[")[0]
    extras = dict(re.findall(r"^(\w+) = (\[.*\])$", section, re.MULTILINE))
    assert {"rules", "mcp", "all"} <= set(extras)
    assert extras["all"] == '["decision-edge[rules,mcp]"]'
