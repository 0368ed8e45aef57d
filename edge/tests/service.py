"""Places and patience of the tests that start a process."""

from __future__ import annotations

from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
# Ends what hangs, also on a machine busy with other things: no test states how long a thing takes.
PATIENCE_S = 600
