"""What distributions take with all that they require, in MB: `installed.py NAME…`. Prints JSON."""

import json
import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution


def read_name(requirement: str) -> str | None:
    """Return the name that a requirement asks for; None for one of an extra."""
    return None if "extra ==" in requirement else re.match(r"[\w.-]+", requirement)[0]


def main(requirements: list[str]) -> dict[str, float]:
    left = [read_name(requirement) for requirement in requirements]
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
    return {**dict(sorted(sizes.items(), key=lambda pair: -pair[1])[:4]), "all": sum(sizes.values())}


if __name__ == "__main__":
    json.dump(main(sys.argv[1:]), sys.stdout)
