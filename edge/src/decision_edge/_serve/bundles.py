"""The files that are served, each with the predictor of its last good version."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .._errors import InvalidBundle
from ..predictor import EdgePredictor
from .personal import PersonalFields

_log = logging.getLogger("decision_edge.serve")


@dataclass(frozen=True)
class Loaded:
    """One version of a bundle: a request keeps to it although the file is replaced."""

    predictor: EdgePredictor
    info: dict[str, Any]
    personal: PersonalFields


class ServedBundle:
    """A bundle file that may be replaced while it is served. Raises InvalidBundle where it cannot be used at first."""

    def __init__(self, path: str, text_model: str | None) -> None:
        self._path = path
        self._text_model = text_model
        # Taken before the file is read, so that a change in the meantime is read again.
        self._seen = _identify(path)
        self.loaded = self._load()
        self.name: str = self.loaded.info["decision_type"]
        self.problem: str | None = None
        """Why the current file does not decide; the version before it does."""

    @property
    def file(self) -> str:
        """The name of the file."""
        return os.path.basename(self._path)

    def reload(self) -> None:
        """Decide by the current file where it has changed and can be used; else go on and keep the `problem`."""
        seen = _identify(self._path)
        if seen == self._seen:
            return
        self._seen = seen
        try:
            newer = self._load()
            if (name := newer.info["decision_type"]) != self.name:
                raise InvalidBundle(f"It holds the decision type {name!r}; serve that as a file of its own.")
        except Exception as error:  # Whatever is wrong with a file must not end the service.
            if isinstance(error, InvalidBundle):
                error.source = self.file
            self.problem = f"{error} The version before it goes on deciding {self.name!r}."
            _log.error(self.problem)
        else:
            self.loaded, self.problem = newer, None
            _log.info("%s was replaced: %s of %r decides now.", self.file, newer.info["policy_version"], self.name)

    def _load(self) -> Loaded:
        predictor = EdgePredictor.from_bundle(self._path, text_model=self._text_model)
        return Loaded(predictor, predictor.info, PersonalFields(predictor.info["pii_fields"] or ()))


def open_bundles(paths: Sequence[str], text_model: str | None) -> dict[str, ServedBundle]:
    """Open files by the decision types they hold. Raises InvalidBundle, also where two hold the same one."""
    bundles: dict[str, ServedBundle] = {}
    for path in paths:
        bundle = ServedBundle(path, text_model)
        if bundle.name in bundles:
            other = bundles[bundle.name].file
            raise InvalidBundle(f"{other} and {bundle.file} both hold the decision type {bundle.name!r}; give one.")
        bundles[bundle.name] = bundle
    return bundles


def _identify(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
