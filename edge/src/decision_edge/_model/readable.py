"""Reading HTML as what a person sees of it, and lists of turns as text, as the workbench does (`features`)."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.entities import name2codepoint

from .._json import JsonValue
from .._tables import HTML_BLOCKS, HTML_HIDDEN, HTML_INLINE, HTML_TELLTALES

_KNOWN = frozenset(("br", *HTML_BLOCKS, *HTML_INLINE, *HTML_HIDDEN))
_BLOCKS, _HIDDEN, _TELLTALES = frozenset(HTML_BLOCKS), frozenset(HTML_HIDDEN), frozenset(HTML_TELLTALES)

# No two of its repetitions can share a character, so a text is read in time linear in its length.
_TOKEN = re.compile(
    r"<!--|<[!?][^<>]*>|<(/?)([a-z][a-z0-9]*|[ovw]:[a-z]+)(?:[ \t\n\f\r/][^<>]*)?>"
    r"|&(?:#([0-9]{1,7})|#x([0-9a-f]{1,6})|([a-z][a-z0-9]{1,8}));|[ \t\n\f\r]+",
    re.ASCII | re.IGNORECASE,
)

# The characters of the numbers 128 to 159, read as windows-1252.
_WINDOWS = (
    "\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f"
    "\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178"
)

# Keys for the speaker and the content of a turn.
_ROLES = ("role", "from", "speaker", "author", "sender")
_CONTENTS = ("content", "value", "text", "message", "body")


def join_turns(turns: list[JsonValue], read: Callable[[str], str]) -> str:
    """Return a line `role: content` for each turn, `read` applied to the content; what holds no text is left out."""
    lines: list[str] = []
    for turn in turns:
        if not isinstance(turn, dict):
            continue
        content = next((text for name in _CONTENTS if (text := _read_content(turn.get(name))) is not None), None)
        role = next((value for name in _ROLES if isinstance(value := turn.get(name), str)), "")
        if content is not None:
            lines.append(f"{role}: {read(content)}" if role else read(content))
    return "\n".join(lines)


def _read_content(value: JsonValue) -> str | None:
    """Return a string, or the strings of a list of parts; None for anything else."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return None
    texts = [part.get("text") if isinstance(part, dict) else part for part in value]
    return "\n".join([text for text in texts if isinstance(text, str)])


def to_readable_text(text: str) -> str:
    """Return what a person sees of a text that is HTML; any other text as it is."""
    if "<" not in text:
        return text
    parts: list[str] = []
    missed: set[str] = set()
    gap, is_markup, pre_depth, at = "", False, 0, 0

    def add(piece: str) -> None:
        nonlocal gap
        if piece:
            if gap and parts:
                parts.append(gap)
            gap = ""
            parts.append(piece)

    def leave(wanted: str) -> None:
        nonlocal gap
        if len(wanted) > len(gap) or gap == " ":
            gap = wanted

    for match in _TOKEN.finditer(text):
        token, start, end = match[0], match.start(), match.end()
        element = match[2].lower() if match[2] else None
        character = _decode_character(match) if token[0] == "&" else None
        is_text = token[0] == "&" and character is None if element is None else not _is_known(element)
        if start < at or is_text:
            continue
        add(text[at:start])
        if character is not None and character != " ":
            add(character)
        elif element is not None:
            is_markup = is_markup or match[1] == "/" or element in _TELLTALES
            if element == "pre":
                pre_depth += -1 if match[1] == "/" else 1
            if element == "br" or element in _BLOCKS:
                leave("\n\n" if element == "br" and gap.startswith("\n") else "\n")
            elif element in ("td", "th"):
                leave(" ")
            elif element in _HIDDEN and match[1] == "":
                end = _find(text, f"</{element}", end, missed)
        elif token == "<!--":
            end = _find(text, "-->", end, missed)
        elif token[0] != "<":
            leave("\n" if pre_depth > 0 and "\n" in token else " ")
        at = end
    if not is_markup:
        return text
    add(text[at:])
    return "".join(parts)


def _is_known(element: str) -> bool:
    return element in _KNOWN or ":" in element


def _find(text: str, wanted: str, start: int, missed: set[str]) -> int:
    """Return where what ends a hidden stretch ends or begins, or the start where nothing does: each is missed once."""
    if wanted in missed:
        return start
    found = re.compile(wanted, re.ASCII | re.IGNORECASE).search(text, start)
    if found is None:
        missed.add(wanted)
        return start
    return found.end() if wanted == "-->" else found.start()


def _decode_character(match: re.Match[str]) -> str | None:
    """Decode a character written by number or name, white space as a space; None where there is none of that name."""
    if match[5] is not None:
        if match[5] in ("nbsp", "apos"):
            return " " if match[5] == "nbsp" else "'"
        return chr(name2codepoint[match[5]]) if match[5] in name2codepoint else None
    code = int(match[4], 16) if match[3] is None else int(match[3])
    if code <= 32 or code == 160:
        return " "
    if 128 <= code < 160:
        return _WINDOWS[code - 128]
    return "\ufffd" if code > 0x10FFFF or 0xD800 <= code < 0xE000 else chr(code)
