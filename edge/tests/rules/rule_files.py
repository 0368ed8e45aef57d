"""Rules and inputs as the shared cases write them."""

import math


def expand(value):
    """Spells out the short forms of rules-hostile.json, as test/engine/rules/rules-hostile.test.ts does."""
    if isinstance(value, list):
        return [expand(member) for member in value]
    if not isinstance(value, dict):
        return value
    if "$repeat" in value:
        text, count = value["$repeat"]
        return text * count
    if "$copies" in value:
        member, count = value["$copies"]
        return [expand(member) for _ in range(count)]
    if "$join" in value:
        return "".join(map(expand, value["$join"]))
    if "$keys" in value:
        return {f"k{i}": i for i in range(value["$keys"])}
    if "$lists" in value:
        count, inner = value["$lists"][0], expand(value["$lists"][1])
        for _ in range(count):
            inner = [inner]
        return inner
    if "$nested" in value:
        field, count, inner, *beside = value["$nested"]
        inner = expand(inner)
        for _ in range(count):
            inner = {**(beside[0] if beside else {}), field: inner}
        return inner
    return {key: expand(member) for key, member in value.items()}


def as_doubles(value):
    """The value with every number as float, as `clean_input` makes it; unlike that, it lets any value through."""
    if isinstance(value, list):
        return [as_doubles(member) for member in value]
    if isinstance(value, dict):
        return {key: as_doubles(member) for key, member in value.items()}
    if type(value) is not int:
        return value
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def rule(ast, condition="ctx.a > 1", name="r"):
    return {"name": name, "condition": condition, "then": "yes", "reason_code": None, "priority": 1, "ast": ast}
