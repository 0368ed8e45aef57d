"""Personal data in an input, found by the dot paths that a bundle names, as the workbench finds it."""

from __future__ import annotations

from collections.abc import Iterable

from .._json import JsonObject, JsonValue

# The workbench knows this form as that of a value it does not have. Its digest needs a key, which no bundle holds.
_MASK = f"pii:{'0' * 24}"


class PersonalFields:
    """The personal fields of a bundle, whose values are in no log."""

    def __init__(self, paths: Iterable[str]) -> None:
        """Read dot paths; a key with dots counts where it fits."""
        self._place = _Place(f".{path}" for path in paths)

    def mask(self, input: JsonObject) -> JsonObject:
        """Copy an input with a mask for every personal value, in every element of lists; null stays."""
        masked = _mask(input, self._place)
        assert isinstance(masked, dict)
        return masked


class _Place:
    """The rest of the paths below one value, each segment behind a dot: "" where one ends."""

    def __init__(self, rests: Iterable[str]) -> None:
        self.rests = frozenset(rests)
        self._below: dict[str, _Place] | None = None

    @property
    def below(self) -> dict[str, _Place]:
        if self._below is None:
            found: dict[str, list[str]] = {}
            for rest in self.rests:
                end = 0
                while end < len(rest):
                    dot = rest.find(".", end + 1)
                    end = len(rest) if dot < 0 else dot
                    found.setdefault(rest[1:end], []).append(rest[end:])
            self._below = {key: _Place(left) for key, left in found.items()}
        return self._below


def _mask(value: JsonValue, place: _Place) -> JsonValue:
    if value is None:
        return None
    if "" in place.rests:
        return _MASK
    if isinstance(value, dict):
        return {key: _mask(each, place.below[key]) if key in place.below else each for key, each in value.items()}
    if not isinstance(value, list):
        return value
    inside = [(each, place.below.get(str(index))) for index, each in enumerate(value)]
    return [_mask(each, _Place(place.rests | own.rests) if own else place) for each, own in inside]
