"""The command line: `decision-edge info|verify|predict|mcp`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence

from . import __version__
from ._bundle import read_bundle
from ._bundle.signature import check_signature
from ._errors import DecisionEdgeError, InvalidBundle, InvalidInput
from ._json import parse_json
from .predictor import EdgePredictor

_COMMANDS = {
    "info": "print what the bundle is, as JSON",
    "verify": "compare the bundle's golden vectors with what this package decides, and the bundle with its signature",
    "predict": "read one JSON object a line, write one result a line",
    "mcp": "serve tools over standard input and output (extra: mcp)",
    "serve": "is a command of the package for Node: npx decision-edge serve",
}
# How many bundles a command takes: one, where nothing is said.
_HOW_MANY = {"mcp": "?", "serve": "*"}
_SERVES = (
    "The service is a command of the package decision-edge for Node, which takes the same options:"
    " npx decision-edge serve BUNDLE (see edge/node/README.md)."
)
# The exit status of a program that SIGPIPE ends.
_READER_LEFT = 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. 0: done, all equal; 1: a difference or a refused line; 2: the bundle cannot be used."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given[:1] == ["serve"]:
        print(_SERVES, file=sys.stderr)
        return 2
    chosen = _make_parser().parse_args(given)
    try:
        status = _serve_tools(chosen) if chosen.command == "mcp" else _run(chosen)
        sys.stdout.flush()
    except DecisionEdgeError as error:
        if isinstance(error, InvalidBundle):
            error.source = error.source or str(chosen.bundle)
        print(_one_line(error), file=sys.stderr)
        return 2
    except BrokenPipeError:
        # Buffered output is dropped, also when the interpreter flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _READER_LEFT
    return status


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="decision-edge", description="Decide offline from an exported bundle.")
    parser.add_argument("--version", action="version", version=f"decision-edge {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in _COMMANDS.items():
        command = commands.add_parser(name, help=text)
        command.add_argument("bundle", nargs=_HOW_MANY.get(name), help="the exported ZIP file")
        command.add_argument("--text-model", help="folder of the text model, for slim bundles")
        if name == "verify":
            command.add_argument("--key", help="public key of minisign, or its file: check BUNDLE.minisig, too")
    return parser


def _run(chosen: argparse.Namespace) -> int:
    command, bundle, text_model = chosen.command, chosen.bundle, chosen.text_model
    if command == "verify":
        fault = check_signature(bundle, chosen.key) if chosen.key else None
        if fault is not None:
            print(fault, file=sys.stderr)
            return 1
        # Opened without the check of its own golden vectors: all that differ are to be listed.
        return _verify(EdgePredictor(read_bundle(bundle, text_model)))
    predictor = EdgePredictor.from_bundle(bundle, text_model=text_model)
    if command == "info":
        print(json.dumps(predictor.info, indent=2))
        return 0
    return _predict(predictor)


def _verify(predictor: EdgePredictor) -> int:
    comparisons = predictor.verify()
    if not comparisons:
        raise InvalidBundle("The bundle holds no golden vectors.")
    for number, sentences in enumerate(comparisons, 1):
        for sentence in sentences:
            print(f"golden vector {number}: {sentence}")
    equal = sum(not sentences for sentences in comparisons)
    print(f"{len(comparisons)} golden vectors, {equal} equal")
    return 0 if equal == len(comparisons) else 1


def _predict(predictor: EdgePredictor) -> int:
    """Answer every line in its place; a blank one is refused like any other that is not JSON."""
    status = 0
    for line in sys.stdin.buffer:
        result: dict[str, object]
        try:
            result = predictor.predict(_parse_line(line)).to_dict()
        except InvalidInput as error:
            status = 1
            result = {"error": {"code": error.code, "message": str(error)}}
        text = json.dumps(result, ensure_ascii=False, allow_nan=False)
        sys.stdout.buffer.write(text.encode("utf-8") + b"\n")
        sys.stdout.buffer.flush()
    return status


def _parse_line(line: bytes) -> object:
    if not line.strip():
        raise InvalidInput("The line is blank.")
    try:
        return parse_json(line.decode("utf-8"))
    except ValueError as error:
        raise InvalidInput(f"The line is not JSON: {_one_line(error)}") from error


def _serve_tools(chosen: argparse.Namespace) -> int:
    try:
        from ._mcp import serve as serve_tools

        serve_tools(chosen.bundle, chosen.text_model)
    except ModuleNotFoundError as error:
        print(f"The command mcp needs its extra: pip install 'decision-edge[mcp]' ({error.name})", file=sys.stderr)
        return 2
    return 0


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


if __name__ == "__main__":
    sys.exit(main())
