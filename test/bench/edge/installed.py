"""What an installation without extras takes, by distribution, in MB: `installed.py PYPROJECT`. Prints JSON."""

import json
import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path


def read_name(requirement: str) -> str | None:
    """Return the name that a requirement asks for; None for one of an extra."""
    return None if "extra ==" in requirement else re.match(r"[\w.-]+", requirement)[0]


def main(path: str) -> dict[str, float]:
    (listed,) = re.findall(r"^dependencies = (\[.*\])$", Path(path).read_text("utf-8"), re.MULTILINE)
    left = [read_name(requirement) for requirement in json.loads(listed)]
    found: dict[str, Distribution] = {}
    while left:
        name = left.pop()
        if name is None or name.lower() in found:
            continue
        try:
            found[name.lower()] = distribution(name)
        except PackageNotFoundError:
            continue
        left += [read_name(requirement) for requirement in found[name.lower()].requires or []]
    sizes = {
        name: sum(file.locate().stat().st_size for file in each.files or [] if file.locate().exists()) / 1e6
        for name, each in found.items()
    }
    largest = dict(sorted(sizes.items(), key=lambda pair: -pair[1])[:8])
    return {**largest, f"all {len(sizes)}": sum(sizes.values())}


if __name__ == "__main__":
    json.dump(main(sys.argv[1]), sys.stdout)
