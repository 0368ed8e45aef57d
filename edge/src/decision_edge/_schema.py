"""The input schema of a bundle (JSON Schema 2020-12), enforced as the workbench enforces it.

The validator is jsonschema. Where its reading of a keyword differs from that of the workbench's validator (ajv), the
keyword is replaced here: both answer the cases of test/cases/input-schema.json alike.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import suppress
from typing import TypeAlias

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from ._errors import InvalidBundle, InvalidInput
from ._json import JsonObject, JsonValue
from ._re2 import PatternError, compile_re2
from ._tables import FORMATS, TIME_FORMATS

_MAX_PROBLEMS = 5
# Problems that are found before the first ones are chosen.
_MAX_COLLECTED = 1_000
_MAX_SHOWN_CHARACTERS = 200
_SAME_VALUE = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas")
_MISMATCH = "Entry 'input_schema.json' cannot be used"

# Which properties are unevaluated depends on the other keywords: jsonschema finds properties by Python's patterns, and
# the workbench's validator takes every item as evaluated where contains stands.
_UNKNOWN_TOGETHER = (("unevaluatedProperties", "patternProperties"), ("unevaluatedItems", "contains"))

Patterns: TypeAlias = Mapping[str, Callable[[str], bool]]
Keyword: TypeAlias = Callable[[Validator, JsonValue, JsonValue, JsonObject], "Iterator[ValidationError] | None"]


class InputSchema:
    """A compiled input schema. Keeps no state between checks. Raises InvalidBundle for anything that is no schema."""

    def __init__(self, schema: JsonObject) -> None:
        schema = _to_doubles(schema)
        try:
            # Without its format checker, which would read patterns as Python's.
            Draft202012Validator.check_schema(schema, format_checker=None)
        except SchemaError as error:
            raise InvalidBundle(f"{_MISMATCH}: {_write_place('schema', error)} is not as JSON Schema says.") from error
        try:
            patterns = {pattern: compile_re2(pattern) for pattern in _find_patterns(schema)}
        except PatternError as error:
            raise InvalidBundle(f"{_MISMATCH}: it {error}.") from error
        if unknown := _find_unknown(schema):
            raise InvalidBundle(f"{_MISMATCH}: this version does not check {unknown}.")
        try:
            if _refers_to_itself(schema):
                raise InvalidBundle(f"{_MISMATCH}: it refers to itself without end.")
        except RecursionError as error:
            raise InvalidBundle(f"{_MISMATCH}: its references go too deep.") from error
        validator = extend(Draft202012Validator, {**Draft202012Validator.VALIDATORS, **_make_keywords(patterns)})
        # An empty registry: references lead to the schema itself, never to a file or the network.
        self._validator = validator(schema, format_checker=_make_format_checker(), registry=Registry())
        self._find_problems({})

    def check(self, values: JsonObject) -> None:
        """Check a cleaned input. Raises InvalidInput that names places and keywords, never values of the input."""
        if problems := self._find_problems(values):
            raise InvalidInput(f"The input does not fit the input schema: {'; '.join(problems)}.")

    def _find_problems(self, values: JsonObject) -> list[str]:
        try:
            if self._validator.is_valid(values):
                return []
            found = itertools.islice(self._validator.iter_errors(values), _MAX_COLLECTED)
            errors = sorted(found, key=lambda error: list(map(str, error.path)))
        except RecursionError as error:
            raise InvalidBundle(f"{_MISMATCH}: its references go too deep.") from error
        except Unresolvable as error:
            raise InvalidBundle(f"{_MISMATCH}: it has a reference to a part that is not there.") from error
        return [_describe(error) for error in errors[:_MAX_PROBLEMS]]


def _describe(error: ValidationError) -> str:
    place = _write_place("input", error)
    if error.validator == "required":
        # Its message holds no more than the name of the property.
        return f"{place}: {error.message}"
    rule = json.dumps(error.validator_value, ensure_ascii=False)[:_MAX_SHOWN_CHARACTERS]
    return f"{place} does not satisfy {error.validator} {rule}"


def _write_place(root: str, error: ValidationError | SchemaError) -> str:
    return root + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path)


def _to_doubles(schema: JsonObject) -> JsonObject:
    """Return the schema with every number as JavaScript reads it."""
    try:
        doubled: JsonObject = json.loads(json.dumps(schema), parse_int=float)
    except RecursionError as error:
        raise InvalidBundle(f"{_MISMATCH}: it is nested too deeply.") from error
    return doubled


def _walk_objects(value: JsonValue) -> Iterator[JsonObject]:
    if isinstance(value, dict):
        yield value
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _walk_objects(child)


def _find_patterns(schema: JsonObject) -> set[str]:
    patterns: set[str] = set()
    for part in _walk_objects(schema):
        pattern, properties = part.get("pattern"), part.get("patternProperties")
        patterns |= {pattern} if isinstance(pattern, str) else set()
        patterns |= properties.keys() if isinstance(properties, dict) else set()
    return patterns


def _find_unknown(schema: JsonObject) -> str | None:
    """Name the first use of a keyword that jsonschema reads in another way and that cannot be replaced here."""
    parts = list(_walk_objects(schema))
    for keyword, other in _UNKNOWN_TOGETHER:
        if any(keyword in part for part in parts) and any(other in part for part in parts):
            return f"{keyword} together with {other}"
    return "the format regex" if any(part.get("format") == "regex" for part in parts) else None


def _refers_to_itself(schema: JsonObject) -> bool:
    """Return whether a part is applied to the same value for ever."""
    resolver = Registry().with_resource("", DRAFT202012.create_resource(schema)).resolver("")
    is_open: dict[int, bool] = {}

    def list_applied(part: JsonObject) -> Iterator[JsonValue]:
        reference = part.get("$ref")
        if isinstance(reference, str):
            # A missing one is reported by the validator, where a schema refers to it.
            with suppress(Unresolvable):
                yield resolver.lookup(reference).contents
        for keyword in _SAME_VALUE:
            value = part.get(keyword)
            if isinstance(value, list):
                yield from value
            elif isinstance(value, dict):
                yield from value.values() if keyword == "dependentSchemas" else (value,)

    def follow(part: JsonValue) -> bool:
        if not isinstance(part, dict):
            return False
        if id(part) not in is_open:
            is_open[id(part)] = True
            is_open[id(part)] = any(map(follow, list_applied(part)))
        return is_open[id(part)]

    return any(map(follow, _walk_objects(schema)))


def _make_keywords(patterns: Patterns) -> dict[str, Keyword]:
    def check_pattern(
        validator: Validator, pattern: JsonValue, instance: JsonValue, schema: JsonObject
    ) -> Iterator[ValidationError]:
        if isinstance(instance, str) and not patterns[str(pattern)](instance):
            yield ValidationError("does not match")

    def check_pattern_properties(
        validator: Validator, properties: JsonValue, instance: JsonValue, schema: JsonObject
    ) -> Iterator[ValidationError]:
        if isinstance(instance, dict) and isinstance(properties, dict):
            for pattern, part in properties.items():
                for name in filter(patterns[pattern], instance):
                    yield from validator.descend(instance[name], part, path=name, schema_path=pattern)

    def check_additional_properties(
        validator: Validator, part: JsonValue, instance: JsonValue, schema: JsonObject
    ) -> Iterator[ValidationError]:
        if not isinstance(instance, dict):
            return
        named = _to_members(schema.get("properties"))
        tests = [patterns[pattern] for pattern in _to_members(schema.get("patternProperties"))]
        for name in instance:
            if name not in named and not any(test(name) for test in tests):
                yield from validator.descend(instance[name], part, path=name)

    return {
        "additionalProperties": check_additional_properties,
        "const": _check_const,
        "dependencies": _check_dependencies,
        "enum": _check_enum,
        "multipleOf": _check_multiple,
        "pattern": check_pattern,
        "patternProperties": check_pattern_properties,
        "type": _check_type,
        "uniqueItems": _check_unique,
    }


def _to_members(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _check_type(
    validator: Validator, types: JsonValue, instance: JsonValue, schema: JsonObject
) -> Iterator[ValidationError]:
    """Check `type`; `nullable` allows null besides."""
    names = types if isinstance(types, list) else [types]
    if instance is None and schema.get("nullable") is True:
        return
    if not any(validator.is_type(instance, name) for name in names):
        yield ValidationError("is of another type")


def _check_const(
    validator: Validator, value: JsonValue, instance: JsonValue, schema: JsonObject
) -> Iterator[ValidationError]:
    if _to_key(instance) != _to_key(value):
        yield ValidationError("is another value")


def _check_enum(
    validator: Validator, values: JsonValue, instance: JsonValue, schema: JsonObject
) -> Iterator[ValidationError]:
    """Check `enum`; older versions of jsonschema take 1 for true inside of lists."""
    key = _to_key(instance)
    if isinstance(values, list) and not any(_to_key(value) == key for value in values):
        yield ValidationError("is none of the values")


def _check_multiple(
    validator: Validator, divisor: JsonValue, instance: JsonValue, schema: JsonObject
) -> Iterator[ValidationError]:
    """Check `multipleOf` of numbers as they are written: 19.99 is a multiple of 0.01."""
    if isinstance(instance, float) and isinstance(divisor, float) and not _is_multiple(instance, divisor):
        yield ValidationError("is no multiple")


def _is_multiple(value: float, divisor: float) -> bool:
    if max(abs(value), abs(divisor)) < 2.0**53 and value.is_integer() and divisor.is_integer():
        return bool(divisor != 0 and math.fmod(value, divisor) == 0)
    if not math.isfinite(value):
        return False
    (digits, exponent), (divisor_digits, divisor_exponent) = _read_decimal(value), _read_decimal(divisor)
    lowest = min(exponent, divisor_exponent)
    by = divisor_digits * 10 ** (divisor_exponent - lowest)
    return bool(by != 0 and digits * 10 ** (exponent - lowest) % by == 0)


def _read_decimal(value: float) -> tuple[int, int]:
    """Return the shortest decimal that stands for a finite number, as digits and a power of ten."""
    mantissa, _, exponent = repr(value).partition("e")
    whole, _, decimals = mantissa.partition(".")
    return int(whole + decimals), int(exponent or 0) - len(decimals)


def _check_unique(
    validator: Validator, unique: JsonValue, instance: JsonValue, schema: JsonObject
) -> Iterator[ValidationError]:
    """Check `uniqueItems` in linear time."""
    if unique is True and isinstance(instance, list) and len(set(map(_to_key, instance))) < len(instance):
        yield ValidationError("has equal items")


def _to_key(value: JsonValue) -> Hashable:
    """Return a key that equal JSON values share and others do not."""
    if isinstance(value, list):
        return ("list", *map(_to_key, value))
    if isinstance(value, dict):
        return frozenset((name, _to_key(member)) for name, member in value.items())
    return (type(value), value)


def _check_dependencies(
    validator: Validator, dependencies: JsonValue, instance: JsonValue, schema: JsonObject
) -> Iterator[ValidationError]:
    """Check `dependencies` of older drafts, which the workbench's validator still knows."""
    if not isinstance(instance, dict) or not isinstance(dependencies, dict):
        return
    for name, dependency in dependencies.items():
        if name not in instance:
            continue
        if not isinstance(dependency, list):
            yield from validator.descend(instance, dependency, schema_path=name)
        elif not all(needed in instance for needed in dependency):
            yield ValidationError("lacks a property")


def _make_format_checker() -> FormatChecker:
    """Return the checker of the formats that the workbench knows; every other format allows everything."""
    checker = FormatChecker(formats=())
    for name, (pattern, ignores_case) in FORMATS.items():
        matches = re.compile(pattern, re.ASCII | (re.IGNORECASE if ignores_case else 0)).match
        test = _make_time_test(matches) if name in TIME_FORMATS else matches
        checker.checkers[name] = (_make_string_check(test), ())
    checker.checkers["byte"] = (_make_string_check(_is_base64), ())
    checker.checkers["int32"] = (lambda value: not isinstance(value, float) or _is_int32(value), ())
    checker.checkers["int64"] = (lambda value: not isinstance(value, float) or value.is_integer(), ())
    return checker


def _make_time_test(match: Callable[[str], re.Match[str] | None]) -> Callable[[str], bool]:
    """Return a test for times of day that exist: the leap second is the last one of a day in UTC."""

    def test(value: str) -> bool:
        found = match(value)
        if found is None or found[3] != "60":
            return found is not None
        offset = int(found[5] or 0) * 60 + int(found[6] or 0)
        return (int(found[1]) * 60 + int(found[2]) + (offset if found[4] == "-" else -offset) + 1) % 1440 == 0

    return test


def _make_string_check(test: Callable[[str], object]) -> Callable[[object], bool]:
    return lambda value: not isinstance(value, str) or bool(test(value))


_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")


def _is_base64(value: str) -> bool:
    """Return whether any line of a string is base64: the workbench's validator looks at single lines."""
    return any(map(_BASE64.fullmatch, re.split("[\n\r\u2028\u2029]", value)))


def _is_int32(value: float) -> bool:
    return value.is_integer() and -(2**31) <= value <= 2**31 - 1
