"""Files of the text model that several predictors of a process use, each kept and opened once."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakValueDictionary

Opened = TypeVar("Opened")


class SharedFile:
    """The bytes of a file and what was opened from them. It goes with the last predictor that uses it.

    Pickled, it is its bytes alone, shared again where they arrive.
    """

    def __init__(self, digest: str, data: bytes) -> None:
        self.data = data
        self._digest = digest
        self._lock = Lock()
        self._opened: Any = None

    def open(self, opener: Callable[[bytes], Opened]) -> Opened:
        """Return what `opener` made of the bytes when it was first called. Passes on what it raises."""
        with self._lock:
            if self._opened is None:
                self._opened = opener(self.data)
            opened: Opened = self._opened
            return opened

    def __reduce__(self) -> tuple[Callable[[str, bytes], SharedFile], tuple[str, bytes]]:
        return share_file, (self._digest, self.data)


def give_memory_back() -> None:
    """Return to the system what reading and opening these files freed, which glibc would keep: 66 MB after the first
    encoder, 24 MB after each other bundle that holds it, too.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


_files: WeakValueDictionary[str, SharedFile] = WeakValueDictionary()
_lock = Lock()


def share_file(digest: str, data: bytes) -> SharedFile:
    """Return the file with a SHA-256, which `data` is known to have; the first of them is kept."""
    with _lock:
        found = _files.get(digest)
        if found is None:
            found = _files[digest] = SharedFile(digest, data)
        return found
